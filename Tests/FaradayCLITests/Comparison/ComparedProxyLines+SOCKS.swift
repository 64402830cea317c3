/// The lines about SOCKS proxies, which report the messages that they received. They have no server behind them.
extension ComparedLine {
  static let socks: [ComparedLine] = [
    .ends(0, "curl -sS --socks4 127.0.0.1:$SOCKS http://127.0.0.2:81/x", shows: "address 127.0.0.2 port 81"),
    .ends(
      0, "curl -sS --socks4 127.0.0.1:$SOCKS --resolve host.example:81:127.0.0.9 http://host.example:81/x", shows: "127.0.0.9"),
    .ends(0, "curl -sS --socks4a 127.0.0.1:$SOCKS http://host.example:81/x", shows: "name host.example port 81"),
    .ends(0, "curl -sS --socks4 127.0.0.1:$SOCKS -U anna:secret http://127.0.0.2:81/x", shows: "user ID anna"),
    .ends(97, "curl -sS --socks4 127.0.0.1:$SOCKS_LOGIN http://127.0.0.2:81/x"),
    .ends(97, "curl -sS --socks4a eve@127.0.0.1:$SOCKS_LOGIN http://host.example:81/x"),
    .ends(0, "curl -sS --socks4a anna:secret@127.0.0.1:$SOCKS_LOGIN http://host.example:81/x", shows: "name host.example"),
    .ends(0, "curl -sS --socks5 127.0.0.1:$SOCKS http://127.0.0.2:81/x", shows: "address 127.0.0.2 port 81"),
    .ends(
      0, "curl -sS --socks5 127.0.0.1:$SOCKS --resolve host.example:81:127.0.0.9 http://host.example:81/x", shows: "127.0.0.9"),
    .ends(0, "curl -sS -4 --socks5 127.0.0.1:$SOCKS http://localhost:81/x", shows: "address 127.0.0.1"),
    .ends(0, "curl -sS --socks5 127.0.0.1:$SOCKS 'http://[::1]:81/x'", shows: "address of 16 bytes"),
    .ends(97, "curl -sS --socks5 127.0.0.1:$SOCKS http://host.invalid:81/x"),
    .ends(0, "curl -sS --socks5-hostname 127.0.0.1:$SOCKS http://host.invalid:81/x", shows: "name host.invalid port 81"),
    .ends(0, "curl -sS --socks5 127.0.0.1:$SOCKS_LOGIN -U anna:secret http://127.0.0.2:81/x", shows: "credentials anna:secret"),
    .ends(0, "curl -sS --socks5 anna:secret@127.0.0.1:$SOCKS_LOGIN http://127.0.0.2:81/x", shows: "credentials anna:secret"),
    .ends(
      0, "curl -sS --socks5-hostname anna:secret@127.0.0.1:$SOCKS_LOGIN http://host.example/x", shows: "name host.example port 80"
    ),
    .ends(0, "curl -sS --socks5-basic --socks5 127.0.0.1:$SOCKS_LOGIN -U anna:secret http://127.0.0.2:81/x"),
    .ends(97, "curl -sS --socks5 anna:wrong@127.0.0.1:$SOCKS_LOGIN http://127.0.0.2:81/x", shows: "credentials anna:wrong"),
    .ends(97, "curl -sS --socks5 127.0.0.1:$SOCKS_LOGIN http://127.0.0.2:81/x"),
    .ends(97, "curl -sS --socks5 127.0.0.1:$SOCKS_REFUSING http://127.0.0.2:81/x"),
    .ends(97, "curl -sS --socks4 127.0.0.1:$SOCKS_REFUSING http://127.0.0.2:81/x"),
    .ends(97, "curl -sS --socks5-hostname 127.0.0.1:$SOCKS_REFUSING http://host.example/x"),
    .ends(0, "curl -sS -x socks4://anna@127.0.0.1:$SOCKS http://127.0.0.2:81/x", shows: "user ID anna"),
    .ends(0, "curl -sS -x socks4a://127.0.0.1:$SOCKS http://host.example:81/x", shows: "name host.example"),
    .ends(0, "curl -sS -x socks5://127.0.0.1:$SOCKS http://127.0.0.2:81/x", shows: "address 127.0.0.2"),
    .ends(0, "curl -sS -x socks5h://127.0.0.1:$SOCKS http://host.example:81/x http://host.example:81/y", shows: "GET /y"),
    .ends(0, "ALL_PROXY=socks5h://127.0.0.1:$SOCKS curl -sS http://host.example:81/x", shows: "name host.example"),
  ]
}

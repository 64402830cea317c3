/// The lines about how a connection is opened, and about cached state.
extension ComparedLine {
  static let sockets = unixSockets + addresses

  private static let unixSockets: [ComparedLine] = [
    .ends(0, "curl -sS --unix-socket $SOCKET 'http://anything.invalid/x?y'", shows: "remote=unix:"),
    .ends(0, "curl -sS --unix-socket $SOCKET http://one.invalid/ http://two.invalid:81/", shows: "host=two.invalid:81"),
    .ends(0, "curl -sS --unix-socket $TLS_SOCKET --cacert $CA https://localhost/", shows: "protocol=TLSv1.3"),
    .ends(60, "curl -sS --unix-socket $TLS_SOCKET --cacert $CA https://other.test/"),
    .ends(7, "curl -sS --unix-socket missing $URL/hello"),
    .ends(7, "curl -sS --abstract-unix-socket missing-$PORT $URL/hello"),
    // A server that ends after one connection, or ten seconds.
    .ends(
      0,
      """
      python3 -c '
      import os, signal, socket
      server = socket.socket(socket.AF_UNIX)
      server.bind("\\0faraday-" + os.environ["PORT"])
      server.listen()
      os.fork() and os._exit(0)
      signal.alarm(10)
      client = server.accept()[0]
      head = client.recv(9999)
      client.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\nabstract " + head)
      '
      curl -sS --abstract-unix-socket faraday-$PORT http://host.invalid/x
      """, shows: "abstract GET /x"),
  ]

  private static let addresses: [ComparedLine] = [
    .ends(0, "curl -sS -4 http://localhost:$PORT/hello"),
    .ends(7, "curl -sS -6 $URL/hello"),
    .ends(7, "curl -sS -4 \"http://[::1]:$PORT/hello\""),
    .ends(0, "curl -sS --interface 127.0.0.3 http://127.0.0.1:$PLAIN/", shows: "remote=127.0.0.3"),
    .ends(0, "curl -sS --interface host!127.0.0.4 http://127.0.0.1:$PLAIN/", shows: "remote=127.0.0.4"),
    .ends(0, "curl -sS --interface if!lo http://127.0.0.1:$PLAIN/", shows: "remote=127.0.0.1"),
    .ends(45, "curl -sS --interface 192.0.2.1 $URL/hello"),
    .ends(45, "curl -sS --local-port $PORT --interface 127.0.0.1 $URL/hello", shows: "bind failed"),
    .ends(0, "curl -sS --local-port 26000-26999 http://127.0.0.2:$PLAIN/ | grep -c '^port=26...$'", shows: "1"),
    .ends(0, "curl -sS --connect-to ::127.0.0.2:$PLAIN http://host.example/", shows: "host=host.example"),
    .ends(0, "curl -sS --connect-to host.example:80:127.0.0.1:$PLAIN --connect-to ::127.0.0.1:1 http://host.example/"),
    .ends(0, "curl -sS --resolve \"*:$PLAIN:127.0.0.1\" http://host.example:$PLAIN/", shows: "host=host.example"),
    .ends(0, "curl -sS --resolve +host.example:$PLAIN:127.0.0.1 http://host.example:$PLAIN/", shows: "host=host.example"),
    .ends(
      0, "curl -sS --resolve host.example:$PLAIN:127.0.0.1,127.0.0.2 http://HOST.example:$PLAIN/", shows: "host=HOST.example"),
    .ends(6, "curl -sS --resolve host.invalid:1:127.0.0.1 http://host.invalid:$PLAIN/"),
    .ends(
      6, "curl -sS --resolve host.invalid:$PLAIN:127.0.0.1 --resolve -host.invalid:$PLAIN http://host.invalid:$PLAIN/"),
    .ends(0, "curl -sS $URL/keep-alive", shows: "in 60 s"),
    .ends(0, "curl -sS --keepalive-time 1000 $URL/keep-alive", shows: "in 1000 s"),
    .ends(0, "curl -sS --no-keepalive $URL/keep-alive", shows: "none"),
    .ends(0, "curl -sS --no-keepalive --keepalive $URL/keep-alive", shows: "in 60 s"),
  ]

  static let stores = lookups + strictHosts + alternatives

  private static let lookups: [ComparedLine] = [
    .ends(
      0, "curl -sS -4 --cacert $RESOLVER_CA --doh-url $RESOLVER_URL http://host.example:$PORT/hello", shows: "Host: host.example"),
    .ends(
      0,
      "cat $CA $RESOLVER_CA >authorities; "
        + "curl -sS --http1.1 --cacert authorities --doh-url $RESOLVER_URL https://other.test:$OTHERNAME/; rm authorities",
      shows: "name=other.test"),
    .ends(6, "curl -sS --cacert $CA --doh-url $RESOLVER_URL https://other.test:$OTHERNAME/"),
    .ends(
      0, "curl -sS --cacert $RESOLVER_CA --doh-url $RESOLVER_URL http://host.example:$PORT/hello", shows: "Host: host.example"),
    .ends(6, "curl -sS --cacert $CA --doh-url $RESOLVER_URL http://host.example:$PORT/hello"),
    .ends(6, "curl -sS --doh-url $RESOLVER_URL http://host.example:$PORT/hello"),
    .ends(6, "curl -sSk --doh-url $RESOLVER_URL http://host.example:$PORT/hello"),
    .ends(6, "curl -sS --doh-url https://127.0.0.1:1/ http://host.example:$PORT/hello"),
    .ends(0, "curl -sS --doh-url https://127.0.0.1:1/ --resolve host.example:$PORT:127.0.0.1 http://host.example:$PORT/hello"),
  ]

  private static let strictHosts: [ComparedLine] = [
    .ends(
      0, #"printf 'localhost "20991231 23:59:59"\n' >hosts; curl -sSk --http1.1 --hsts hosts http://localhost:$VALID/; rm hosts"#,
      shows: "protocol=TLSv1.3"),
    .ends(
      0,
      #"printf 'localhost "20201231 23:59:59"\n' >hosts; "#
        + "curl -sS --hsts hosts http://localhost:$PORT/hello; sed -i '/^#/d' hosts",
      shows: "Hello, world!"),
    .ends(
      60,
      #"printf '.example "20991231 23:59:59"\n' >hosts; "#
        + "curl -sS --hsts hosts --connect-to ::127.0.0.1:$VALID http://a.example/; code=$?; rm hosts; exit $code"
    ),
    .ends(
      0,
      "curl -sS --cacert $TLS_CA --hsts hosts ${TLS_URL}upstream/headers?Strict-Transport-Security=max-age%3D60 -o out; "
        + "sed -i '/^#/d; s/[0-9]/0/g' hosts; cat hosts", shows: "localhost \"00000000 00:00:00\""),
    .ends(
      0,
      "curl -sS --cacert $TLS_CA --hsts hosts "
        + "${TLS_URL}upstream/headers?Strict-Transport-Security=max-age%3D60 http://localhost:$TLS/session -o out; rm hosts",
      shows: "TLSv1."),
  ]

  private static let alternatives: [ComparedLine] = [
    .ends(
      0,
      #"printf 'h1 localhost %s h1 127.0.0.2 %s "20991231 23:59:59" 0 0\n' $TLS $TLS >known; "#
        + "curl -sS --cacert $TLS_CA --alt-svc known --http1.1 -o out -w '%{remote_ip}' ${TLS_URL}session; rm known",
      shows: "127.0.0.2"),
    .ends(
      0,
      "curl -sS --cacert $TLS_CA --alt-svc known --http1.1 -o out -w '%{remote_ip} ' "
        + "${TLS_URL}upstream/headers?Alt-Svc=h1%3D%22127.0.0.2%3A$TLS%22; sed -i '/^#/d; s/\".*\"/DATE/' known; cat known",
      shows: "h1 127.0.0.2 TLS DATE"),
  ]
}

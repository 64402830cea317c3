/// The lines about HTTP proxies, most of them a real squid. The recording server reports the received requests.
extension ComparedLine {
  static let proxies = forwarding + tunnels + proxyLogins + exceptions

  private static let forwarding: [ComparedLine] = [
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID -A me $URL/hello", shows: "Via: 1.1 squid.test"),
    .ends(0, "curl -sS -x http://127.0.0.1:$SQUID http://behind-the-proxy.test:$PORT/hello", shows: "behind-the-proxy.test"),
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID --proxy-header 'X-Proxy: 1' -H 'X-Own: 2' $URL/hello", shows: "X-Proxy: 1"),
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID -d a=1 $URL/post $URL/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID -T text $URL/put"),
    .ends(0, "curl -sSL -x 127.0.0.1:$SQUID -u joe:pw $URL/other-host"),
    .ends(0, "http_proxy=http://127.0.0.1:$SQUID curl -sS http://behind-the-proxy.test:$PORT/hello -o out", shows: "Via: 1.1"),
  ]

  private static let tunnels: [ComparedLine] = [
    .ends(0, "curl -sS -p -x 127.0.0.1:$SQUID -w '%{http_connect}' $URL/hello", shows: "Hello, world!200"),
    .ends(0, "curl -sSi -p -x 127.0.0.1:$SQUID $URL/hello", shows: "HTTP/1.1 200 Connection established"),
    .ends(0, "curl -sSi -p --suppress-connect-headers -x 127.0.0.1:$SQUID $URL/hello"),
    .ends(0, "curl -sS -D head -p -x 127.0.0.1:$SQUID $URL/hello", shows: "HTTP/1.1 200 Connection established"),
    .ends(0, "curl -sS -D head --suppress-connect-headers -p -x 127.0.0.1:$SQUID $URL/hello"),
    .ends(0, "curl -sS -p -x 127.0.0.1:$SQUID --proxy-header 'X-Proxy: 1' -H 'X-Own: 2' $URL/hello", shows: "X-Own: 2"),
    .ends(0, "curl -sS -p -x 127.0.0.1:$SQUID $URL/hello $URL/final -w '%{num_connects}'", shows: "the end\n0"),
    .ends(0, "curl -sS --http1.1 --cacert $CA -x 127.0.0.1:$SQUID $VALID_URL", shows: "name=localhost"),
    .ends(60, "curl -sS -x 127.0.0.1:$SQUID $VALID_URL"),
    .ends(0, "curl -sSik --http1.1 --suppress-connect-headers -o /dev/null -w '%{http_connect}' -x 127.0.0.1:$SQUID $VALID_URL"),
    .ends(56, "curl -sS -p -x $URL --proxy-header 'X-Proxy: 1' -H 'X-Own: 2' http://host.example/", shows: "X-Proxy: 1"),
    .ends(56, "curl -sS -p -x $URL -A me -U joe:pw -u own:pw http://host.example/", shows: "CONNECT host.example:80"),
    .ends(56, "curl -sS -p -x $URL --proxy-header 'User-Agent: other' --proxy-header 'Host: own' http://host.example/"),
    .ends(56, "curl -sS -x 127.0.0.1:$PORT https://host.example/", shows: "CONNECT host.example:443 HTTP/1.1"),
  ]

  private static let proxyLogins: [ComparedLine] = [
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID_BASIC -o /dev/null -w '%{http_code}' $URL/hello", shows: "407"),
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID_BASIC -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS -x user:password@127.0.0.1:$SQUID_BASIC $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID_BASIC -U other:wrong -o /dev/null -w '%{http_code}' $URL/hello", shows: "407"),
    .ends(0, "curl -sS --proxy-basic -x 127.0.0.1:$SQUID_BASIC -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(
      0, "curl -sS --proxy-digest -x 127.0.0.1:$SQUID_BASIC -U user:password -o /dev/null -w '%{http_code}' $URL/hello",
      shows: "407"),
    .ends(0, "curl -sS --proxy-anyauth -x 127.0.0.1:$SQUID_BASIC -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS -p -x 127.0.0.1:$SQUID_BASIC -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(56, "curl -sS -p -x 127.0.0.1:$SQUID_BASIC -o out -w '%{http_connect}' $URL/hello", shows: "407"),
    .ends(0, "curl -sS --proxy-digest -x 127.0.0.1:$SQUID_DIGEST -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(
      0, "curl -sS --proxy-digest -x 127.0.0.1:$SQUID_DIGEST -U other:wrong -o /dev/null -w '%{http_code}' $URL/hello",
      shows: "407"),
    .ends(
      0, "curl -sS -x 127.0.0.1:$SQUID_DIGEST -U user:password -o /dev/null -w '%{http_code}' $URL/hello", shows: "407"),
    .ends(0, "curl -sS --proxy-anyauth -x 127.0.0.1:$SQUID_DIGEST -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS --proxy-digest -d a=1 -x 127.0.0.1:$SQUID_DIGEST -U user:password $URL/post", shows: "a=1"),
    .ends(0, "curl -sS -p --proxy-digest -x 127.0.0.1:$SQUID_DIGEST -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(56, "curl -sS -p --proxy-digest -x 127.0.0.1:$SQUID_DIGEST -U other:wrong $URL/hello"),
    .ends(
      0, "curl -sSk --http1.1 --proxy-anyauth -x 127.0.0.1:$SQUID_DIGEST -U user:password $VALID_URL", shows: "name=localhost"),
    .ends(0, "curl -sS --proxy-ntlm -x 127.0.0.1:$SQUID_NTLM -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS -x 127.0.0.1:$SQUID_NTLM -U user:password -o /dev/null -w '%{http_code}' $URL/hello", shows: "407"),
    .ends(0, "curl -sS -p --proxy-ntlm -x 127.0.0.1:$SQUID_NTLM -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS --proxy-anyauth -x 127.0.0.1:$SQUID_NTLM -U user:password $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS --proxy-ntlm -x $URL -U joe:pw http://host.example/x", shows: "Proxy-Authorization: NTLM TlRMTVNTUAAB"),
    .ends(0, "curl -sS --proxy-digest -x $URL -U joe:pw http://host.example/x"),
    .ends(0, "curl -sS --proxy-digest --proxy-basic -x $URL -U joe:pw http://host.example/x"),
    .ends(0, "curl -sS --proxy-basic --proxy-ntlm --no-proxy-ntlm -x $URL -U joe:pw http://host.example/x", shows: "Basic"),
    .ends(0, "curl -sS --proxy-anyauth -x 127.0.0.1:$SQUID -U joe:pw $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS --proxy-digest --no-proxy-digest -x $URL -U joe:pw http://host.example/x", shows: "Basic"),
    .ends(0, "curl -sS --ntlm -u joe:pw $URL/ntlm", shows: "welcome"),
    .ends(0, "curl -sS --ntlm -u joe:pw $URL/hello", shows: "Authorization: NTLM TlRMTVNTUAAB"),
    .ends(0, "curl -sS --ntlm -u 'DOMAIN\\joe:pw' $URL/ntlm", shows: "welcome"),
    .ends(0, "curl -sS -u joe:pw $URL/ntlm", shows: "Authorization: Basic"),
    .ends(0, "curl -sS --negotiate -u : $URL/negotiate", shows: "who?"),
    .ends(0, "curl -sS --negotiate -u joe:pw $URL/hello", shows: "Hello, world!"),
    .ends(0, "curl -sS --proxy-negotiate -U joe:pw -x $URL http://host.example/hello", shows: "Hello, world!"),
  ]

  private static let exceptions: [ComparedLine] = [
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy 127.0.0.1 $URL/hello"),
    .ends(7, "curl -sS -x 127.0.0.1:1 --noproxy 127.0.0.2,host.example $URL/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy 127.0.0.1 http://127.1:$PORT/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy 127.0.0.0/8 http://2130706433:$PORT/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy 127.0.0.1 http://0x7f.0.0.1:$PORT/hello"),
    .ends(7, "curl -sS -x 127.0.0.1:1 --noproxy 127.0.0.2 http://127.1:$PORT/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy 'host.example, 127.0.0.0/8' $URL/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy example --resolve host.example:$PORT:127.0.0.1 http://host.example:$PORT/hello"),
    .ends(0, "curl -sS -x 127.0.0.1:1 --noproxy .example --resolve host.example:$PORT:127.0.0.1 http://host.example:$PORT/hello"),
    .ends(7, "curl -sS -x 127.0.0.1:1 --noproxy ample --resolve host.example:$PORT:127.0.0.1 http://host.example:$PORT/hello"),
    .ends(7, "http_proxy=http://127.0.0.1:1 no_proxy=host.example curl -sS $URL/hello"),
    .ends(0, "http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 curl -sS $URL/hello"),
    .ends(7, "http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 curl -sS --noproxy '' $URL/hello"),
    .ends(0, "http_proxy=http://127.0.0.1:1 curl -sS --noproxy 127.0.0.1 $URL/hello"),
    .ends(0, "http_proxy=http://127.0.0.1:1 curl -sS -x '' $URL/hello"),
  ]
}

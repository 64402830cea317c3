/// Lines found by curl's own test suite, by topic.
extension ComparedLine {
  static let suite = slashes + resumptions + formTypes + proxyPaths + entityTags

  private static let slashes = [
    "curl -sSL $URL/slashes/0",
    "curl -sSL $URL/slashes/1",
    "curl -sSL $URL/slashes/3",
    "curl -sSL $URL/slashes/4",
    "curl -sSL $URL/slashes/5",
    "curl -sSL $URL/no-scheme/3",
    "curl -sSL $URL/no-scheme/4",
    "curl -sSL $URL/port-location",
    "curl -sS http:////127.0.0.1:$PORT/hello",
    "curl -sS http:/127.0.0.1:$PORT/hello",
    "curl -sS http:///127.0.0.1:$PORT/hello",
    "curl -sS http:127.0.0.1:$PORT/hello",
  ]

  private static let resumptions = [
    "curl -sSf -C - -o part $URL/range-refused",
    "curl -sSf -C 5 $URL/range-refused",
    "curl -sSf -C - -o part $URL/status/416",
    "curl -sSf -C - -o none $URL/status/416",
    "curl -sSf -C - -o part $URL/range-odd",
    "curl -sS --fail-with-body -C - -o part $URL/range-refused",
    "curl -sSf -r 10- $URL/range-refused",
  ]

  private static let formTypes = [
    "curl -F a=1 -H 'Content-Type: text/plain' $URL/form",
    "curl -F a=1 -H 'Content-Type: application/x-own; charset=utf-8' $URL/form",
    "curl -F a=1 -H 'Content-Type: multipart/related' $URL/form",
    "curl -F a=1 -F file=@text -F 'files=@text,old' -H 'Content-Type: multipart/mixed; x=y' $URL/form",
    "curl -F a=1 -H 'Content-Type: multipart/form-data; x=y' $URL/form",
  ]

  private static let proxyPaths = [
    "curl -sS -x $URL/path http://h.example/hello",
    "curl -sS -x $URL/?q=1 http://h.example/hello",
    "curl -sS -x \"$URL?q=1#f\" http://h.example/hello",
    "curl -sS -x 127.0.0.1:$PORT/path/ http://h.example/hello",
    "curl -sS -x http://a:b@127.0.0.1:$PORT/path http://h.example/hello",
    "http_proxy=$URL/path curl -sS http://h.example/hello",
    "curl -sS -x socks5://127.0.0.1:1/path http://h.example/hello",
  ]

  private static let entityTags = [
    "curl -s --etag-save /nonexistent/x $URL/etag",
    "curl -s --etag-save . $URL/etag",
    "curl -s -f --etag-save saved $URL/status/404",
    "curl -s --etag-save saved http://127.0.0.1:1/",
  ]
}

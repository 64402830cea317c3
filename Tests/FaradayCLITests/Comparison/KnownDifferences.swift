extension ComparedLine {
  /// Lines that always differ, and why.
  static let known: [String: String] = [intended, refused, missing].reduce([:]) { $0.merging($1) { $1 } }

  /// They are to stay.
  private static let intended = [
    "curl --compressed $URL/gzip": "the codings are named in another order",
    "curl -u joe:pw -A me -e http://from/ -b a=1 -r 0-1 --compressed -H 'X-Own: 1' -d a=1 $URL/hello":
      "the codings of --compressed, and curl writes a Content-Range into a POST with -r",
    "curl --ignore-content-length $URL/close": "not supported: where a body ends must be certain",
    "curl --raw $URL/chunked": "not supported: bodies are always without the chunks' framing",
    "printf 12345678 | curl -T - -H 'Content-Length: 8' $URL/put":
      "curl 7.88 sends both Content-Length and Transfer-Encoding, which RFC 9112 forbids",
    "curl -sS -d @missing $URL/post": "curl 7.88 warns and sends an empty body, which overwrites what was to be changed",
    "curl -s -c saved $URL/cookies": "the comment of the file, and the order of the cookies",
    "curl -s -c - $URL/cookies": "the comment of the file, and the order of the cookies",
    "curl -s -b jar -c saved $URL/cookies $URL/hello": "the comment of the file, and the order of the cookies",
    "curl -sSL $URL/ftp-location": "there is no FTP here, so that a redirect to it is refused",
    "curl -sL -X PUT -d a=1 $URL/moved/302": "a method that is not POST is redirected with its body (RFC 9110, section 15.4.3)",
    "curl -X POST $URL/post": "a POST without a body has a Content-Length of 0, as RFC 9110, section 8.6, asks",
    "curl -sL $URL/login-there":
      "curl 7.88 sends the login of a Location to the host behind the next redirect too, and not to its own",
    "curl -sL $URL/login-location": foreignLogin,
    "curl -sL $URL/space-location": "a space in a Location is percent-encoded in the query too, as the URL standard asks",
    "curl -sL --path-as-is $URL/dots-location": "a Location is resolved without its dot segments (RFC 3986, section 5.2.4)",
    "curl -F a=1 -H 'Content-Type: text/plain' $URL/form": attachments,
    "curl -F a=1 -H 'Content-Type: application/x-own; charset=utf-8' $URL/form": attachments,
    "curl -F a=1 -H 'Content-Type: multipart/related' $URL/form": attachments,
    "curl -s -G --data-urlencode 'q=a/b?c=é' $URL/hello": escapes,
    "curl -s -G -d 'q=%2F%zz' $URL/hello?kept=%2F": escapes,
    "curl -s --url-query 'q=a/b' $URL/hello": escapes,
    "curl -s --http3 $URL/hello": lacking,
    "curl -s --dns-servers 127.0.0.1 $URL/hello": lacking,
    "curl -sSL $URL/gopher-location": unreadable,
    "curl -sSL $URL/slashes/0": unreadable,
    "curl -sSL $URL/slashes/4": unreadable,
    "curl -sSL $URL/slashes/5": unreadable,
    "curl -sSL $URL/no-scheme/4": unreadable,
    "curl -sSL $URL/port-location": unreadable,
    "curl -sS -w '%{http_code} %{response_code} %{exitcode}' $URL/broken-head": headless,
    "curl -s -p -x $URL http://open.example/broken-head -w '%{http_connect} %{exitcode} %{http_code}'": headless,
    "curl -sSL $URL/slashes/1": slashes,
    "curl -sSL $URL/slashes/3": slashes,
    "curl -sSL $URL/no-scheme/3": slashes,
    "curl -s -b a=1 -b b=2 $URL/hello": "a space follows the semicolon, as RFC 6265, section 4.2.1, asks",
    "curl -s -H 'X-Own:1' $URL/hello":
      "the space around a value is none of the value's (RFC 9110, section 5.5): there is one in front",
    "curl -s --aws-sigv4 aws:amz:us-east-1:s3 -u key:secret $URL/hello":
      "more fields are signed, with the body's hash, which S3 demands",
  ]

  private static let foreignLogin =
    "the user and password of a Location are not used: the server that redirects is not to choose them"
  private static let attachments = "the parts of a form are form data, whatever the type of the whole"
  private static let escapes = "percent-encoding has upper-case digits, as RFC 3986, section 2.1, asks"
  private static let unreadable = "a Location that is not a URL has the status of curl, in other words"
  private static let headless = "a response whose head is malformed has no status"
  private static let lacking = "an option that this libcurl lacks is 4, as an option that an adapter lacks"
  private static let slashes = "a Location with one or three slashes in front of its host has no host (RFC 3986, section 3)"

  /// Options that faraday refuses, because hardly anybody uses them.
  static let dropped = [
    "--tr-encoding", "--proxy1.0 127.0.0.1:$PORT", "--stderr -", "--rate 9/s", "--cert-status", "--false-start",
    "--curves X25519", "--tcp-fastopen", "--haproxy-protocol", "--doh-insecure", "--doh-cert-status", "--preproxy ''",
    "--socks5-gssapi", "--socks5-gssapi-nec", "--socks5-gssapi-service x", "--proxy-service-name x", "--service-name x",
    "--delegation none", "--key-type DER", "--proxy-key-type DER", "--pinnedpubkey text",
  ].map { "curl -s \($0) $URL/hello" }

  /// Options, and forms of values, that faraday refuses.
  private static let refused = Dictionary(
    (dropped + [
      "curl -F 'files=@text,old' $URL/form", "curl -F 'v=1;headers=\"X-Part: yes\"' $URL/form",
      "curl -F 'v=1;headers=@headers' $URL/form", "curl -F 'file=@binary;encoder=base64' $URL/form",
      "curl -F '=(;type=multipart/alternative' -F '=a' -F '=b;type=text/html' -F '=)' $URL/form",
      "curl -F a=1 -F file=@text -F 'files=@text,old' -H 'Content-Type: multipart/mixed; x=y' $URL/form",
      "curl -s -x $URL ftp://h.example/f -w ' %{http_code}'",
      "curl -s -w '%{num_certs} %{certs} %{proxy_ssl_verify_result}' $URL/hello", "curl -sS -w '%{json}' 'http://bad host/'",
    ]).map { ($0, "refused, because hardly anybody uses it") }, uniquingKeysWith: { first, _ in first })

  /// They are to go.
  private static let missing = [
    "curl -s --digest -u joe:pw -d a=1 $URL/digest": "the order of the fields of the body that is held back"
  ]

  /// Lines whose requests are compared without their connections, and why. Whether a connection is used again is a race between
  /// its close and the next request.
  static let racing = [
    "curl -sS -f $URL/status/404 $URL/hello": "curl closes the connection of a status that -f refuses",
    "curl -s --anyauth -u joe:pw $URL/basic": challenge,
    "curl -s --anyauth -u joe:pw $URL/digest": challenge,
    "curl -T text $URL/expect-refused": expectation,
    "curl -T big $URL/expect-refused": expectation,
  ]

  private static let expectation = "faraday uses a new connection for the second request, which has no Expect"
  private static let challenge = "faraday closes the challenge's connection"
}

extension ComparedLine {
  /// Lines that always differ, and why.
  static let known: [String: String] = intended.merging(missing) { $1 }

  /// They are to stay.
  private static let intended = [
    "curl --tr-encoding -H 'TE: trailers' $URL/hello": "a Connection field names TE, as RFC 9110, section 10.1.4, asks",
    "curl --compressed $URL/gzip": "the codings that this build can decode are asked for: br and zstd are not among them",
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
    "curl -sL -X PUT -d a=1 $URL/moved/302": "a PUT without a body has a Content-Length of 0, as RFC 9110 asks",
    "curl -X POST $URL/post": "a POST without a body has a Content-Length of 0, as RFC 9110, section 8.6, asks",
    "curl -sL $URL/login-there":
      "curl 7.88 sends the login of a Location to the host behind the next redirect too, and not to its own",
    "curl -sS --tr-encoding $URL/transfer-odd": "a transfer coding that nobody has asked for is malformed, and 56",
    "curl -s -b a=1 -b b=2 $URL/hello": "a space follows the semicolon, as RFC 6265, section 4.2.1, asks",
    "curl -s -H 'X-Own:1' $URL/hello":
      "the space around a value is none of the value's (RFC 9110, section 5.5): there is one in front",
    "curl -s --aws-sigv4 aws:amz:us-east-1:s3 -u key:secret $URL/hello":
      "more fields are signed, with the body's hash, which S3 demands",
  ]

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

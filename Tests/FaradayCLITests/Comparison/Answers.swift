import Foundation

/// An answer of the ``RecordingServer``.
struct Answer {
  var status = "200 OK"
  var fields: [String] = ["Content-Type: text/plain"]
  var body = Data()
  /// The whole answer, if it is not made of the above.
  var raw: String?
  /// Whether the body is sent in one chunk.
  var isChunked = false
  var closes = false

  init(_ body: String = "", _ status: String = "200 OK", _ fields: [String] = ["Content-Type: text/plain"]) {
    (self.body, self.status, self.fields) = (Data(body.utf8), status, fields)
  }

  static func moved(_ location: String) -> Answer { Answer("", "302 Found", ["Location: " + location]) }

  static func raw(_ text: String, closes: Bool = false) -> Answer {
    var answer = Answer()
    (answer.raw, answer.closes) = (text, closes)
    return answer
  }

  /// `PORT` in the text is the server's.
  func bytes(for request: RecordedRequest, port: Int) -> [UInt8] {
    if let raw { return Array(raw.utf8) }
    let lines = ["HTTP/1.1 \(status)"] + fields + (isChunked ? [] : ["Content-Length: \(body.count)"])
    let head = lines.map { $0.replacing("PORT", with: "\(port)") + "\r\n" }.joined() + "\r\n"
    guard request.method != "HEAD" else { return Array(head.utf8) }
    guard isChunked else { return Array(head.utf8) + Array(body) }
    return Array((head + String(body.count, radix: 16) + "\r\n").utf8) + Array(body) + Array("\r\n0\r\n\r\n".utf8)
  }
}

/// The responses of the ``RecordingServer``.
enum Answers {
  static let etag = "\"v1\""
  static let alphabet = "abcdefghijklmnopqrstuvwxyz"

  static func answer(to request: RecordedRequest) -> Answer {
    let path = request.path
    if request.method == "CONNECT" {
      return request.target.hasPrefix("open.") ? .raw("HTTP/1.1 200 Open\r\n\r\n") : Answer("no\n", "403 Forbidden")
    }
    if let code = number(in: path, after: "/status/") { return Answer("status \(code)\n", "\(code) Some Words") }
    if let count = number(in: path, after: "/redirect/") {
      return count > 0 ? Answer("more\n", "302 Found", ["Location: /redirect/\(count - 1)"]) : Answer("arrived\n")
    }
    if let count = number(in: path, after: "/slashes/") { return .moved("http:" + slashes(count) + "127.0.0.1:PORT/final") }
    if let count = number(in: path, after: "/no-scheme/") { return .moved(slashes(count) + "127.0.0.1:PORT/final") }
    if let code = number(in: path, after: "/moved/") { return Answer("moved\n", "\(code) Moved", ["Location: /final"]) }
    return fixed[path] ?? special(request) ?? Answer("you asked for \(path)\n")
  }

  private static func slashes(_ count: Int) -> String { String(repeating: "/", count: count) }

  private static func number(in path: String, after start: String) -> Int? {
    path.hasPrefix(start) ? Int(path.dropFirst(start.count)) : nil
  }

  private static func special(_ request: RecordedRequest) -> Answer? {
    switch request.path {
    case "/range": range(request["range"])
    case "/range-refused": Answer("", "416 Range Not Satisfiable", ["Content-Range: bytes */26"])
    case "/range-odd": Answer("odd\n", "416 Range Not Satisfiable", ["Content-Range: bytes 3-4/26"])
    case "/etag":
      request["if-none-match"] == etag
        ? .raw("HTTP/1.1 304 Not Modified\r\nETag: \(etag)\r\n\r\n")
        : Answer("fresh\n", "200 OK", ["ETag: \(etag)"])
    case "/dated":
      request["if-modified-since"] != nil
        ? .raw("HTTP/1.1 304 Not Modified\r\n\r\n")
        : Answer("dated\n", "200 OK", ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"])
    case "/digest":
      request["authorization"] != nil
        ? Answer("welcome\n")
        : Answer("who?\n", "401 Unauthorized", [#"WWW-Authenticate: Digest realm="r", nonce="n", algorithm=MD5"#])
    case "/basic":
      request["authorization"] != nil
        ? Answer("welcome\n")
        : Answer("who?\n", "401 Unauthorized", [#"WWW-Authenticate: Basic realm="r""#])
    case "/ntlm":
      request["authorization"]?.hasPrefix("NTLM") ?? false
        ? request["authorization"]?.count ?? 0 > 80
          ? Answer("welcome\n") : Answer("more\n", "401 Unauthorized", ["WWW-Authenticate: NTLM \(ntlmChallenge)"])
        : Answer("who?\n", "401 Unauthorized", ["WWW-Authenticate: NTLM"])
    case "/negotiate": Answer("who?\n", "401 Unauthorized", ["WWW-Authenticate: Negotiate"])
    case "/expect-refused": request.expectsContinue ? Answer("", "417 Expectation Failed", []) : Answer("taken\n")
    case "/transfer-gzip": transferCoded("gzip")
    case "/transfer-odd": transferCoded("odd")
    case "/gzip": request["accept-encoding"] != nil ? gzip : Answer("Hello, gzip!")
    default: nil
    }
  }

  /// The second message of NTLM: names of no target, and an eight-byte number.
  private static let ntlmChallenge = "TlRMTVNTUAACAAAAAAAAADAAAAABggAAAQIDBAUGBwgAAAAAAAAAAAAAAAAwAAAA"

  /// `Hello, gzip!`, compressed.
  private static var gzip: Answer {
    var answer = Answer("", "200 OK", ["Content-Encoding: gzip"])
    answer.body = Data(base64Encoded: "H4sIAAAAAAACA/NIzcnJ11FIr8osUAQAPj0PEAwAAAA=") ?? Data()
    return answer
  }

  private static func transferCoded(_ coding: String) -> Answer {
    var answer = gzip
    (answer.fields, answer.isChunked) = (["Transfer-Encoding: \(coding), chunked"], true)
    return answer
  }

  private static func range(_ range: String?) -> Answer {
    let letters = Array(alphabet.utf8)
    guard let bounds = range?.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false),
      bounds.count == 2, !bounds[1].contains(",")
    else { return Answer(alphabet) }
    let first = Int(bounds[0]) ?? letters.count - (Int(bounds[1]) ?? 0)
    let last = bounds[0].isEmpty ? letters.count - 1 : min(Int(bounds[1]) ?? letters.count - 1, letters.count - 1)
    guard first <= last else { return Answer("", "416 Range Not Satisfiable", ["Content-Range: bytes */26"]) }
    let part = String(decoding: letters[first...last], as: UTF8.self)
    return Answer(part, "206 Partial Content", ["Content-Range: bytes \(first)-\(last)/26"])
  }

  private static let fixed: [String: Answer] = [
    "/hello": Answer("Hello, world!"),
    "/modified": Answer("modified\n", "200 OK", ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"]),
    "/named/": Answer("named\n", "200 OK", ["Content-Disposition: attachment; filename=here.txt"]),
    "/to-https": Answer("", "302 Found", ["Location: https://127.0.0.1:1/x"]),
    "/to-ftp": Answer("", "302 Found", ["Location: ftp://h.example/file"]),
    "/to-nothing": Answer("", "302 Found", ["Location: /nothing"]),
    "/loud-location": Answer("", "302 Found", ["Location: HTTP://127.0.0.1:PORT/final"]),
    "/secure-cookie": Answer("", "302 Found", ["Set-Cookie: kept=1; Secure; Path=/", "Location: /final"]),
    "/port-location": .moved("http:80/final"),
    "/empty": Answer(""),
    "/final": Answer("the end\n"),
    "/odd-head": .raw("HTTP/1.1 200   Fine  \nX-LOUD:1\r\nx-quiet:   two  \nContent-Length:3\r\n\r\nodd"),
    "/chunked": .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n"),
    "/trailers": .raw(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n4\r\nbody\r\n0\r\nX-Sum: 12\r\n\r\n"),
    "/bad-chunks": .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", closes: true),
    "/hints": .raw(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhints"),
    "/cookies": Answer("baked\n", "200 OK", ["Set-Cookie: a=1; Path=/", "Set-Cookie: b=2; Path=/; HttpOnly"]),
    "/cookies-moved": Answer("", "302 Found", ["Set-Cookie: way=1; Path=/", "Location: /final"]),
    "/absolute": Answer("", "302 Found", ["Location: http://127.0.0.1:PORT/final"]),
    "/other-host": Answer("", "302 Found", ["Location: http://localhost:PORT/final"]),
    "/there": Answer("", "302 Found", ["Location: http://localhost:PORT/back"]),
    "/back": Answer("", "302 Found", ["Location: http://127.0.0.1:PORT/other-host"]),
    "/login-there": Answer("", "302 Found", ["Location: http://eve:x@localhost:PORT/back"]),
    "/self": Answer("", "302 Found", ["Location: /self"]),
    "/no-location": Answer("nowhere\n", "302 Found", []),
    "/empty-location": Answer("empty\n", "302 Found", ["Location: "]),
    "/login-location": Answer("more\n", "302 Found", ["Location: http://joe:p%20w@127.0.0.1:PORT/final"]),
    "/broken-head": .raw("HTTP/1.1 203 Non\r\nA: b\r\nno field\r\n\r\n", closes: true),
    "/space-location": Answer("", "302 Found", ["Location: /final?a b#c d"]),
    "/dots-location": Answer("", "302 Found", ["Location: /a/../final"]),
    "/ftp-location": Answer("", "302 Found", ["Location: ftp://127.0.0.1:1/x"]),
    "/gopher-location": Answer("", "302 Found", ["Location: foo://127.0.0.1:1/x"]),
    "/short": .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", closes: true),
    "/close": .raw("HTTP/1.1 200 OK\r\n\r\nuntil the close\n", closes: true),
    "/nothing": .raw("", closes: true),
    "/http09": .raw("just text\n", closes: true),
    "/http10": .raw("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nten", closes: true),
    "/http5": .raw("HTTP/5.0 200 OK\r\nContent-Length: 3\r\n\r\nsix", closes: true),
    "/named": Answer("named\n", "200 OK", [#"Content-Disposition: attachment; filename="given name.txt""#]),
    "/named-path": Answer("named\n", "200 OK", [#"Content-Disposition: attachment; filename=../../etc/evil.txt"#]),
    "/named-hidden": Answer("named\n", "200 OK", [#"Content-Disposition: attachment; filename=".hidden""#]),
    "/repeated": Answer("", "200 OK", ["X-A: 1", "x-a: 2", "X-B: \"quoted\\\""]),
  ]
}

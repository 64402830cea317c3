@_spi(Adapters) import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct TraceWriterTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The text written for these events.
  private func text(
    _ format: TraceWriter.Format, _ events: [(TraceEvent.Kind, String)], showsTime: Bool = false, showsSecrets: Bool = false
  ) throws -> String {
    let path = folder.file("trace")
    let writer = try TraceWriter(format, path: path, showsTime: showsTime, showsSecrets: showsSecrets)
    let handler = writer.handler()
    for (kind, text) in events { handler(TraceEvent(kind, Data(text.utf8))) }
    return String(decoding: folder.read("trace") ?? Data(), as: UTF8.self)
  }

  @Test func `verbose lines have curl's marks`() throws {
    let events: [(TraceEvent.Kind, String)] = [
      (.text, "Trying\n"), (.headerOut, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), (.dataOut, "abc"), (.dataOut, "def"),
      (.headerIn, "HTTP/1.1 200 OK\r\n"), (.headerIn, "\r\n"), (.dataIn, "xy"), (.text, "half"), (.text, " line\n"),
    ]
    #expect(
      try text(.verbose, events)
        == "* Trying\n> GET / HTTP/1.1\r\n> Host: h\r\n> \r\n} [3 bytes data]\n< HTTP/1.1 200 OK\r\n< \r\n"
        + "{ [2 bytes data]\n* half line\n")
  }

  @Test func `an ASCII trace shows all bytes and breaks rows at line ends`() throws {
    let long = String(repeating: "x", count: 64)
    #expect(
      try text(.ascii, [(.text, "Hi\n"), (.headerOut, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), (.dataIn, "a\tb\n\(long)\r\ny")])
        == """
        == Info: Hi
        => Send header, 27 bytes (0x1b)
        0000: GET / HTTP/1.1
        0010: Host: h
        0019: 
        <= Recv data, 71 bytes (0x47)
        0000: a.b.\(String(repeating: "x", count: 60))
        0040: xxxx
        0046: y

        """)
  }

  @Test func `a line end after a full row adds no empty row`() throws {
    let row = String(repeating: "x", count: 64)
    #expect(try text(.ascii, [(.dataIn, "\(row)\r\ny")]) == "<= Recv data, 67 bytes (0x43)\n0000: \(row)\n0042: y\n")
  }

  @Test func `a hexadecimal trace has 16 bytes per row`() throws {
    #expect(
      try text(.hexadecimal, [(.dataIn, "0123456789abcdef\r\n")])
        == "<= Recv data, 18 bytes (0x12)\n0000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66 0123456789abcdef\n"
        + "0010: 0d 0a \(String(repeating: "   ", count: 14))..\n")
  }

  @Test func `the time precedes each line`() throws {
    #expect(try text(.verbose, [(.text, "Hi\n")], showsTime: true).contains(#/^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} \* Hi\n$/#))
  }

  private static let long = String(repeating: "x", count: 2000)

  @Test(arguments: [
    (TraceEvent.Kind.headerOut, "Authorization: Basic am9l\r\nHost: h\r\n", "Authorization: Basic [secret]\r\nHost: h\r\n"),
    (.headerOut, "Cookie: a=1; b=2\r\n", "Cookie: [secret]\r\n"),
    (.headerIn, "set-cookie: a=1; Path=/\r\n", "set-cookie: [secret]\r\n"),
    (.headerOut, "X-Api-Key: abc\r\n", "X-Api-Key: [secret]\r\n"),
    (.headerOut, "Proxy-Authorization: opaque\r\n", "Proxy-Authorization: [secret]\r\n"),
    (.headerOut, "GET /a?token=abc&b=1 HTTP/1.1\r\n", "GET /a?token=[secret]&b=1 HTTP/1.1\r\n"),
    (.headerIn, "Location: http://u:p@h/?token=x\r\n", "Location: http://h/?token=[secret]\r\n"),
    (.text, "Server auth using Basic with user 'joe'\n", "Server auth using Basic with user [secret]\n"),
    (.text, "h2h3 [authorization: Bearer abc]\n", "h2h3 [authorization: Bearer [secret]]\n"),
    (.text, "[HTTP/2] [1] [cookie: s=hunter2[x:1]]\n", "[HTTP/2] [1] [cookie: [secret]]\n"),
    (.text, "[HTTP/3] [0] [authorization: Basic am9l]\n", "[HTTP/3] [0] [authorization: Basic [secret]]\n"),
    (.text, "[HTTP/2] [1] [:path: /x?token=abc]\n", "[HTTP/2] [1] [:path: /x?token=[secret]]\n"),
    (.text, "h2h3 [:path: /x?token=abc&a=1]\n", "h2h3 [:path: /x?token=[secret]&a=1]\n"),
    (.text, "[HTTP/2] [1] [:authority: h:8443]\n", "[HTTP/2] [1] [:authority: h:8443]\n"),
    (.text, "[HTTP/2] [1] [:method: GET]\n", "[HTTP/2] [1] [:method: GET]\n"),
    (.headerIn, "Location:\r\n https://u:p@h/?token=x\r\n", "Location:\r\n[secret]\r\n"),
    (.headerIn, "X:\r\n https://u:p@h/?token=x\r\n", "X:\r\n https://h/?token=[secret]\r\n"),
    (.headerIn, "Link: </a>,\r\n </b?token=x>\r\n", "Link: </a>,\r\n[secret]\r\n"),
    (.text, "h2 [authorization: Bearer abc]\n", "h2 [authorization: Bearer [secret]]\n"),
    (.text, "h2h3 [authorization: Bearer \(long)\n", "h2h3 [authorization: Bearer [secret]\n"),
    (.text, "[HTTP/2] [1] [cookie: \(long)...\n", "[HTTP/2] [1] [cookie: [secret]\n"),
    (.text, "[HTTP/2] [1] [:path: /?token=\(long)\n", "[HTTP/2] [1] [:path: /?token=[secret]\n"),
    (.text, "[HTTP/2] [1] OPENED stream for https://h/?token=x\n", "[HTTP/2] [1] OPENED stream for https://h/?token=[secret]\n"),
    (
      .text, "Issue another request to this URL: 'http://u:p@h/x?key=1'\n",
      "Issue another request to this URL: 'http://h/x?key=[secret]'\n"
    ),
    (
      .headerIn, "Set-Cookie: a=1;\r\n b=2\r\n\tc\r\nX: d\r\n e\r\n",
      "Set-Cookie: [secret]\r\n[secret]\r\n[secret]\r\nX: d\r\n e\r\n"
    ),
    (.headerIn, "Set-Cookie : a=1\r\n", "Set-Cookie: [secret]\r\n"),
    (.headerOut, "Host: h\r\nX-Plain:  1 \r\n", "Host: h\r\nX-Plain:  1 \r\n"),
  ])
  func `traces redact credentials`(_ kind: TraceEvent.Kind, _ line: String, _ shown: String) throws {
    var last = TraceRedaction.LastLine()
    let redacted = TraceRedaction().redacted(TraceEvent(kind, Data(line.utf8)), after: &last)
    #expect(String(decoding: redacted, as: UTF8.self) == shown)
    let all = try text(.verbose, [(kind, line)], showsSecrets: true)
    #expect(all.replacing("> ", with: "").replacing("< ", with: "").replacing("* ", with: "") == line)
  }

  @Test func `credentials beside bytes that are not UTF-8 are redacted`() {
    let places: [(TraceEvent.Kind, before: String, after: String)] = [
      (.text, "[HTTP/2] [1] [cookie: s=", "hunter2]\n"), (.text, "[HTTP/2] [1] [:path: /", "?token=hunter2]\n"),
      (.text, "Issue another request to this URL: 'https://u:hunter2@h/", "'\n"),
      (.headerIn, "Location: https://h/?q=", "&token=hunter2\r\n"), (.headerIn, "X:\r\n https://u:hunter2@h/", "\r\n"),
    ]
    for (kind, before, after) in places {
      var last = TraceRedaction.LastLine()
      let event = TraceEvent(kind, Data(before.utf8) + [0xE9] + Data(after.utf8))
      let shown = String(decoding: TraceRedaction().redacted(event, after: &last), as: UTF8.self)
      #expect(!shown.contains("hunter2"), "\(shown)")
    }
    var last = TraceRedaction.LastLine()
    let plain = Data("X: caf".utf8) + [0xE9, 0x0A]
    #expect(TraceRedaction().redacted(TraceEvent(.headerIn, plain), after: &last) == plain)
  }

  /// libcurl reports a head of more than 64 KiB in several events.
  @Test(arguments: [
    ["GET / HTTP/1.1\r\nAuthorization: Bearer hun", "ter2\r\nX: 1\r\n\r\n"],
    ["GET / HTTP/1.1\r\nAuthori", "zation: Bearer hunter2\r\nX: 1\r\n\r\n"],
    ["GET /?token=hun", "ter2 HTTP/1.1\r\nX: 1\r\n\r\n"], ["GET http://h/?tok", "en=hunter2 HTTP/1.1\r\nX: 1\r\n\r\n"],
    ["GET / HTTP/1.1\r\nReferer: https://h/?tok", "en=hunter2\r\nX: 1\r\n\r\n"],
    ["GET / HTTP/1.1\r\nCookie: a=hun", "ter", "2\r\nX: 1\r\n\r\n"],
  ])
  func `a credential that is cut by the end of an event is redacted`(events: [String]) throws {
    let shown = try text(.verbose, events.map { (.headerOut, $0) })
    #expect(!shown.contains("hun") && !shown.contains("ter") && shown.hasSuffix("> X: 1\r\n> \r\n"), "\(shown)")
  }

  @Test func `parallel transfers do not end each other's credentials`() throws {
    let writer = try TraceWriter(.verbose, path: folder.file("trace"))
    let (one, other) = (writer.handler(), writer.handler())
    one(TraceEvent(.headerOut, Data("GET / HTTP/1.1\r\nCookie: a=hun".utf8)))
    other(TraceEvent(.headerOut, Data("GET / HTTP/1.1\r\nX: 1\r\n\r\n".utf8)))
    one(TraceEvent(.headerOut, Data("ter2\r\n\r\n".utf8)))
    let shown = String(decoding: folder.read("trace") ?? Data(), as: UTF8.self)
    #expect(!shown.contains("hun") && !shown.contains("ter") && shown.contains("X: 1"), "\(shown)")
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct TextLinesTests {
  private func response(_ pieces: [Data], type: String? = nil) throws -> Response {
    Response(
      status: .ok, headers: type.map { [.contentType: $0] } ?? [:],
      body: .stream(
        AsyncStream { source in
          for piece in pieces { source.yield(piece) }
          source.finish()
        }), url: try Request("http://host/").url)
  }

  private func response(_ text: String, type: String? = nil) throws -> Response { try response([Data(text.utf8)], type: type) }

  @Test func `an unknown charset and UTF-16 are errors with their names`() async throws {
    for (name, charset) in [
      ("koi8-r", "koi8-r"), ("utf-16", "utf-16be"), (String(repeating: "x", count: 10_000), String(repeating: "x", count: 64)),
    ] {
      let (lines, error) = await all(try response("a\nb", type: "text/plain; charset=\(name)").lines())
      #expect(lines.isEmpty && error as? BodyError == BodyError(.undecodableText(charset: charset)))
    }
    for mark in [[0xFE, 0xFF], [0xFF, 0xFE]] as [[UInt8]] {
      #expect(await all(try response([Data(mark + [0, 0x61])]).lines()).error is BodyError)
    }
  }

  @Test func `a line over the limit is an error after the earlier lines, and ends the sequence`() async throws {
    var lines = try response("1\n12345\n2\n").lines(upTo: 4).makeAsyncIterator()
    #expect(try await lines.next() == "1")
    await #expect(throws: BodyError(.lineTooLong(limit: 4))) { try await lines.next() }
    #expect(try await lines.next() == nil)
  }

  @Test(
    arguments: [("", []), ("a", ["a"]), ("a\n", ["a"]), ("\na\r\nb\rc", ["", "a", "b", "c"]), ("ä\n€", ["ä", "€"])]
      as [(String, [String])])
  func `lines are strings, whatever the pieces are`(text: String, expected: [String]) async throws {
    for pieces in [[Data(text.utf8)], text.utf8.map { Data([$0]) }] {
      let (lines, error) = await all(try response(pieces).lines())
      #expect(lines == expected && error == nil)
    }
  }

  @Test func `lines are decoded by their charset, without a byte order mark`() async throws {
    let latin = try response([Data([0xE4, 0x0A, 0xF6])], type: "text/plain; charset=iso-8859-1")
    #expect(await all(latin.lines()).elements == ["ä", "ö"])
    let marked = try response([Data([0xEF, 0xBB]), Data([0xBF, 0x61, 0x0A, 0x62])], type: "text/plain; charset=iso-8859-1")
    #expect(await all(marked.lines()).elements == ["a", "b"])
    #expect(await all(try response([Data([0x61, 0xFF, 0x0A])]).lines()).elements == ["a\u{FFFD}"])
  }

  @Test func `each iteration requests a connection's lines, streamed, and an unsuccessful status is an error`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/log", body: "a\nb\n")
    try mock.stub(.post, path: "/gone", status: .gone, body: "no")
    var connection = try Connection("http://host/", adapter: mock)
    connection.defaults.timeouts.total = .seconds(3)
    let lines = connection.lines("log", query: ["follow": true])
    for _ in 0..<2 { #expect(await all(lines).elements == ["a", "b"]) }
    let sent = mock.recorded.map(\.request)
    #expect(
      sent.allSatisfy { $0.options.delivery == .streamed && $0.options.timeouts.total == nil && $0.url.query() == "follow=true" })
    let gone = connection.lines("gone", method: .post, body: "x") { $0.headers[.accept] = "text/plain" }
    let error = await all(gone).error as? StatusError
    #expect(error?.status == .gone && error?.response.body.data == Data("no".utf8))
    #expect(mock.recorded.last?.request.headers[.accept] == "text/plain")
    #expect(await all(connection.lines("{x}", variables: [:])).error is InvalidValueError)
  }
}

import Faraday
import FaradayTesting
import TestSupport
import Testing

/// The cases of the web platform tests, `eventsource/format-*`, by their names.
@Suite struct EventStreamFormatTests {
  /// A message as their server sends it: a line end of its own follows.
  private func parse(_ message: String, newline: String = "\n\n") -> [ServerSentEvent] {
    let bytes = Array((message + newline + "\n").utf8)
    let whole = Parsed([bytes])
    #expect(Parsed(bytes.map { [$0] }) == whole)
    return whole.events
  }

  private func data(_ message: String, newline: String = "\n\n") -> [String] { parse(message, newline: newline).map(\.data) }

  @Test func `format-bom`() { #expect(data("\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3") == ["1", "3"]) }

  @Test func `format-bom-2`() { #expect(data("\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3") == ["2", "3"]) }

  @Test func `format-comments`() {
    let long = String(repeating: "x", count: 2048)
    #expect(data("data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:fail\r:\(long)\ndata:4\n", newline: "") == ["1\n2\n3\n4"])
  }

  @Test func `format-data-before-final-empty-line`() {
    let parsed = Parsed("retry:1000\ndata:test1\n\nid:test\ndata:test2\n")
    #expect(parsed.events == [ServerSentEvent(data: "test1")] && parsed.lastEventID == "")
  }

  @Test func `format-field-data`() { #expect(data("data:\n\ndata\ndata\n\ndata:test") == ["", "\n", "test"]) }

  @Test func `format-field-event`() {
    #expect(parse("event:test\ndata:x\n\ndata:x") == [ServerSentEvent(type: "test", data: "x"), ServerSentEvent(data: "x")])
  }

  @Test func `format-field-event-empty`() { #expect(parse("event: \ndata:data") == [ServerSentEvent(data: "data")]) }

  @Test func `format-field-id-3`() {
    let persists = parse("id: 1\ndata: 1\n\ndata: 2\n\nid: 2\ndata:3\n\ndata:4")
    #expect(persists.map(\.id) == ["1", "1", "2", "2"] && persists.map(\.data) == ["1", "2", "3", "4"])
    for reset in ["id:", "id"] {
      #expect(parse("id: 1\ndata: 1\n\n\(reset)\ndata:2\n\ndata:3").map(\.id) == ["1", "", ""])
    }
  }

  @Test(arguments: ["\0\0", "x\0", "\0x", "x\0x", " \0"]) func `format-field-id-null`(id: String) {
    #expect(parse("id: \(id)\ndata: hello").map(\.id) == [""])
    #expect(parse("id: 1\nid: \(id)\ndata: hello").map(\.id) == ["1"])
  }

  @Test func `format-field-parsing`() {
    let message = "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n"
    #expect(data(message, newline: "") == ["\0\n 2\n1\n3\n\n4"])
  }

  @Test func `format-field-retry`() { #expect(Parsed("retry:03000\ndata:x\n\n").retry == .seconds(3)) }

  @Test func `format-field-retry-bogus`() { #expect(Parsed("retry:3000\nretry:1000x\ndata:x\n\n").retry == .seconds(3)) }

  @Test func `format-field-retry-empty`() {
    let parsed = Parsed("retry\ndata:test\n\n")
    #expect(parsed.data == ["test"] && parsed.retry == nil)
  }

  @Test func `format-field-unknown`() {
    #expect(data("data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test") == ["test\n\ntest"])
  }

  @Test func `format-leading-space`() { #expect(data("data:\ttest\rdata: \ndata:test") == ["\ttest\n\ntest"]) }

  @Test func `format-newlines`() { #expect(data("data:test\r\ndata\ndata:test\r\n\r", newline: "") == ["test\n\ntest"]) }

  @Test func `format-null-character`() { #expect(data("data:\0\n\n\n\n") == ["\0"]) }

  // MARK: of responses

  private func events(type: String?, _ body: Body = "data: ok…\n\n") async throws -> [ServerSentEvent] {
    var response = Response(status: .ok, body: body, url: try Request("http://host/").url)
    response.headers[.contentType] = type
    var events: [ServerSentEvent] = []
    for try await event in response.events() { events.append(event) }
    return events
  }

  @Test(arguments: ["x bogus", "text/x-bogus", "text/event-streams", "", nil] as [String?])
  func `format-mime-bogus and format-mime-valid-bogus`(type: String?) async throws {
    let error = await #expect(throws: EventStreamError.self) { try await events(type: type) }
    #expect(error?.reason == .contentType(type))
  }

  @Test(arguments: ["text/event-stream;", "text/event-stream", "Text/Event-Stream ; charset=x"])
  func `format-mime-trailing-semicolon`(type: String) async throws {
    #expect(try await events(type: type).map(\.data) == ["ok…"])
  }

  @Test func `format-utf-8`() async throws {
    #expect(try await events(type: "text/event-stream;charset=windows-1252").map(\.data) == ["ok…"])
  }

  /// The server of these cases: sends an ID first, and then the requested ID.
  @Test(arguments: TestedAdapter.allCases) func `format-field-id and format-field-id-2`(tested: TestedAdapter) async throws {
    let server = try MockServer { request in
      let body = request.headers[.lastEventID].map { "data: \($0)\n\n" } ?? "id: …\nretry: 200\ndata: hello\n\n"
      return .text(body, type: MediaType("text", "event-stream"))
    }
    let clock = ManualClock()
    let connection = try Connection(server.url, adapter: tested.adapter)
    var events: [ServerSentEvent] = []
    for try await event in connection.events("/", reconnects: .automatic(clock: InstantClock(clock))) {
      events.append(event)
      if events.count == 3 { break }
    }
    #expect(events.map(\.id) == ["…", "…", "…"] && events.map(\.data) == ["hello", "…", "…"])
    #expect(clock.slept == [.milliseconds(200), .milliseconds(200)])
  }
}

import Faraday
import FaradayTesting
import Testing

/// The events and the remaining state after parsing bytes.
struct Parsed: Equatable {
  var events: [ServerSentEvent] = []
  var lastEventID = ""
  var retry: Duration?
  var error: EventStreamError.Reason?

  init(_ pieces: [[UInt8]], limits: EventStreamLimits = EventStreamLimits(), lastEventID id: String = "") {
    var parser = EventStreamParser(limits: limits, lastEventID: id)
    do {
      for piece in pieces {
        parser.append(Data(piece))
        while let event = try parser.next() { events.append(event) }
      }
    } catch {
      self.error = (error as? EventStreamError)?.reason
    }
    (lastEventID, retry) = (parser.lastEventID, parser.retry)
  }

  init(_ text: String, limits: EventStreamLimits = EventStreamLimits(), lastEventID id: String = "") {
    self.init([Array(text.utf8)], limits: limits, lastEventID: id)
  }

  var data: [String] { events.map(\.data) }
}

@Suite struct EventStreamParserTests {
  // MARK: limits

  @Test(arguments: ["data: 12", "data: 123456", ": comments count", "data: 123456\n\n", "\u{FEFF}123456"])
  func `a line over the limit is an error, with or without its end and in any pieces`(text: String) {
    let start = "data: 1\n\n"
    let limits = EventStreamLimits(line: 7)
    let bytes = Array((start + text).utf8)
    for parsed in [Parsed([bytes], limits: limits), Parsed(bytes.map { [$0] }, limits: limits)] {
      #expect(parsed.error == .lineTooLong(limit: 7) && parsed.data == ["1"])
    }
    #expect(Parsed(start + text, limits: EventStreamLimits(line: 40)).error == nil)
  }

  @Test func `an event over the limit is an error after the earlier events`() {
    let text = "data: 1\n\ndata: 1234\ndata: 5678\n\ndata: 2\n\n"
    #expect(Parsed(text, limits: EventStreamLimits(event: 10)).data == ["1", "1234\n5678", "2"])
    let parsed = Parsed(text, limits: EventStreamLimits(event: 9))
    #expect(parsed.data == ["1"] && parsed.error == .eventTooLarge(limit: 9))
  }

  @Test func `after an error the parser repeats the error and returns no event`() throws {
    var parser = EventStreamParser(limits: EventStreamLimits(line: 7))
    parser.append(Data("data: 123456\n\ndata: 1\n\n".utf8))
    for _ in 0..<2 { #expect(throws: EventStreamError.self) { try parser.next() } }
    parser.append(Data("\n\ndata: 1\n\n".utf8))
    #expect(throws: EventStreamError.self) { try parser.next() }
    parser.restart()
    parser.append(Data("data: 1\n\n".utf8))
    #expect(try parser.next()?.data == "1")
  }

  @Test func `limits of zero and less are errors and do not trap`() {
    for limit in [0, -1, Int.min] {
      #expect(Parsed("data: 1\n\n", limits: EventStreamLimits(line: limit)).error == .lineTooLong(limit: limit))
      #expect(Parsed("data: 1\n\n", limits: EventStreamLimits(event: limit)).error == .eventTooLarge(limit: limit))
    }
  }

  // MARK: pieces

  @Test func `the events do not depend on how the bytes are split`() {
    let text = "\u{FEFF}id: 1\r\ndata: grüß\r\n\r\n:\rdata: a\rdata: 🦆\r\revent: x\nretry: 5\ndata\n\nid: 2\n\ndata: lost"
    let bytes = Array(text.utf8)
    let whole = Parsed([bytes])
    #expect(
      whole.events == [
        ServerSentEvent(data: "grüß", id: "1"), ServerSentEvent(data: "a\n🦆", id: "1"),
        ServerSentEvent(type: "x", data: "", id: "1"),
      ])
    #expect(whole.lastEventID == "2" && whole.retry == .milliseconds(5))
    for first in 0...bytes.count {
      for second in first...bytes.count {
        #expect(Parsed([Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]) == whole)
      }
    }
    #expect(Parsed(bytes.map { [$0] }) == whole)
  }

  @Test func `bytes appended before the last ones are parsed are joined`() throws {
    var parser = EventStreamParser()
    for byte in "data: 1\r\n\r\ndata: 2\r\r".utf8 { parser.append(Data([byte])) }
    #expect(try parser.next()?.data == "1")
    parser.append(Data("\ndata: 3\n\n".utf8))
    #expect(try parser.next()?.data == "2")
    #expect(try parser.next()?.data == "3")
    #expect(try parser.next() == nil)
  }

  @Test func `an event that ends with CR is delivered before the next byte`() throws {
    var parser = EventStreamParser()
    parser.append(Data("data: 1\r\r".utf8))
    #expect(try parser.next()?.data == "1")
    parser.append(Data("\ndata: 2\n".utf8))
    #expect(try parser.next() == nil)
    parser.append(Data("\n".utf8))
    #expect(try parser.next()?.data == "2")
  }

  @Test func `a resumed stream keeps ID and retry, and drops the incomplete event`() throws {
    var parser = EventStreamParser()
    parser.append(Data("id: 7\nretry: 9\ndata: 1\n\nid: 8\nevent: x\ndata: lo".utf8))
    #expect(try parser.next()?.data == "1")
    #expect(try parser.next() == nil)
    parser.restart()
    #expect(parser.lastEventID == "7" && parser.retry == .milliseconds(9))
    parser.append(Data("\u{FEFF}data: 2\n\n".utf8))
    #expect(try parser.next() == ServerSentEvent(data: "2", id: "7"))
  }

  // MARK: fields

  @Test func `invalid UTF-8 becomes U+FFFD, even where a line or an event splits a character`() {
    let bytes: [UInt8] = Array("data: a".utf8) + [0xF0, 0x9F, 0x0A] + Array("data: ".utf8) + [0xFF, 0x62, 0x0A, 0x0A]
    #expect(Parsed([bytes]).data == ["a\u{FFFD}\n\u{FFFD}b"])
    #expect(Parsed(bytes.map { [$0] }).data == ["a\u{FFFD}\n\u{FFFD}b"])
  }

  @Test(
    arguments: [
      ("0", .zero), ("007", .milliseconds(7)), ("1000", .seconds(1)), ("", nil), ("-1", nil), ("+1", nil), ("1.5", nil),
      (" 1", .milliseconds(1)), ("  1", nil),
      ("1 ", nil), ("x", nil), ("1x", nil), ("٣", nil), ("99999999999999999999999999", .milliseconds(1_000_000_000_000)),
    ] as [(String, Duration?)]) func `a retry time consists of digits`(text: String, retry: Duration?)
  {
    #expect(Parsed("retry:\(text)\n").retry == retry)
    #expect(Parsed("retry: 3\nretry:\(text)\n").retry == retry ?? .milliseconds(3))
  }

  @Test func `field names are compared case-sensitively and completely`() {
    #expect(Parsed("Data: 1\nDATA: 2\n data: 3\ndat: 4\ndata2: 5\ndata : 6\n\n").events == [])
    #expect(Parsed("ID: 1\nData: 2\ndata: x\n\n").events == [ServerSentEvent(data: "x")])
  }

  @Test func `no bytes, empty lines and empty chunks are not events`() {
    #expect(Parsed([]) == Parsed("") && Parsed("").events == [])
    #expect(Parsed("\n\r\r\n\n\n").events == [])
    #expect(Parsed([[], Array("data: 1\n".utf8), [], [0x0A], []]).data == ["1"])
  }

  @Test func `an ID without data is not an event, but counts after its empty line`() {
    #expect(Parsed("id: 1\n").lastEventID == "")
    #expect(Parsed("id: 1\n\n") == Parsed("id: 1\n\nid: 2"))
    #expect(Parsed("id: 1\n\n").lastEventID == "1")
  }

  @Test func `an event type applies to one event`() {
    #expect(Parsed("event: a\n\ndata: 1\n\nevent: b\ndata: 2\n\ndata: 3\n\n").events.map(\.type) == ["message", "b", "message"])
    #expect(Parsed("event: a\nevent: b\ndata: 1\n\n").events.map(\.type) == ["b"])
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Event streams over a real connection, over both adapters.
@Suite struct EventStreamWireTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

  private let clock = ManualClock()

  private var automatic: EventStream.Reconnection { .automatic(clock: InstantClock(clock)) }

  @Test(arguments: TestedAdapter.allCases, [7, 2026] as [UInt64])
  func `10,000 events over 50 truncated connections arrive without loss or duplicates`(
    tested: TestedAdapter, seed: UInt64
  ) async throws {
    let server = try ResumingServer(count: 10_000, cuts: 50, seed: seed)
    let connection = try Connection(server.url, adapter: tested.adapter)
    let interruptions = Log<EventStream.Interruption>()
    var reconnection = automatic
    reconnection.onReconnect = { interruptions.append($0) }
    var number = 0
    var wrong = 0
    for try await event in connection.events("/", reconnects: reconnection) {
      number += 1
      let (type, data) = ResumingServer.event(number)
      if event != ServerSentEvent(type: type, data: data, id: "\(number)") { wrong += 1 }
      // A server with wrong requests would never end.
      if number > 10_000 { break }
    }
    let tally = server.tally
    #expect(number == 10_000 && wrong == 0)
    #expect(tally.cuts == 50 && tally.connections == 51 && interruptions.elements.count == 51)
    #expect(tally.cutsInEvents > 25 && tally.cutsInCharacters >= 10)
  }

  @Test(arguments: TestedAdapter.allCases) func `an event is delivered before the next one is sent`(tested: TestedAdapter)
    async throws
  {
    let gates = [Gate(), Gate(), Gate()]
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head)
      for (number, gate) in gates.enumerated() {
        try connection.send("data: \(number)\r\r")
        gate.wait()
      }
    }
    let connection = try Connection(server.url, adapter: tested.adapter)
    var number = 0
    for try await event in connection.events("/", reconnects: .never) {
      #expect(event.data == "\(number)")
      gates[number].open()
      number += 1
    }
    #expect(number == 3)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `leaving the loop or dropping the iterator closes the connection`(tested: TestedAdapter) async throws {
    for isLoop in [true, false] {
      let isLeft = Gate()
      let server = try RawServer { connection in
        _ = try connection.readHead()
        try connection.send(Self.head + "data: 1\n\n")
        connection.waitForClose()
        isLeft.open()
      }
      let stream = try Connection(server.url, adapter: tested.adapter).events("/")
      if isLoop {
        for try await event in stream where event.data == "1" { break }
      } else {
        var iterator: EventStream.AsyncIterator? = stream.makeAsyncIterator()
        _ = try await iterator?.next()
        iterator = nil
      }
      #expect(await isLeft.opened())
      #expect(server.connectionCount == 1)
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the values of events release the connection at their sentinel, before the iterator ends`(tested: TestedAdapter)
    async throws
  {
    let isLeft = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "data: 1\n\ndata: [DONE]\n\n")
      connection.waitForClose()
      isLeft.open()
    }
    let stream = try Connection(server.url, adapter: tested.adapter).events("/", as: Int.self, until: "[DONE]")
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == nil)
    #expect(await isLeft.opened())
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a task cancelled while it waits for an event closes the connection`(tested: TestedAdapter) async throws {
    let (isSent, isLeft) = (Gate(), Gate())
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "data: 1\n\n: waiting")
      isSent.open()
      connection.waitForClose()
      isLeft.open()
    }
    let stream = try Connection(server.url, adapter: tested.adapter).events("/", reconnects: automatic)
    let task = Task { await all(stream) }
    #expect(await isSent.opened())
    task.cancel()
    #expect(await task.value.error is CancellationError)
    #expect(await isLeft.opened())
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a connection without heartbeat is replaced after its last event`(tested: TestedAdapter) async throws {
    // A connection that times out before its event arrives is made again with the same ID. So the server counts IDs, not connections.
    let seen = Log<Int>()
    let server = try RawServer { connection in
      let last = try connection.readHead().lowercased().firstMatch(of: #/\r\nlast-event-id: ([0-9]+)\r\n/#)
      let id = last.flatMap { Int($0.output.1) } ?? 0
      seen.append(id)
      try connection.send(Self.head + "id: \(id + 1)\ndata: 1\n\n")
      connection.waitForClose()
    }
    let connection = try Connection(server.url, adapter: tested.adapter)
    var ids: [String] = []
    let patient = EventStream.Reconnection.automatic(limit: .max, clock: InstantClock(clock))
    let stream = connection.events("/", reconnects: patient) { $0.options.timeouts.idle = .milliseconds(200) }
    for try await event in stream {
      ids.append(event.id)
      if ids.count == 3 { break }
    }
    #expect(ids == ["1", "2", "3"])
    #expect(seen.elements == seen.elements.sorted() && Set(seen.elements).isSuperset(of: [0, 1, 2]))
  }

  /// WHATWG HTML, section 9.2.3: the last event ID, encoded as UTF-8. Only NUL, CR and LF cannot be in it.
  @Test(arguments: TestedAdapter.allCases, ["a\u{1}b\u{1B}[0m\u{7F}c", "é\u{80}日", "a\tb  c", ":;,\"\\"])
  func `the bytes of an ID are sent back unchanged`(tested: TestedAdapter, id: String) async throws {
    let heads = Log<String>()
    let server = try RawServer { connection in
      heads.append(try connection.readHead())
      try connection.send(
        heads.elements.count == 1 ? Self.head + "id: \(id)\ndata: 1\n\n" : "HTTP/1.1 204 No Content\r\n\r\n")
      connection.close()
    }
    let connection = try Connection(server.url, adapter: tested.adapter)
    let (elements, error) = await all(connection.events("/", reconnects: automatic))
    #expect(elements.map { Array($0.id.utf8) } == [Array(id.utf8)] && error == nil)
    let sent = try #require(heads.elements.last)
    #expect(sent.lowercased().contains("last-event-id: \(id)\r\n".lowercased()), "\(sent.debugDescription)")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a cross-origin redirect gets the last event ID and no credentials`(tested: TestedAdapter) async throws {
    let other = try MockServer(
      .text("id: 9\ndata: 1\n\n", type: MediaType("text", "event-stream")), .status(.noContent))
    let moved = Response.redirect(to: other.url + "/moved", status: .temporaryRedirect)
    let first = try MockServer(moved, moved)
    let connection = try Connection(
      first.url, headers: ["Authorization": "Bearer hidden"], adapter: tested.adapter, middleware: [.redirects()])
    let (elements, error) = await all(connection.events("/", headers: ["Last-Event-ID": "8"], reconnects: automatic))
    #expect(elements == [ServerSentEvent(data: "1", id: "9")] && error == nil)
    for (server, line, authorization) in [(first, "GET /", "Bearer hidden"), (other, "GET /moved", nil)]
      as [(MockServer, String, String?)]
    {
      #expect(server.recorded.map(\.line) == [line, line])
      #expect(server.recorded.map { $0.headers[.lastEventID] } == ["8", "9"])
      #expect(
        server.recorded.allSatisfy { $0.headers[.authorization] == authorization && $0.headers[.accept] == "text/event-stream" })
    }
    #expect(!other.recorded.contains { $0.headers.contains { $0.value.contains("hidden") } })
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an event of a compressed stream is delivered before the next one is sent`(tested: TestedAdapter) async throws {
    let isRead = Gate()
    let server = try RawServer { connection in
      let head = try connection.readHead().lowercased()
      guard head.contains("accept-encoding: gzip") else { return }
      let bytes = Gzip.stored(Array("data: 1\n\ndata: 2\n\n".utf8))
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n")
      // The trailer has eight bytes.
      try connection.send(Array(bytes.prefix(bytes.count - 8 - 3)))
      isRead.wait()
      try connection.send(Array(bytes.suffix(8 + 3)))
    }
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: .standard)
    guard connection.stack.capabilities.contains(.encodedBodies) else { return }
    var data: [String] = []
    for try await event in connection.events("/", reconnects: .never) {
      data.append(event.data)
      isRead.open()
    }
    #expect(data == ["1", "2"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a token stream is requested once, and its interruption is thrown`(tested: TestedAdapter) async throws {
    let server = try MockServer(.events(["1", "2", "[DONE]"]).cut(after: "data: 1\n\ndata: 2\n\ndata: [DONE]".utf8.count))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: .standard)
    let stream = connection.events("/chat", as: Int.self, method: .post, body: .encodable(["ask": 1]), until: "[DONE]")
    let (elements, error) = await all(stream)
    #expect(elements == [1, 2] && (error as? TransportError)?.isTransient == true)
    #expect(server.connectionCount == 1)
    #expect(server.recorded.map { [$0.line, $0.text] } == [["POST /chat", #"{"ask":1}"#]])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `lines of JSON arrive as they are sent, and leaving the loop closes the connection`(tested: TestedAdapter) async throws {
    let (isRead, isLeft) = (Gate(), Gate())
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n1\r\n\n2")
      isRead.wait()
      try connection.send("3\n")
      connection.waitForClose()
      isLeft.open()
    }
    var numbers: [Int] = []
    for try await number in try Connection(server.url, adapter: tested.adapter).elements("/", as: Int.self, framing: .lines) {
      numbers.append(number)
      isRead.open()
      if numbers.count == 2 { break }
    }
    #expect(numbers == [1, 23])
    #expect(await isLeft.opened())
  }
}

@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import TestServers
import Testing

@Suite struct ExchangeEventTests {
  private let events = Log<ExchangeEvent>()

  private func adapter(maximumPooledConnectionsPerOrigin: Int = 64) -> CurlAdapter {
    var configuration = CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: maximumPooledConnectionsPerOrigin)
    configuration.onEvent = { [events] in events.append($0) }
    return CurlAdapter(configuration)
  }

  private func phases(of exchange: Int? = nil) -> [ExchangeEvent.Phase] {
    events.elements.filter { exchange == nil || $0.exchange == exchange }.map(\.phase)
  }

  @Test func `events report a new connection and a reused one`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: adapter())
    _ = try await connection.get("hello")
    let first = events.elements
    #expect(first.map(\.phase) == [.started, .resolved, .connected, .headSent, .firstByte, .head, .end])
    #expect(Set(first.map(\.exchange)).count == 1 && first.allSatisfy { $0.method == .get && $0.origin == server.url })
    #expect(first.map(\.time) == first.map(\.time).sorted() && first.allSatisfy { $0.time >= .zero })
    #expect(first.map(\.status) == [nil, nil, nil, nil, nil, 200, 200] && first.allSatisfy { $0.error == nil })
    let address = server.url.replacing("http://", with: "")
    let used = try #require(first.last?.connection)
    #expect(!used.isReused && used.remoteAddress == address && first[2].connection == used && first[1].connection == nil)

    _ = try await connection.get("hello")
    let second = events.elements.dropFirst(first.count)
    #expect(second.map(\.phase) == [.started, .headSent, .firstByte, .head, .end])
    let kept = try #require(second.last?.connection)
    #expect(kept.id == used.id && kept.isReused && second.first?.exchange != first.first?.exchange)
  }

  @Test(arguments: [0, 1, 2]) func `events report the end of the request body`(kind: Int) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      // A chunk of 1000 bytes and the last one, for the stream.
      _ = try connection.read(exactly: [4, 1 << 20, 5 + 1000 + 2 + 5][kind])
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let pieces = AsyncStream<Data> { continuation in
      continuation.yield(Data(repeating: 0x61, count: 1000))
      continuation.finish()
    }
    let body: Body = [.text("body"), .data(Data(repeating: 0x61, count: 1 << 20)), .stream(pieces)][kind]
    _ = try await Connection(server.url + "/", adapter: adapter()).post(body: body)
    #expect(phases() == [.started, .resolved, .connected, .headSent, .bodySent, .firstByte, .head, .end])
    server.stop()
  }

  @Test func `events distinguish queued and started requests`() async throws {
    let mayAnswer = Gate()
    let server = try RawServer { connection in
      while true {
        _ = try connection.readHead()
        mayAnswer.wait()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let connection = try Connection(server.url + "/", adapter: adapter(maximumPooledConnectionsPerOrigin: 1))
    let tasks = (0..<2).map { _ in Task { try await connection.get() } }
    await until { events.elements.contains { $0.phase == .queued } }
    mayAnswer.open()
    for task in tasks { _ = try await task.value }
    let waited = events.elements.first { $0.phase == .queued }?.exchange
    #expect(phases(of: waited) == [.queued, .started, .headSent, .firstByte, .head, .end])
    server.stop()
  }

  @Test func `every exchange has one end event with its error`() async throws {
    let refused = try RefusedPort()
    let adapter = adapter()
    let port = refused.port
    await #expect(throws: TransportError.self) { try await Connection("http://127.0.0.1:\(port)/", adapter: adapter).get() }
    #expect(phases() == [.started, .resolved, .end])
    #expect((events.elements.last?.error as? TransportError)?.code == .connectionFailed)

    let before = events.elements.count
    let server = try endlessAnswer()
    let task = Task { try await Connection(server.url + "/", adapter: adapter).get() }
    await until { events.elements.last?.phase == .head }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await until { events.elements.last?.phase == .end }
    let cancelled = events.elements.dropFirst(before)
    #expect(cancelled.count { $0.phase == .end } == 1 && cancelled.last?.error is CancellationError)

    _ = await adapter.shutdown(deadline: .now)
    let late = events.elements.count
    await #expect(throws: TransportError.self) { try await Connection(server.url + "/", adapter: adapter).get() }
    #expect(events.elements.dropFirst(late).map(\.phase) == [.end])
    server.stop()
  }

  @Test func `the TLS handshake event follows the TCP event of a new connection`() async throws {
    let nginx = try NginxServer()
    defer { nginx.stop() }
    var defaults = Options()
    defaults.tls = TLS(caFile: nginx.caFile)
    let connection = try Connection(nginx.url, defaults: defaults, adapter: adapter())
    _ = try await connection.get("connection")
    let first = events.elements
    #expect(first.map(\.phase) == [.started, .resolved, .connected, .secured, .headSent, .firstByte, .head, .end])
    // libcurl before 8.0 gives the times of both handshakes as one.
    #expect(first.map(\.time) == first.map(\.time).sorted())
    _ = try await connection.get("connection")
    #expect(events.elements.dropFirst(first.count).map(\.phase) == [.started, .headSent, .firstByte, .head, .end])
  }

  @Test func `a request that cannot be prepared has an end event and is counted`() async throws {
    let adapter = adapter()
    let connection = try Connection("http://socket.test/", adapter: adapter)
    let error = try await transportError {
      try await connection.get {
        $0.options.network.unixSocket = "/tmp/any"
        $0.options.addressPolicy = .publicOnly
      }
    }
    #expect(phases() == [.end] && (events.elements.last?.error as? TransportError)?.code == error.code)
    #expect(adapter.statistics.errors == [error.code: 1] && adapter.statistics.active == 0 && adapter.statistics.queued == 0)
  }

  /// Sends a head and the first byte of a body, and no more.
  private func endlessAnswer() throws -> RawServer {
    try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n1")
      connection.waitForClose()
    }
  }
}

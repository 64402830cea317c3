@testable import FaradayCurl
@_spi(Adapters) import FaradayCore
import FaradayTesting
import Foundation
import Testing

@Suite struct StatisticsTests {
  /// Answers each request with `ok` when its gate is open.
  private func server(_ gate: Gate) throws -> RawServer {
    try RawServer { connection in
      while true {
        let head = try connection.readHead()
        if head.hasPrefix("POST") { _ = try connection.read(exactly: 4) }
        gate.wait()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  @Test func `connections are counted by origin when opened, in use, kept and closed`() async throws {
    let mayAnswer = Gate()
    let server = try server(mayAnswer)
    let adapter = CurlAdapter()
    #expect(adapter.statistics == AdapterStatistics())
    let connection = try Connection(server.url + "/", adapter: adapter)
    let task = Task { try await connection.post(body: "body") }
    await until { adapter.statistics.connections == .init(open: 1, idle: 0, opened: 1) }
    #expect(adapter.statistics.active == 1 && adapter.statistics.queued == 0)
    mayAnswer.open()
    _ = try await task.value
    await until { adapter.statistics.connections.idle == 1 }
    _ = try await connection.get()
    await until { adapter.statistics.active == 0 }
    let after = adapter.statistics
    #expect(after.origins == [server.url: .init(open: 1, idle: 1, opened: 1)])
    #expect(after.completed == 2 && after.errors.isEmpty && after.cancelled == 0)
    #expect(after.bytesSent == 4 && after.bytesReceived == 4)
    _ = try await connection.get { $0.headers[.connection] = "close" }
    await until { adapter.statistics.connections.open == 0 }
    #expect(adapter.statistics.origins == [server.url: .init(open: 0, idle: 0, opened: 1)])
    server.stop()
  }

  @Test func `queued, running and cancelled requests are counted separately`() async throws {
    let mayAnswer = Gate()
    let server = try server(mayAnswer)
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: 1))
    let connection = try Connection(server.url + "/", adapter: adapter)
    let tasks = (0..<3).map { _ in Task { try await connection.get() } }
    await until { adapter.statistics.active == 1 && adapter.statistics.queued == 2 }
    let cancelled = Task { try await connection.get() }
    await until { adapter.statistics.queued == 3 }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await until { adapter.statistics.queued == 2 }
    #expect(adapter.statistics.cancelled == 1)
    mayAnswer.open()
    for task in tasks { _ = try await task.value }
    await until { adapter.statistics.active == 0 && adapter.statistics.queued == 0 }
    #expect(adapter.statistics.completed == 3)
    server.stop()
  }

  @Test func `errors are counted by code, and the counts survive JSON`() async throws {
    let refused = try RefusedPort()
    let broken = try RawServer.answering("nonsense\r\n\r\n")
    let adapter = CurlAdapter()
    for url in ["http://127.0.0.1:\(refused.port)/", "http://127.0.0.1:\(refused.port)/", broken.url + "/"] {
      await #expect(throws: TransportError.self) { try await Connection(url, adapter: adapter).get() }
    }
    let statistics = adapter.statistics
    #expect(statistics.errors[.connectionFailed] == 2 && statistics.errors[.malformedResponse] == 1)
    let json = try JSONEncoder().encode(statistics)
    #expect(String(decoding: json, as: UTF8.self).contains(#""connectionFailed":2"#))
    #expect(try JSONDecoder().decode(AdapterStatistics.self, from: json) == statistics)
    broken.stop()
  }

  @Test func `origins without open connections are forgotten when there are too many`() {
    let counters = EngineCounters()
    counters.origin("kept").open.add(1)
    for index in 0..<3 * EngineCounters.maximumOrigins { _ = counters.origin("\(index)") }
    #expect(counters.statistics.origins.count <= EngineCounters.maximumOrigins && counters.statistics.origins["kept"] != nil)
  }
}

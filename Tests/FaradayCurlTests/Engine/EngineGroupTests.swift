@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Foundation
import Testing

/// How requests are distributed over several engines.
@Suite struct EngineGroupTests {
  /// A server that answers when its gate is open.
  private func server(_ gate: Gate) throws -> RawServer {
    try RawServer { connection in
      while true {
        _ = try connection.readHead()
        gate.wait()
        try connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  private func adapter(engines: Int, perOrigin: Int) -> CurlAdapter {
    CurlAdapter(CurlAdapter.Configuration(threads: engines, maximumPooledConnectionsPerOrigin: perOrigin, proxy: .direct))
  }

  /// With its own engine alone there would be as many connections, and one thread.
  @Test(arguments: [(2, 4), (3, 5), (2, 64), (4, 3)])
  func `a busy origin uses all engines, within the connection limit of one origin`(engines: Int, perOrigin: Int)
    async throws
  {
    let mayAnswer = Gate()
    let server = try server(mayAnswer)
    let adapter = adapter(engines: engines, perOrigin: perOrigin)
    let connection = try Connection(server.url + "/", adapter: adapter)
    let threads = Log<UInt>()
    let count = perOrigin * 2
    let tasks = (0..<count).map { _ in
      Task {
        try await connection.get {
          $0.options.onInformational = { _ in threads.append(UInt(pthread_self())) }
        }
      }
    }
    await until { adapter.statistics.active == perOrigin && adapter.statistics.queued == count - perOrigin }
    await until { adapter.statistics.connections.open == perOrigin }
    mayAnswer.open()
    for task in tasks { #expect(try await task.value.status == .ok) }
    #expect(server.connectionCount == perOrigin)
    #expect(Set(threads.elements).count == min(engines, perOrigin))
    server.stop()
  }

  @Test func `sequential requests share one connection`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: adapter(engines: 3, perOrigin: 64))
    for _ in 0..<20 { _ = try await connection.get("hello") }
    #expect(server.connectionCount == 1)
    server.stop()
  }
}

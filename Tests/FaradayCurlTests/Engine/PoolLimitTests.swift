@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// The limits of the connection pool count idle connections, whatever requests they are for.
@Suite struct PoolLimitTests {
  /// Lets some time pass. libcurl measures how long a connection has been idle in milliseconds, and closes any of the oldest.
  private func letConnectionsAge() async {
    let start = ContinuousClock.now
    await until { start.duration(to: .now) >= .milliseconds(2) }
  }

  /// A server that notes which of its connections were closed.
  private func server(_ closed: Log<Int>) throws -> RawServer {
    try RawServer { connection in
      defer { closed.append(connection.index) }
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
  }

  @Test func `idle connections of requests with other options count in the origin's limit`() async throws {
    let closed = Log<Int>()
    let server = try server(closed)
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: 2))
    for index in 0..<40 {
      var request = try Request(server.url + "/")
      request.options.network.localAddress = "127.0.1.\(index)"
      #expect(try await adapter.send(request).status == .noContent)
      #expect(adapter.statistics.connections.open <= 2)
      await letConnectionsAge()
    }
    await until { closed.elements.count == 38 }
    #expect(closed.elements.sorted() == Array(0..<38), "the connections that were idle for longest are closed")
    server.stop()
  }

  @Test func `idle connections to other origins count in the pool's limit`() async throws {
    let closed = Log<Int>()
    let servers = try (0..<5).map { _ in try server(closed) }
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnections: 3))
    for server in servers {
      #expect(try await adapter.send(try Request(server.url + "/")).status == .noContent)
      #expect(adapter.statistics.connections.open <= 3)
      await letConnectionsAge()
    }
    await until { closed.elements.count == 2 }
    #expect(servers.map(\.connectionCount) == [1, 1, 1, 1, 1])
    // The latest ones are kept.
    for server in servers.suffix(3) { #expect(try await adapter.send(try Request(server.url + "/")).status == .noContent) }
    #expect(servers.map(\.connectionCount) == [1, 1, 1, 1, 1])
    for server in servers { server.stop() }
  }

  @Test func `failed connections do not reduce the limit`() async throws {
    let refused = try RefusedPort()
    let server = try server(Log())
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnections: 2))
    #expect(try await adapter.send(try Request(server.url + "/")).status == .noContent)
    for _ in 0..<20 {
      let error = try await transportError { try await adapter.send(try Request("http://127.0.0.1:\(refused.port)/")) }
      #expect(error.code == .connectionFailed)
    }
    #expect(adapter.statistics.connections.open == 1 && adapter.statistics.origins.keys.elementsEqual([server.url]))
    #expect(try await adapter.send(try Request(server.url + "/")).metrics.isConnectionReused)
    server.stop()
  }
}

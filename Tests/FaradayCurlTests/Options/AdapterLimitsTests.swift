@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// Limits of an adapter's configuration, and the wait for `100 Continue`, each where another value would be seen.
@Suite struct AdapterLimitsTests {
  /// Answers when the gate is open.
  private func server(_ arrived: Log<Int>, until mayAnswer: Gate) throws -> RawServer {
    try RawServer { connection in
      while true {
        _ = try connection.readHead()
        arrived.append(1)
        mayAnswer.wait()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
  }

  @Test(arguments: [1, 3]) func `the largest connection limits are no limits`(threads: Int) async throws {
    let server = try LocalServer()
    let configuration = CurlAdapter.Configuration(
      threads: threads, maximumPooledConnectionsPerOrigin: .max, maximumPooledConnections: .max)
    #expect(try await Connection(server.url, adapter: CurlAdapter(configuration)).get("hello").status == .ok)
  }

  @Test func `a request over a Unix socket ignores the proxy of the adapter`() async throws {
    let adapter = CurlAdapter(CurlAdapter.Configuration(proxy: .url("http://127.0.0.1:1")))
    let connection = try Connection("http://host/", adapter: adapter)
    for forbids in [true, false] {
      let error = try await transportError {
        try await connection.get {
          $0.options.network.unixSocket = "/nonexistent/socket"
          $0.options.addressPolicy = .publicOnly
          $0.options.addressPolicy?.allowsUnixSockets = !forbids
        }
      }
      #expect(error.code == (forbids ? .addressForbidden : .connectionFailed), "\(error)")
    }
  }

  @Test func `the total connection limit holds over all origins`() async throws {
    let (arrived, mayAnswer) = (Log<Int>(), Gate())
    let servers = try (0..<3).map { _ in try server(arrived, until: mayAnswer) }
    defer { servers.forEach { $0.stop() } }
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnections: 2))
    let connections = try servers.map { try Connection($0.url, adapter: adapter) }
    let held = connections.prefix(2).map { connection in Task { try await connection.get() } }
    await until { arrived.elements.count == 2 }
    let error = try await transportError {
      try await connections[2].get {
        $0.options.timeouts.queue = .milliseconds(50)
        $0.options.timeouts.total = .seconds(20)
      }
    }
    #expect(error.code == .queueTimeout && servers[2].connectionCount == 0, "\(error)")
    mayAnswer.open()
    for task in held { #expect(try await task.value.status == .noContent) }
  }

  @Test func `the connection cache has a maximum, and the oldest connection is closed for a new one`() async throws {
    let isClosed = Gate()
    let servers = try (0..<3).map { index in
      try RawServer { connection in
        _ = try connection.readHead()
        // libcurl tells the ages of connections in milliseconds.
        if index == 1 { try connection.pause(milliseconds: 5) }
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        connection.waitForClose()
        if index == 0 { isClosed.open() }
      }
    }
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnections: 2, idleConnectionTimeout: .seconds(3600)))
    for server in servers { #expect(try await Connection(server.url, adapter: adapter).get().status == .noContent) }
    #expect(await isClosed.opened())
    withExtendedLifetime((servers, adapter)) {}
  }

  @Test func `the buffer size limits how much is received at once`() async throws {
    let (server, sizes) = (try LocalServer(), Log<Int>())
    let connection = try server.connection(CurlAdapter.Configuration(receiveBufferSize: 2048))
    let response = try await connection.get("bytes/200000") {
      $0.options.onTrace = { if $0.kind == .dataIn { sizes.append($0.bytes.count) } }
    }
    #expect(response.body.length == 200_000)
    #expect(sizes.elements.reduce(0, +) == 200_000 && sizes.elements.allSatisfy { $0 <= 2048 })
  }

  /// The others are served by the same thread, so that it has had all the time to receive more.
  @Test func `a reader that does not read limits the received bytes to the buffer`() async throws {
    let server = try LocalServer()
    let adapter = CurlAdapter(CurlAdapter.Configuration(streamBufferSize: 64 << 10))
    let connection = try Connection(server.url + "/", adapter: adapter)
    let response = try await connection.get("bytes/50000000") { $0.options.delivery = .streamed }
    await until { adapter.statistics.bytesReceived >= 64 << 10 }
    for _ in 0..<200 { #expect(try await connection.get("hello").status == .ok) }
    #expect(adapter.statistics.bytesReceived < 512 << 10, "\(adapter.statistics.bytesReceived)")
    withExtendedLifetime(response) {}
  }

  /// Another request's total is the clock: it is longer than libcurl's own wait.
  @Test func `a body waits for 100 Continue for the configured time`() async throws {
    let (arrived, mayGoOn, sent) = (Log<Int>(), Gate(), Log<Int>())
    let server = try RawServer { connection in
      let head = try connection.readHead()
      arrived.append(1)
      guard head.hasPrefix("POST") else { return connection.waitForClose() }
      mayGoOn.wait()
      try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      _ = try connection.read(exactly: 8)
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    var configuration = CurlAdapter.Configuration()
    configuration.onEvent = { if $0.phase == .bodySent { sent.append(1) } }
    let connection = try server.connection(configuration)
    let asking = Task {
      try await connection.post(body: "the body") {
        $0.options.expectContinue = ExpectContinue(minimumBodySize: 0, timeout: .seconds(3600))
      }
    }
    await until { arrived.elements.count == 1 }
    let error = try await transportError { try await connection.get { $0.options.timeouts.total = .milliseconds(1300) } }
    #expect(error.code == .totalTimeout && sent.elements.isEmpty)
    mayGoOn.open()
    #expect(try await asking.value.status == .noContent)
    #expect(sent.elements.count == 1)
  }
}

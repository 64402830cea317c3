@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import TestServers
import Testing

/// Evicted connections and flushed DNS names.
@Suite struct EvictionTests {
  private let adapter = CurlAdapter(CurlAdapter.Configuration(proxy: .direct))

  /// A server that answers each request, and notes which connections were closed.
  private func answering(_ closed: Log<Int> = Log()) throws -> RawServer {
    try RawServer { connection in
      defer { closed.append(connection.index) }
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  @Test(arguments: [1, 3]) func `an eviction closes idle connections at once`(engines: Int) async throws {
    let adapter = CurlAdapter(CurlAdapter.Configuration(threads: engines, proxy: .direct))
    let closed = Log<Int>()
    let servers = try (0..<8).map { _ in try answering(closed) }
    for server in servers { #expect(try await adapter.send(Request(server.url + "/")).status == .ok) }
    #expect(adapter.statistics.connections.open == 8)
    adapter.evictIdleConnections()
    await until { closed.elements.count == 8 }
    await until { adapter.statistics.connections.open == 0 }
    for server in servers {
      #expect(try await adapter.send(Request(server.url + "/")).metrics.isConnectionReused == false)
      #expect(server.connectionCount == 2)
    }
  }

  @Test func `a request after an eviction opens a new connection, and the next request shares it`() async throws {
    let server = try answering()
    for round in 1...20 {
      let request = try Request(server.url + "/")
      #expect(try await adapter.send(request).metrics.isConnectionReused == false)
      #expect(try await adapter.send(request).metrics.isConnectionReused)
      #expect(server.connectionCount == round)
      adapter.evictIdleConnections()
    }
  }

  @Test func `an evicted connection in use is closed when its request ends`() async throws {
    let closed = Log<Int>()
    let gate = Gate()
    defer { gate.open() }
    let server = try RawServer { connection in
      defer { closed.append(connection.index) }
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
        if connection.index == 0 { gate.wait() }
        try connection.send("k")
      }
    }
    var request = try Request(server.url + "/")
    request.options.delivery = .streamed
    let response = try await adapter.send(request)
    adapter.evictIdleConnections()
    #expect(try await adapter.send(request).body.utf8Text() == "ok")
    #expect(closed.elements.isEmpty)
    gate.open()
    #expect(try await response.body.utf8Text() == "ok")
    await until { closed.elements == [0] }
    #expect(try await adapter.send(request).metrics.isConnectionReused)
    #expect(server.connectionCount == 2)
  }

  @Test func `an evicted connection that is being opened is closed after its request`() async throws {
    let closed = Log<Int>()
    let server = try answering(closed)
    let gate = Gate()
    NameLookup.add("evicted.test", gate: gate)
    let request = try Request("http://evicted.test:\(server.port)/")
    let first = Task { try await adapter.send(request) }
    await until { NameLookup.count("evicted.test") > 0 }
    adapter.evictIdleConnections()
    gate.open()
    #expect(try await first.value.status == .ok)
    #expect(try await adapter.send(request).status == .ok)
    #expect(server.connectionCount <= 2)
  }

  @Test func `requests after an eviction share a new connection while HTTP/2 streams use the old one`() async throws {
    guard adapter.capabilities.contains(.http2) else { return }
    let nghttpx = try NghttpxServer.shared.get()
    func request(_ path: String) throws -> Request {
      var request = try Request(nghttpx.url + path)
      request.options.httpVersion = .http2
      request.options.tls.caFile = nghttpx.caFile
      return request
    }
    var slow = try request("bytes/50000000")
    slow.options.delivery = .streamed
    let response = try await adapter.send(slow)
    adapter.evictIdleConnections()
    let adapter = adapter
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        let quick = try request("hello")
        group.addTask { _ = try await adapter.send(quick) }
      }
      try await group.waitForAll()
    }
    #expect(adapter.statistics.connections.opened == 2)
    #expect(try await response.body.collect(upTo: .max).count == 50_000_000)
    await until { adapter.statistics.connections.open == 1 }
  }

  @Test func `an eviction before the first request does nothing`() async throws {
    adapter.evictIdleConnections()
    adapter.flushDNSCache()
    let server = try answering()
    #expect(try await adapter.send(Request(server.url + "/")).status == .ok)
  }

  // MARK: names

  @Test func `a name is looked up again after a flush of the DNS cache`() async throws {
    let server = try answering()
    for name in ["flushed.test", "also-flushed.test"] { NameLookup.add(name) }
    // libcurl 8.20 looks up the addresses of each version of IP by themselves.
    var calls: [String: Int] = [:]
    func get(_ name: String) async throws {
      var request = try Request("http://\(name):\(server.port)/")
      request.headers[.connection] = "close"
      #expect(try await adapter.send(request).status == .ok)
    }
    for round in 1...5 {
      for name in ["flushed.test", "also-flushed.test"] {
        try await get(name)
        if round == 1 { calls[name] = NameLookup.count(name) }
        try await get(name)
        #expect(NameLookup.count(name) == round * calls[name, default: 0], "\(name)")
      }
      adapter.flushDNSCache()
    }
  }

  @Test func `all requests after a flush look up their names`() async throws {
    let server = try answering()
    let names = (0..<10).map { "flushed\($0).test" }
    for name in names { NameLookup.add(name) }
    let adapter = adapter
    func burst() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for name in names {
          var request = try Request("http://\(name):\(server.port)/")
          request.headers[.connection] = "close"
          group.addTask { [request] in _ = try await adapter.send(request) }
        }
        try await group.waitForAll()
      }
    }
    var calls: [String: Int] = [:]
    for round in 1...5 {
      try await burst()
      if round == 1 { calls = Dictionary(uniqueKeysWithValues: names.map { ($0, NameLookup.count($0)) }) }
      for name in names { #expect(NameLookup.count(name) == round * calls[name, default: 0], "\(name)") }
      adapter.flushDNSCache()
    }
  }

  @Test func `a flush keeps connections and host overrides`() async throws {
    let server = try answering()
    NameLookup.add("kept-by-flush.test")
    let kept = try Request("http://kept-by-flush.test:\(server.port)/")
    #expect(try await adapter.send(kept).status == .ok)
    adapter.flushDNSCache()
    #expect(try await adapter.send(kept).metrics.isConnectionReused)
    var given = try Request("http://given.invalid:\(server.port)/")
    given.options.network.hostOverrides = [HostOverride("given.invalid", addresses: ["127.0.0.1", "127.0.0.2"])]
    for _ in 0..<20 {
      adapter.flushDNSCache()
      #expect(try await adapter.send(given).status == .ok)
      adapter.evictIdleConnections()
    }
  }

  @Test func `requests concurrent with evictions each have one outcome`() async throws {
    let server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        if head.hasPrefix("POST") { _ = try connection.read(exactly: 4) }
        let text = head.firstMatch(of: #/ /([0-9]*) /#).map { String($0.output.1) } ?? ""
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
    let adapter = CurlAdapter(CurlAdapter.Configuration(threads: 2, maximumPooledConnectionsPerOrigin: 4, proxy: .direct))
    let outcomes = Log<Int>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for index in 0..<150 {
            let number = worker * 1000 + index
            var request = try Request("http://127.0.0.1:\(server.port)/\(number)")
            if number % 2 == 0 {
              request.method = .post
              request.body = .text("body")
            }
            let task = Task { [request] in try await adapter.send(request).body.utf8Text() }
            if number % 7 == 0 { task.cancel() }
            do {
              let text = try await task.value
              #expect(text == "\(number)")
              outcomes.append(number)
            } catch is CancellationError {
              #expect(number % 7 == 0)
              outcomes.append(number)
            } catch {
              Issue.record("\(number): \(error)")
            }
            if number % 3 == 0 { adapter.evictIdleConnections() }
            if number % 11 == 0 { adapter.flushDNSCache() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(outcomes.elements.count == 1200)
    adapter.evictIdleConnections()
    await until { adapter.statistics.connections.open == 0 }
    #expect(adapter.statistics.active == 0)
  }
}

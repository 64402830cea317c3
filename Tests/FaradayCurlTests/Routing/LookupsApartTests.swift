@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// Which requests wait for a DNS lookup that takes long, and which do not.
@Suite struct LookupsApartTests {
  private let adapter = CurlAdapter(CurlAdapter.Configuration(proxy: .direct))

  enum Kind: String, CaseIterable { case httpProxy, socksProxy, localSOCKSProxy, otherHost }

  private func stuckRequest(_ kind: Kind, _ host: String, to url: String) throws -> Request {
    var request = try Request(url)
    switch kind {
    case .httpProxy: request.options.proxy = .proxy(Proxy(.http, host: host, port: 8080))
    case .socksProxy: request.options.proxy = .proxy(Proxy(.socks5h, host: host))
    case .localSOCKSProxy: request.options.proxy = .proxy(Proxy(.socks5, host: host))
    case .otherHost: request.options.network.connectTo = [ConnectTo(toHost: host)]
    }
    return request
  }

  @Test(arguments: Kind.allCases)
  func `a request to an address does not wait for other lookups and is not affected by their failure`(kind: Kind) async throws {
    guard #available(macOS 26, *) else { return }
    let gate = Gate()
    defer { gate.open() }
    let host = "stuck-\(kind.rawValue.lowercased()).test"
    NameLookup.add(host, gate: gate, isFound: false)
    let server = try LocalServer()
    let stuck = try stuckRequest(kind, host, to: server.url + "/hello")
    let waiting = (0..<2).map { _ in Task.immediate { try await transportError { try await adapter.send(stuck) } } }
    await until { NameLookup.count(host) > 0 }
    let direct = (0..<4).map { _ in
      Task.immediate { try await adapter.send(Request(.post, url: try Request(server.url + "/echo").url)) }
    }
    for task in direct { #expect(try await task.value.status == .ok) }
    #expect(NameLookup.count(host) == 1)
    gate.open()
    for task in waiting {
      let error = try await task.value
      #expect([.proxyUnreachable, .nameNotFound].contains(error.code), "\(error)")
    }
    #expect(NameLookup.count(host) == 1)
    server.stop()
  }

  @Test func `requests to many hosts share the lookup of their proxy`() async throws {
    guard #available(macOS 26, *) else { return }
    let gate = Gate()
    NameLookup.add("shared-proxy.test", gate: gate)
    let proxy = try RawServer { connection in
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let tasks = (0..<30).map { index in
      Task.immediate {
        var request = try Request("http://host\(index).invalid/")
        request.options.proxy = .proxy(Proxy(.http, host: "shared-proxy.test", port: proxy.port))
        return try await adapter.send(request)
      }
    }
    await until { NameLookup.count("shared-proxy.test") > 0 && adapter.statistics.queued == 29 }
    gate.open()
    for task in tasks { #expect(try await task.value.status == .noContent) }
    #expect(NameLookup.count("shared-proxy.test") == 1)
    proxy.stop()
  }

  @Test func `requests for different address families of a host have separate lookups`() async throws {
    guard #available(macOS 26, *) else { return }
    let gate = Gate()
    defer { gate.open() }
    NameLookup.add("families.test", gate: gate, isFound: false)
    let tasks = [IPVersion.v4, .v6].map { version in
      Task.immediate {
        var request = try Request("http://families.test/")
        request.options.network.ipVersion = version
        return try await transportError { try await adapter.send(request) }
      }
    }
    await until { NameLookup.calls("families.test") == 2 }
    gate.open()
    for task in tasks { #expect(try await task.value.code == .nameNotFound) }
  }

  @Test func `after a cancelled lookup one request makes the next lookup for all`() async throws {
    guard #available(macOS 26, *) else { return }
    let gate = Gate()
    defer { gate.open() }
    NameLookup.add("cancelled.test", gate: gate)
    let server = try LocalServer()
    defer { server.stop() }
    let url = "http://cancelled.test:\(server.port)/hello"
    let leader = Task.immediate { try await adapter.send(Request(url)) }
    await until { NameLookup.count("cancelled.test") == 1 }
    let followers = (0..<10).map { _ in Task.immediate { try await adapter.send(Request(url)) } }
    await until { adapter.statistics.queued == 10 }
    leader.cancel()
    await #expect(throws: CancellationError.self) { try await leader.value }
    await until { NameLookup.count("cancelled.test") > 1 }
    gate.open()
    for task in followers { #expect(try await task.value.status == .ok) }
    #expect(NameLookup.count("cancelled.test") == 2)
  }

  /// Requests from two local addresses share the lookup, and no connections.
  @Test func `a request with a kept connection does not wait for the lookup of its host`() async throws {
    guard #available(macOS 26, *) else { return }
    for name in ["kept.test", "between.test"] { NameLookup.add(name) }
    // libcurl does not cache these failures.
    var configuration = CurlAdapter.Configuration(proxy: .direct)
    configuration.unsafeCustomize = { transfer, _ in try transfer.set("DNS_CACHE_TIMEOUT", 0) }
    let adapter = CurlAdapter(configuration)
    let server = try LocalServer()
    func request(_ host: String, from address: String) throws -> Request {
      var request = try Request("http://\(host):\(server.port)/hello")
      request.options.network.localAddress = address
      return request
    }
    #expect(try await adapter.send(try request("kept.test", from: "127.0.0.8")).status == .ok)
    // Only the latest lookup is remembered.
    #expect(try await adapter.send(try request("between.test", from: "127.0.0.8")).status == .ok)
    let gate = Gate()
    defer { gate.open() }
    NameLookup.add("kept.test", gate: gate)
    let other = try request("kept.test", from: "127.0.0.9")
    let waiting = Task.immediate { try await adapter.send(other) }
    await until { NameLookup.count("kept.test") == 1 }
    for _ in 0..<3 {
      let response = try await adapter.send(try request("kept.test", from: "127.0.0.8"))
      #expect(response.metrics.isConnectionReused)
    }
    gate.open()
    #expect(try await waiting.value.status == .ok)
    server.stop()
  }

  /// libcurl answers a challenge, or a response to a request whose body it held back, with another request. This one fails.
  @Test(arguments: ["200 OK", "401 Unauthorized\r\nWWW-Authenticate: Digest realm=a, nonce=b"])
  func `a request that cannot be sent does not get the previous response`(status: String) async throws {
    let name = "challenged-\(status.prefix(3)).test"
    NameLookup.add(name)
    let server = try RawServer { connection in
      _ = try connection.readHead()
      NameLookup.add(name, isFound: false)
      try connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    defer { server.stop() }
    // libcurl remembers no name.
    var configuration = CurlAdapter.Configuration(proxy: .direct)
    configuration.unsafeCustomize = { transfer, _ in try transfer.set("DNS_CACHE_TIMEOUT", 0) }
    var request = try Request(server.url.replacing("127.0.0.1", with: name))
    request.method = .post
    request.body = .data(Data("important".utf8))
    request.options.authentication = TransportAuthentication(user: "u", password: "p", schemes: .digest)
    let adapter = CurlAdapter(configuration)
    let error = await #expect(throws: TransportError.self) { try await adapter.send(request) }
    #expect(error?.code == .nameNotFound && error?.partialResponse == nil)
  }

  /// libcurl removes the addresses from its DNS cache when another request ends. The connection that answers a challenge needs them.
  @Test func `the addresses of a host are kept while its request needs them`() async throws {
    let mayAnswer = Gate()
    defer { mayAnswer.open() }
    let server = try RawServer { connection in
      let isAnswer = try connection.readHead().contains("Authorization: Digest")
      mayAnswer.wait()
      let head = isAnswer ? "200 OK" : "401 Unauthorized\r\nWWW-Authenticate: Digest realm=a, nonce=b"
      try connection.send("HTTP/1.1 \(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    defer { server.stop() }
    let other = try LocalServer()
    defer { other.stop() }
    var configuration = CurlAdapter.Configuration(proxy: .direct)
    configuration.unsafeCustomize = { transfer, request in
      if request.url.path == "/hello" { try transfer.set("DNS_CACHE_TIMEOUT", 0) }
    }
    let adapter = CurlAdapter(configuration)
    var request = try Request(server.url)
    request.options.network.hostOverrides = [HostOverride("*", addresses: ["127.0.0.1", "127.0.0.2"])]
    request.options.authentication = TransportAuthentication(user: "u", password: "p", schemes: .digest)
    let waiting = Task { [request] in try await adapter.send(request) }
    await until { adapter.statistics.connections.open == 1 }
    #expect(try await adapter.send(Request("http://127.0.0.1:\(other.port)/hello")).status == .ok)
    mayAnswer.open()
    #expect(try await waiting.value.status == .ok)
  }
}

@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Synchronization
import Testing

/// Host names that the program resolves itself.
@Suite struct ResolvedNamesTests {
  private struct Unknown: Error {}

  /// The hosts that were resolved.
  private let asked = Log<String>()

  private func adapter(
    policy: AddressPolicy? = nil, proxy: CurlAdapter.ProxySource = .direct, _ resolve: @escaping CurlAdapter.Resolver
  ) -> CurlAdapter {
    var configuration = CurlAdapter.Configuration(proxy: proxy, addressPolicy: policy)
    configuration.resolver = { [asked] host in
      asked.append(host)
      return try await resolve(host)
    }
    return CurlAdapter(configuration)
  }

  /// A server that responds with the requested host.
  private func server() throws -> RawServer {
    try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let host = head.firstMatch(of: #/Host: ([^\r]*)/#).map { String($0.output.1) } ?? ""
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)")
      }
    }
  }

  @Test func `a request connects to the resolver's addresses without a lookup`() async throws {
    let server = try server()
    NameLookup.add("resolved.test", isFound: false)
    for addresses in [["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]] {
      let adapter = adapter { _ in .init(addresses) }
      let response = try await adapter.send(Request("http://Resolved.test:\(server.port)/"))
      #expect(try await response.body.utf8Text().lowercased() == "resolved.test:\(server.port)")
    }
    #expect(asked.elements == ["resolved.test", "resolved.test"])
    #expect(NameLookup.count("resolved.test") == 0)
  }

  @Test func `the time of the resolver is not a time in the queue`() async throws {
    let server = try server()
    let adapter = adapter { _ in .init(["127.0.0.1"]) }
    let metrics = try await adapter.send(Request("http://resolved.test:\(server.port)/")).metrics
    #expect(metrics.queue == .zero)
  }

  @Test func `a burst calls the resolver once, and its answer is cached until it expires or is flushed`() async throws {
    let server = try server()
    let gate = Gate()
    let adapter = adapter { _ in
      await gate.opened()
      return ["127.0.0.1"]
    }
    let request = try Request("http://burst.resolved.test:\(server.port)/")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<30 { group.addTask { _ = try await adapter.send(request) } }
      await until { asked.elements.count == 1 }
      gate.open()
      try await group.waitForAll()
    }
    _ = try await adapter.send(request)
    #expect(asked.elements.count == 1)
    adapter.flushDNSCache()
    _ = try await adapter.send(request)
    _ = try await adapter.send(request)
    #expect(asked.elements.count == 2)
  }

  @Test func `an expired answer is resolved again, and reordered addresses share the connection`() async throws {
    let server = try server()
    let turn = Mutex(0)
    let adapter = adapter { _ in
      let turn = turn.withLock { turn in
        turn += 1
        return turn
      }
      let addresses = ["127.0.0.1", "127.0.0.2"]
      return .init(turn % 2 == 0 ? addresses : addresses.reversed(), timeToLive: .zero)
    }
    for round in 1...6 {
      let response = try await adapter.send(Request("http://expired.resolved.test:\(server.port)/"))
      #expect(response.metrics.isConnectionReused == (round > 1))
      #expect(asked.elements.count == round)
    }
  }

  @Test func `a failing resolver is reported as a name that is not found`() async throws {
    let failing = adapter { _ in throw Unknown() }
    let error = try await transportError { try await failing.send(Request("http://unknown.resolved.test/")) }
    #expect(error.code == .nameNotFound && error.phase == .resolving && error.underlying is Unknown, "\(error)")
    #expect(failing.statistics.errors.values.reduce(0, +) == 1)
    for addresses in [[], ["localhost"], ["127.0.0.1", "300.0.0.1"], ["127.0.0.1:80"], [""]] {
      let adapter = adapter { _ in .init(addresses) }
      let error = try await transportError { try await adapter.send(Request("http://unknown.resolved.test/")) }
      #expect(error.code == .nameNotFound && error.message.contains("resolver"), "\(error)")
    }
    _ = try? await failing.send(Request("http://unknown.resolved.test/"))
    #expect(asked.elements.count == 7)
  }

  @Test func `the address policy applies to resolved addresses`() async throws {
    let adapter = adapter(policy: .publicOnly) { _ in ["127.0.0.1"] }
    let error = try await transportError { try await adapter.send(Request("http://public.resolved.test/")) }
    #expect(error.code == .addressForbidden, "\(error)")
  }

  @Test func `the resolver is not called for a host with other addresses`() async throws {
    let server = try server()
    let adapter = adapter { _ in throw Unknown() }
    NameLookup.add("proxy.resolved.test")
    func get(_ url: String, _ edit: (inout Network) -> Void = { _ in }, proxy: Proxy? = nil) async throws {
      var request = try Request(url)
      edit(&request.options.network)
      if let proxy { request.options.proxy = .proxy(proxy) }
      #expect(try await adapter.send(request).status == .ok)
    }
    try await get(server.url + "/")
    try await get("http://given.resolved.test:\(server.port)/") {
      $0.hostOverrides = [HostOverride("given.resolved.test", addresses: ["127.0.0.1"])]
    }
    try await get("http://other.resolved.test:\(server.port)/") { $0.connectTo = [ConnectTo(toHost: "127.0.0.1")] }
    try await get("http://far.resolved.test/", proxy: Proxy(.http, host: "proxy.resolved.test", port: server.port))
    #expect(asked.elements == [])
    _ = try? await get("http://far.resolved.test/") { $0.connectTo = [ConnectTo(toHost: "Near.resolved.test")] }
    #expect(asked.elements == ["near.resolved.test"])
  }

  @Test func `a resolver that hangs times out and can be cancelled`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let adapter = adapter { _ in
      await gate.opened()
      return ["127.0.0.1"]
    }
    let timeouts: [(TransportError.Code, Timeouts)] = [
      (.connectTimeout, Timeouts(connect: .milliseconds(20))), (.totalTimeout, Timeouts(total: .milliseconds(20))),
    ]
    for (code, timeouts) in timeouts {
      let error = try await transportError {
        var request = try Request("http://silent.resolved.test/")
        request.options.timeouts = timeouts
        return try await adapter.send(request)
      }
      #expect(error.code == code && error.phase == .resolving, "\(error)")
    }
    let count = asked.elements.count
    let stuck = Task { try await adapter.send(Request("http://stuck.resolved.test/")) }
    await until { asked.elements.count > count }
    stuck.cancel()
    await #expect(throws: CancellationError.self) { try await stuck.value }
  }
}

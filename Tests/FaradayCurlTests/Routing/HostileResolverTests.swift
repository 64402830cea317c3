@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// A resolver whose answers an attacker chooses.
@Suite struct HostileResolverTests {
  private func adapter(policy: AddressPolicy? = nil, _ resolve: @escaping CurlAdapter.Resolver) -> CurlAdapter {
    var configuration = CurlAdapter.Configuration(proxy: .direct, addressPolicy: policy)
    configuration.resolver = resolve
    return CurlAdapter(configuration)
  }

  /// A server that answers with the number in the path.
  private func echo() throws -> RawServer {
    try RawServer { connection in
      while true {
        let head = try connection.readHead()
        if head.hasPrefix("POST") { _ = try connection.read(exactly: 4) }
        let text = head.firstMatch(of: #/ /([0-9]*) /#).map { String($0.output.1) } ?? ""
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
  }

  @Test(arguments: [
    ["::1%lo],127.0.0.1,[::2", "::3"], ["::1%a],127.0.0.1,[::2"], ["fe80::1%]:9,"], ["::1%a b"], ["::1%\r\n"], ["::1%"],
    ["[::1%x]"], ["::1%a\0"], ["::1%a/b"],
  ])
  func `an address with an invalid zone is refused`(addresses: [String]) async throws {
    let server = try echo()
    let adapter = adapter { _ in .init(addresses) }
    let isValid = addresses == ["[::1%x]"]
    do {
      let response = try await adapter.send(Request("http://zoned.test:\(server.port)/1"))
      Issue.record("it was answered by \(response.metrics.remoteAddress ?? "nobody")")
    } catch let error as TransportError {
      #expect((error.code == .nameNotFound && error.message.contains("not an IP address")) || isValid, "\(error)")
    }
  }

  @Test func `a transport error of the resolver becomes nameNotFound of the request`() async throws {
    let adapter = adapter { _ in
      var request = try Request("https://user:hidden@resolver.test/token")
      request.method = .get
      throw TransportError(.connectionClosed, phase: .waiting, method: .get, url: request.url, message: "resolver")
    }
    var request = try Request("http://unresolved.test/a")
    request.method = .post
    let error = try await transportError { try await adapter.send(request) }
    #expect(error.code == .nameNotFound && error.phase == .resolving && error.url.contains("unresolved.test"), "\(error)")
  }

  @Test(arguments: ["Near%61.test", "b\u{fc}cher.test"])
  func `the resolver gets the host of connectTo in any spelling`(host: String) async throws {
    let server = try echo()
    let asked = Log<String>()
    let adapter = adapter {
      asked.append($0)
      return ["127.0.0.1"]
    }
    var request = try Request("http://far.test:\(server.port)/1")
    request.options.network.connectTo = [ConnectTo(toHost: host)]
    let response = try await adapter.send(request)
    #expect(try await response.body.utf8Text() == "1")
    #expect(asked.elements.count == 1)
  }

  @Test func `a name can have thousands of addresses`() async throws {
    let server = try echo()
    let adapter = adapter { _ in .init((0..<5000).map { "127.0.\($0 / 250).\(1 + $0 % 250)" }) }
    for _ in 0..<3 {
      #expect(try await adapter.send(Request("http://many.test:\(server.port)/1")).body.utf8Text() == "1")
    }
  }

  @Test(arguments: ["::ffff:127.0.0.1", "::127.0.0.1", "0.0.0.0", "::", "[::1]", "64:ff9b::7f00:1", "169.254.169.254"])
  func `an address policy applies to every spelling of a resolved address`(address: String) async throws {
    let server = try echo()
    for addresses in [[address], [address, "127.0.0.2"]] {
      let adapter = adapter(policy: .publicOnly) { _ in .init(addresses) }
      let error = try await transportError { try await adapter.send(Request("http://spelled.test:\(server.port)/1")) }
      #expect(error.code == .addressForbidden, "\(error)")
    }
    #expect(server.connectionCount == 0)
  }

  @Test func `an address policy applies to each connection, even if the resolver changes its answer`() async throws {
    let server = try echo()
    let turn = Mutex(0)
    let adapter = adapter { _ in
      let turn = turn.withLock { turn in
        turn += 1
        return turn
      }
      return .init([turn % 2 == 0 ? "127.0.0.2" : "127.0.0.1"], timeToLive: .zero)
    }
    var policy = AddressPolicy(forbidden: [try IPAddressRange("127.0.0.2")])
    policy.allowsProxies = false
    for round in 1...6 {
      var request = try Request("http://rebound.test:\(server.port)/1")
      request.options.addressPolicy = policy
      let outcome = try? await adapter.send(request)
      #expect((outcome != nil) == (round % 2 == 1))
    }
  }

  @Test func `a request whose resolver responds after a drain is refused`() async throws {
    let server = try echo()
    let gate = Gate()
    let asked = Log<String>()
    let adapter = adapter {
      asked.append($0)
      await gate.opened()
      return ["127.0.0.1"]
    }
    let port = server.port
    let sent = Task { try await adapter.send(Request("http://drained.test:\(port)/1")) }
    await until { asked.elements.count == 1 }
    #expect(await adapter.shutdown(deadline: .now + .seconds(60)) == 0)
    gate.open()
    let error = await #expect(throws: TransportError.self) { try await sent.value }
    #expect(error?.code == .shuttingDown)
    #expect(server.connectionCount == 0)
  }
}

import Faraday
import FaradayCurl
import FaradayTesting
import Testing

/// The address policy applies to each hop: to redirect targets, and to names that change their address.
@Suite struct AddressPolicyHopsTests {
  /// 127.0.0.1 and no other local address.
  private func onlyOne() throws -> AddressPolicy {
    var policy = AddressPolicy.publicOnly
    policy.allowed = [try IPAddressRange("127.0.0.1/32")]
    return policy
  }

  enum Giver: CaseIterable { case request, adapter }

  /// A connection with the policy.
  private func connection(to url: String, _ giver: Giver, _ middleware: [any Middleware]) throws -> Connection {
    var (defaults, configuration) = (Options(), CurlAdapter.Configuration())
    let policy = try onlyOne()
    if giver == .request { defaults.addressPolicy = policy } else { configuration.addressPolicy = policy }
    return try Connection(url, defaults: defaults, adapter: CurlAdapter(configuration), middleware: middleware)
  }

  @Test(arguments: Giver.allCases, ["[::1]", "[::ffff:127.0.0.2]", "localtest.test"])
  func `a redirect to a forbidden address is not followed`(giver: Giver, host: String) async throws {
    let server = try LocalServer()
    let inner = try RawServer(on: .ipv6) { try $0.send("HTTP/1.1 204 No Content\r\n\r\n") }
    defer { inner.stop() }
    let connection = try connection(to: server.url + "/", giver, [.redirects()])
    let target = "http://\(host):\(inner.port)/"
    let error = try await transportError {
      try await connection.get("redirect-to", query: ["url": target]) {
        if host == "localtest.test" { $0.options.network.hostOverrides = [HostOverride(host, addresses: ["::1"])] }
      }
    }
    #expect(error.code == .addressForbidden, "\(error)")
    #expect(error.underlying is ForbiddenAddressError)
    #expect(server.requestCount == 1 && inner.connectionCount == 0)
  }

  @Test(arguments: Giver.allCases)
  func `a name that resolves to a forbidden address at the next attempt is refused`(giver: Giver) async throws {
    let busy = try RawServer.answering("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    defer { busy.stop() }
    let resolver = try Resolver { _, index in [127, 0, 0, index == 0 ? 1 : 2] }
    var policy = Retry.Policy()
    policy.backoff = { _ in .zero }
    let connection = try connection(to: "http://rebound.example:\(busy.port)/", giver, [Retry(policy)])
    let error = try await transportError {
      try await connection.get {
        $0.options.network.dnsOverHTTPS = resolver.url
        $0.options.tls.caFile = resolver.caFile
      }
    }
    #expect(error.code == .addressForbidden, "\(error)")
    let refused = try #require(error.underlying as? ForbiddenAddressError)
    #expect(refused.address == IPAddress("127.0.0.2") && busy.connectionCount == 1)
    #expect(resolver.names.elements == ["rebound.example", "rebound.example"])
  }
}

@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// Requests connect to the addresses of a DoH resolver if they are allowed.
@Suite struct DNSOverHTTPSTests {
  private func request(_ url: String, by resolver: Resolver) throws -> Request {
    var request = try Request(url)
    request.options.network.dnsOverHTTPS = resolver.url
    request.options.tls.caFile = resolver.caFile
    return request
  }

  @Test func `a request connects to the address that DNS over HTTPS returns`() async throws {
    let server = try LocalServer()
    let resolver = try Resolver { name, _ in name == "made-up.example" ? [127, 0, 0, 1] : nil }
    let adapter = CurlAdapter()
    let found = try request("http://made-up.example:\(server.port)/hello", by: resolver)
    #expect(try await adapter.send(found).body.utf8Text() == "Hello, world!")
    #expect(resolver.names.elements == ["made-up.example"])
    let missing = try request("http://other.example:\(server.port)/hello", by: resolver)
    let error = try await transportError { try await adapter.send(missing) }
    #expect(error.code == .nameNotFound && server.requestCount == 1, "\(error)")
  }

  @Test func `an https server at a DoH address needs a certificate for its name`() async throws {
    let resolver = try Resolver { _, _ in [127, 0, 0, 2] }
    let port = resolver.tlsPort
    var request = try request("https://made-up.example:\(port)/connection", by: resolver)
    let adapter = CurlAdapter()
    let error = try await transportError { [request] in try await adapter.send(request) }
    #expect(error.code == .tlsVerificationFailed, "\(error)")
    request.options.tls.verifiesHostName = false
    #expect(try await adapter.send(request).status == .ok)
    #expect(resolver.names.elements == ["made-up.example", "made-up.example"])
  }

  @Test func `a DoH resolver with an untrusted certificate is rejected`() async throws {
    let resolver = try Resolver { _, _ in [127, 0, 0, 1] }
    var request = try request("http://made-up.example/", by: resolver)
    request.options.tls.caFile = nil
    let error = try await transportError { [request] in try await CurlAdapter().send(request) }
    #expect(error.code == .nameNotFound && resolver.names.elements.isEmpty, "\(error)")
  }

  @Test(arguments: [[127, 0, 0, 1], [10, 0, 0, 1], [169, 254, 169, 254]] as [[UInt8]])
  func `a forbidden address is refused even if a DoH resolver returns it`(address: [UInt8]) async throws {
    let server = try LocalServer()
    let resolver = try Resolver { _, _ in address }
    var request = try request("http://public.example:\(server.port)/hello", by: resolver)
    request.options.addressPolicy = .publicOnly
    let error = try await transportError { [request] in try await CurlAdapter().send(request) }
    #expect(error.code == .addressForbidden, "\(error)")
    let refused = try #require(error.underlying as? ForbiddenAddressError)
    #expect(refused.address == IPAddress(address.map(String.init).joined(separator: ".")))
    #expect(resolver.names.elements == ["public.example"] && server.connectionCount == 0)
  }

  @Test func `DoH is used for a name that the system has resolved before`() async throws {
    NameLookup.add("cached.test")
    let server = try LocalServer()
    let resolver = try Resolver { _, _ in [127, 0, 0, 1] }
    let adapter = CurlAdapter()
    let url = "http://cached.test:\(server.port)/hello"
    #expect(try await adapter.send(try Request(url)).status == .ok)
    #expect(resolver.names.elements.isEmpty)
    #expect(try await adapter.send(try request(url, by: resolver)).status == .ok)
    #expect(resolver.names.elements == ["cached.test"] && NameLookup.count("cached.test") == 1)
  }
}

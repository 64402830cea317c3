@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Testing

/// What the requests to an origin share: its parsed URL, and connection options.
@Suite struct KnownOriginTests {
  private let direct = CurlAdapter.Configuration(proxy: .direct)

  /// A server that returns the request line of each request.
  private func server(on address: Loopback = .ipv4) throws -> RawServer {
    try RawServer(on: address) { connection in
      while true {
        let line = try connection.readHead().prefix { $0 != "\r\n" }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
      }
    }
  }

  @Test(arguments: [
    ("", "/"), ("?", "/?"), ("?a=b#f", "/?a=b"), ("#f", "/"), ("//x/../y/./", "//x/../y/./"),
    ("/%7e%2F?%c3%bc&", "/%7e%2F?%c3%bc&"),
    ("/%C3%BC", "/%C3%BC"), ("/a@b:c", "/a@b:c"),
  ])
  func `the path and query are sent unchanged`(path: String, target: String) async throws {
    let server = try server()
    let adapter = CurlAdapter()
    for start in ["http://127.0.0.1:\(server.port)", "HTTP://127.0.0.1:\(server.port)", "http://user@127.0.0.1:\(server.port)"] {
      let response = try await adapter.send(Request(start + path))
      #expect(try await response.body.utf8Text() == "GET \(target) HTTP/1.1", "\(start)")
    }
    #expect(server.connectionCount == 1, "all of them share the connection")
    server.stop()
  }

  @Test func `an IPv6 address is an origin too`() async throws {
    let server = try server(on: .ipv6)
    let response = try await CurlAdapter().send(Request("\(server.url)/x?y"))
    #expect(try await response.body.utf8Text() == "GET /x?y HTTP/1.1")
    server.stop()
  }

  @Test func `an origin is parsed once, unless libcurl rejects it or it is too long`() throws {
    #expect(ParsedOrigin("http://a b") == nil)
    let origins = KnownOrigins()
    let long = "http://" + String(repeating: "a", count: 300)
    #expect(origins[long].parsed == nil && origins[long] !== origins[long])
    let origin = try #require(origins["http://h:1"].parsed)
    #expect(origin === origins["http://h:1"].parsed)
    #expect(origin !== origins["https://h:1"].parsed)
  }

  @Test func `a request that libcurl sends again has the same target`() async throws {
    let lines = Log<String>()
    let server = try RawServer { connection in
      lines.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
      // The connection is closed after the second request arrived, without a response.
      if connection.index == 0 {
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        lines.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
      } else {
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let adapter = CurlAdapter()
    for path in ["first", "second?x=%7e"] {
      #expect(try await adapter.send(Request("\(server.url)/\(path)")).status == .noContent)
    }
    let second = "GET /second?x=%7e HTTP/1.1"
    #expect(lines.elements == ["GET /first HTTP/1.1", second, second])
    server.stop()
  }

  @Test func `known origins are bounded, and those without lengths are kept longer`() {
    let origins = KnownOrigins()
    origins["without lengths"].lacksLengths = true
    let first = origins["0"]
    for number in 0..<2500 { _ = origins["\(number)"] }
    #expect(origins["without lengths"].lacksLengths)
    #expect(origins["0"] !== first)
    for number in 0..<2500 { origins["\(number)"].lacksLengths = true }
    #expect(origins["2499"].lacksLengths)
    #expect(!origins["0"].lacksLengths)
  }

  @Test func `evicting connections releases the credentials of the connection options`() async throws {
    final class Key: Sendable {}
    weak var key: Key?
    let adapter = CurlAdapter(direct)
    do {
      let owned = Key()
      key = owned
      var request = try Request("https://h/")
      request.options.network.unixSocket = "/nonexistent/socket"
      request.options.tls.verifier = CertificateVerifier { _, _ in withExtendedLifetime(owned) { true } }
      await #expect(throws: TransportError.self) { try await adapter.send(request) }
    }
    adapter.evictIdleConnections()
    // The engine forgets its connections in its own time.
    await until { key == nil }
  }

  @Test func `the connection options of an origin are made once for requests with the same options`() throws {
    let adapter = CurlAdapter()
    func transfer(to path: String, _ options: Options) throws -> Transfer {
      var request = try Request("https://h/" + path)
      request.options = options
      let checked = try adapter.capabilities.checked(request, of: "CurlAdapter")
      return Transfer(checked, settings)
    }
    let settings = TransferSettings(direct)
    var options = Options()
    options.tls.caFile = "/ca.pem"
    let first = try #require(try transfer(to: "1", options).connectionOptions)
    #expect(first === (try transfer(to: "2", options).connectionOptions))
    options.tls.caFile = "/other.pem"
    let other = try #require(try transfer(to: "1", options).connectionOptions)
    #expect(other != first)
    options.tls.caFile = "/ca.pem"
    let equal = try #require(try transfer(to: "1", options).connectionOptions)
    #expect(equal == first && equal !== first && equal.hashValue == first.hashValue)
    settings.origins.forgetConnectionOptions()
    #expect(equal !== (try transfer(to: "1", options).connectionOptions))
    options.tls = TLS()
    #expect(try transfer(to: "1", options).connectionOptions == nil)
  }
}

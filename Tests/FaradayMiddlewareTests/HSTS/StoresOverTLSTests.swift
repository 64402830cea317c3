import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayMiddleware
import TestServers

/// Policies and alternatives that are learned from a real TLS server, and used there.
@Suite struct StoresOverTLSTests {
  private let server: LocalServer
  private let nginx: NginxServer

  init() throws {
    server = try LocalServer()
    nginx = try NginxServer(upstream: server.port)
  }

  private func connection(_ url: String, caFile: String, _ middleware: any Middleware...) throws -> Connection {
    var defaults = Options()
    defaults.tls.caFile = caFile
    return try Connection(url, defaults: defaults, adapter: CurlAdapter(), middleware: middleware)
  }

  @Test func `a host that sends the field over https is not requested over http again`() async throws {
    let connection = try connection(nginx.url + "upstream/", caFile: nginx.caFile, .hsts())
    let plain = "http://localhost:\(nginx.tlsPort)/upstream/hello"
    // To its port of TLS nginx answers like that.
    #expect(try await connection.get(plain).status == .badRequest)
    _ = try await connection.get("headers?Strict-Transport-Security=max-age%3D60")
    let response = try await connection.get(plain)
    #expect(try await response.body.utf8Text() == "Hello, world!" && response.url.scheme == "https")
  }

  @Test func `a connection to the alternative verifies the origin's certificate`() async throws {
    let connection = try connection(nginx.url + "upstream/", caFile: nginx.caFile, .alternativeServices())
    // The same server with another address, for which its certificate is not.
    let field = "http%252F1.1%3D%22127.0.0.2:\(nginx.tlsPort)%22"
    let first = try await connection.get("headers?Alt-Svc=\(field)")
    #expect(first.metrics.remoteAddress == "127.0.0.1:\(nginx.tlsPort)")
    for _ in 0..<2 {
      let response = try await connection.get("inspect")
      let text = try await response.body.utf8Text()
      #expect(response.metrics.remoteAddress == "127.0.0.2:\(nginx.tlsPort)")
      // Over HTTP/2 names are in lower case.
      #expect(text.lowercased().contains("alt-used") && text.contains("127.0.0.2:\(nginx.tlsPort)"), "\(text)")
    }
  }

  @Test func `an alternative that is down or has another certificate is skipped`() async throws {
    let variants = try NginxVariants.shared.get()
    let (url, valid) = (variants.url(.valid), variants.port(.valid))
    let refused = try RefusedPort()
    for port in [variants.port(.otherName), refused.port] {
      let store = AlternativeServiceStore()
      let origin = try #require(URL(string: url))
      store.set([.init(protocolID: "http/1.1", host: "127.0.0.1", port: port, expires: .distantFuture)], for: origin)
      let connection = try connection(url, caFile: variants.certificates.authority, .alternativeServices(store))
      let response = try await connection.get()
      #expect(response.status == .ok && response.metrics.remoteAddress == "127.0.0.1:\(valid)")
      #expect(store.alternatives(for: origin).isEmpty)
    }
  }
}

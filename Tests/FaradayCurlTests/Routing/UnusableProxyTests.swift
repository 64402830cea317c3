@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// Proxies that break off, are not reached, or do not challenge.
@Suite struct UnusableProxyTests {
  @Test func `a POST whose body reached the proxy is never reported as unsent`() async throws {
    let heads = Log<String>()
    let server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        heads.append(head)
        guard head.contains("Proxy-Authorization") else {
          try connection.send(
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          )
          return connection.close()
        }
        _ = try connection.read(exactly: 8)
        return connection.reset()
      }
    }
    var proxy = Proxy(.http, host: "127.0.0.1", port: server.port, user: "ada", password: "hidden")
    proxy.authentication = .digest
    var request = try Request("http://anywhere.invalid/x")
    request.method = .post
    request.body = .text("the body")
    request.options.proxy = .proxy(proxy)
    let adapter = CurlAdapter()
    let error = try await transportError { try await adapter.send(request) }
    #expect(error.code != .proxyUnreachable && ![.connecting, .resolving, .tls].contains(error.phase), "\(error)")
    #expect(heads.elements.count == 2)
    #expect(!"\(error)".contains("hidden"))
  }

  @Test func `the error of an unreachable proxy hides its credentials`() async throws {
    for scheme in [Proxy.Scheme.http, .https, .socks5, .socks4] {
      for host in ["127.0.0.1", "hidden-none.invalid"] {
        var request = try Request("http://127.0.0.1:9/x")
        request.options.proxy = .proxy(Proxy(scheme, host: host, port: 1, user: "hidden-user", password: "hidden-pass"))
        let error = try await transportError { try await CurlAdapter().send(request) }
        let text = "\(error) \(error.message) " + String(reflecting: error)
        #expect(error.code == .proxyUnreachable, "\(scheme) \(error)")
        #expect(!text.contains("hidden-user") && !text.contains("hidden-pass"), "\(text)")
      }
    }
  }

  @Test func `a proxy that never challenges gets two requests, and the body once`() async throws {
    for size in [0, 3 << 20] {
      let heads = Log<String>()
      let server = try RawServer { connection in
        while true {
          let head = try connection.readHead()
          heads.append(head)
          if head.contains("\r\nContent-Length: 8\r\n") { _ = try connection.read(exactly: 8) }
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size))
        }
      }
      var proxy = Proxy(.http, host: "127.0.0.1", port: server.port, user: "ada", password: "hidden")
      proxy.authentication = .digest
      for own in [nil, AuthenticationSchemes.digest, .any] {
        let before = heads.elements.count
        var request = try Request("http://anywhere.invalid/x")
        request.method = .post
        request.body = .text("the body")
        request.options.proxy = .proxy(proxy)
        request.options.authentication = own.map { TransportAuthentication(user: "eve", password: "other", schemes: $0) }
        let response = try await CurlAdapter().send(request)
        #expect(response.status == .ok)
        _ = try await response.body.collect(upTo: .max)
        let sent = heads.elements[before...]
        #expect(sent.count == 2 && sent.last?.contains("\r\nContent-Length: 8\r\n") == true, "\(own as Any) \(size): \(sent)")
      }
    }
  }
}

@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import TestServers
import Testing

/// Real proxies: squid and microsocks. ``SOCKSServer`` covers the versions that they lack.
@Suite struct RealProxyTests {
  private let adapter = CurlAdapter()

  private struct Answer: Equatable {
    let status: Int
    let body: String

    static let hello = Answer(status: 200, body: "Hello, world!")
  }

  /// Sends a GET through the proxy.
  private func get(_ url: String, through proxy: Proxy, edit: (inout Request) throws -> Void = { _ in }) async throws -> Answer {
    var request = try Request(url)
    request.options.proxy = .proxy(proxy)
    try edit(&request)
    let response = try await adapter.send(request)
    return Answer(status: response.status.code, body: try await response.body.utf8Text())
  }

  private func failure(_ exchange: () async throws -> Answer) async throws -> TransportError {
    do {
      let answer = try await exchange()
      throw Unexpected(answer: answer)
    } catch let error as TransportError {
      return error
    }
  }

  private struct Unexpected: Error { let answer: Answer }

  private func proxy(of squid: SquidProxy, _ schemes: AuthenticationSchemes? = nil, password: String = SquidProxy.password) throws
    -> Proxy
  {
    var proxy = try Proxy(squid.url)
    if let schemes { (proxy.user, proxy.password, proxy.authentication) = (SquidProxy.user, password, schemes) }
    return proxy
  }

  @Test func `squid forwards requests and opens tunnels`() async throws {
    let (server, squid) = (try LocalServer(), try SquidProxy())
    defer { squid.stop() }
    let url = "http://\(SquidProxy.name):\(server.port)/hello"
    var proxy = try proxy(of: squid)
    #expect(try await get(url, through: proxy) == .hello)
    proxy.tunnels = true
    #expect(try await get(url, through: proxy) == .hello)
    #expect(squid.passed.map(\.method) == ["GET", "CONNECT"])
    let nginx = try NginxVariants.shared.get()
    let answer = try await get(nginx.url(.valid), through: proxy) { $0.options.tls.caFile = nginx.certificates.authority }
    #expect(answer.status == 200 && NginxVariants.fields(of: answer.body)["name"] == "localhost")
    #expect(squid.passed.last?.target == "localhost:\(nginx.port(.valid))")
  }

  @Test(
    arguments: [
      (SquidProxy.Authentication.basic, AuthenticationSchemes.basic), (.digest, .digest), (.ntlm, .ntlm), (.digest, .any),
      (.ntlm, .any), (.basic, .any),
    ].filter { $0.0 != .ntlm || Library.schemes.contains(.ntlm) })
  func `requests and tunnels authenticate to squid`(
    kind: SquidProxy.Authentication, schemes: AuthenticationSchemes
  ) async throws {
    let (server, squid) = (try LocalServer(), try SquidProxy(kind))
    defer { squid.stop() }
    for tunnels in [false, true] {
      for delivery in [Delivery.buffered, .streamed] {
        var proxy = try proxy(of: squid, schemes)
        proxy.tunnels = tunnels
        let answer = try await get("http://127.0.0.1:\(server.port)/hello", through: proxy) { $0.options.delivery = delivery }
        #expect(answer == .hello, "\(tunnels) \(delivery)")
      }
    }
    var posting = try proxy(of: squid, schemes)
    let echoed = try await get("http://127.0.0.1:\(server.port)/echo", through: posting) {
      $0.method = .post
      $0.body = .data(Data(repeating: 0x61, count: 100_000))
    }
    #expect(echoed.status == 200 && echoed.body.count == 100_000)
    // The NTLM helper accepts any user and reports no name.
    if kind != .ntlm { #expect(squid.passed.allSatisfy { $0.user == SquidProxy.user }) }
    // Without them, and with the wrong ones.
    posting.user = nil
    posting.password = nil
    #expect(try await get("http://127.0.0.1:\(server.port)/hello", through: posting).status == 407)
    if kind != .ntlm {
      let wrong = try proxy(of: squid, schemes, password: "wrong")
      #expect(try await get("http://127.0.0.1:\(server.port)/hello", through: wrong).status == 407)
      var tunnel = wrong
      tunnel.tunnels = true
      let error = try await failure { try await get("http://127.0.0.1:\(server.port)/hello", through: tunnel) }
      #expect(error.code == .proxyFailed && !"\(error)".contains("wrong"))
    }
  }

  @Test func `an HTTPS proxy is verified with its own TLS options`() async throws {
    let (server, squid) = (try LocalServer(), try SquidProxy())
    defer { squid.stop() }
    var proxy = try Proxy(squid.tlsURL)
    let url = "http://127.0.0.1:\(server.port)/hello"
    let error = try await failure { try await get(url, through: proxy) }
    #expect(error.code == .tlsVerificationFailed)
    proxy.tls.caFile = squid.caFile
    #expect(try await get(url, through: proxy) == .hello)
    proxy.tls.caFile = nil
    proxy.tls.verifiesServer = false
    #expect(try await get(url, through: proxy) == .hello)
    // Options for the proxy do not apply to the server behind it.
    let nginx = try NginxVariants.shared.get()
    let unverified = try await failure { try await get(nginx.url(.valid), through: proxy) }
    // libcurl 7.88 loses the reason where TLS is within TLS.
    #expect([.tlsVerificationFailed, .tlsFailed].contains(unverified.code), "\(unverified)")
  }

  @Test func `microsocks connects to the requested target with and without credentials`() async throws {
    let server = try LocalServer()
    for hasCredentials in [false, true] {
      let socks = try MicrosocksServer(asksForCredentials: hasCredentials)
      defer { socks.stop() }
      // With socks5 libcurl resolves the name, and can use its IPv6 address, on which no server listens.
      for (scheme, host) in [(Proxy.Scheme.socks5, "127.0.0.1"), (.socks5h, "localhost")] {
        var proxy = Proxy(scheme, host: "127.0.0.1", port: socks.port)
        if hasCredentials { (proxy.user, proxy.password) = (MicrosocksServer.user, MicrosocksServer.password) }
        #expect(try await get("http://\(host):\(server.port)/hello", through: proxy) == .hello)
      }
      #expect(socks.targets == ["127.0.0.1:\(server.port)", "localhost:\(server.port)"])
      guard hasCredentials else { continue }
      let error = try await failure {
        try await get(
          "http://localhost:\(server.port)/hello",
          through: Proxy(.socks5, host: "127.0.0.1", port: socks.port, user: "user", password: "wrong"))
      }
      #expect(error.code == .proxyFailed)
    }
  }

  @Test(arguments: Proxy.Scheme.allCases.filter { $0 != .http && $0 != .https })
  func `each kind of SOCKS proxy resolves the name on the correct side`(scheme: Proxy.Scheme) async throws {
    let socks = try SOCKSServer()
    let proxy = Proxy(scheme, host: "127.0.0.1", port: socks.port, user: scheme.rawValue.hasPrefix("socks4") ? "anna" : nil)
    let isRemote = scheme == .socks4a || scheme == .socks5h
    let answer = try await get("http://localhost:81/", through: proxy) { if !isRemote { $0.options.network.ipVersion = .v4 } }
    #expect(answer.body == (isRemote ? "name localhost" : "address 127.0.0.1"))
    if scheme.rawValue.hasPrefix("socks4") { #expect(socks.log.elements.first == "user ID anna") }
  }

  @Test func `the proxy closure is called for each URL`() async throws {
    let (server, squid) = (try LocalServer(), try SquidProxy())
    defer { squid.stop() }
    let proxy = try proxy(of: squid)
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .selected { $0.path().hasPrefix("/hello") ? proxy : nil }
    let adapter = CurlAdapter(configuration)
    #expect(try await adapter.send(try Request(server.url + "/hello")).status == .ok)
    #expect(try await adapter.send(try Request(server.url + "/inspect")).status == .ok)
    #expect(squid.passed.map(\.target) == ["\(server.url)/hello"])
  }
}

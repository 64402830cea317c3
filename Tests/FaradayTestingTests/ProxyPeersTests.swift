import FaradayTesting
import TestServers
import Testing

/// Checks the proxies of other tests with the system's `curl`.
@Suite struct ProxyPeersTests {
  private let server: LocalServer
  private let credentials = ["-U", SquidProxy.user + ":" + SquidProxy.password]

  init() throws { server = try LocalServer() }

  // MARK: squid

  @Test func `squid forwards requests for a name that only squid knows`() async throws {
    let proxy = try SquidProxy()
    let url = "http://\(SquidProxy.name):\(server.port)/"
    let curl = try await SystemCurl("-x", proxy.url, "-A", "a b", "--proxy-header", "X-Proxy: 1", url + "hello")
    #expect(curl.exit == 0 && curl.status != 0)
    let passed = try #require(proxy.passed.first)
    #expect(passed.method == "GET" && passed.target == url + "hello" && passed.user == nil)
    #expect(passed.marker == "1" && passed.userAgent == "a%20b" && proxy.passed.count == 1)
    #expect(try await SystemCurl(url).exit == 6)
  }

  @Test func `squid tunnels to any port and sees the proxy header fields`() async throws {
    let proxy = try SquidProxy()
    let curl = try await SystemCurl("-p", "-x", proxy.url, "--proxy-header", "X-Proxy: 1", "-A", "mine", server.url)
    #expect(curl.exit == 0 && curl.connectStatus == 200)
    let passed = try #require(proxy.passed.first)
    #expect(passed.method == "CONNECT" && passed.target == "127.0.0.1:\(server.port)" && passed.user == nil)
    #expect(passed.marker == "1" && passed.userAgent == "mine" && proxy.passed.count == 1)
  }

  @Test func `squid accepts TLS`() async throws {
    let proxy = try SquidProxy()
    let curl = try await SystemCurl("-x", proxy.tlsURL, "--proxy-cacert", proxy.caFile, server.url)
    #expect(curl.exit == 0 && curl.status != 0)
    #expect(proxy.passed.count == 1)
    #expect(try await SystemCurl("-x", proxy.tlsURL, server.url).exit == 60)
    #expect(proxy.passed.count == 1)
  }

  @Test(arguments: [SquidProxy.Authentication.basic, .digest, .ntlm])
  func `squid accepts correct credentials`(authentication: SquidProxy.Authentication) async throws {
    let proxy = try SquidProxy(authentication)
    let scheme = "--proxy-\(authentication)"
    for tunnel in [[], ["-p"]] {
      let refused = try await SystemCurl(tunnel + ["-x", proxy.url, server.url])
      #expect((tunnel.isEmpty ? refused.status : refused.connectStatus) == 407)
      let wrong = try await SystemCurl(tunnel + ["-x", proxy.url, scheme, "-U", "user:wrong", server.url])
      let isRefused = (tunnel.isEmpty ? wrong.status : wrong.connectStatus) == 407
      #expect(isRefused == (authentication != .ntlm))
      let curl = try await SystemCurl(tunnel + ["-x", proxy.url, scheme] + credentials + [server.url])
      #expect((tunnel.isEmpty ? curl.status : curl.connectStatus) != 407 && curl.exit == 0)
    }
    if authentication != .ntlm {
      #expect(proxy.passed.map(\.method) == ["GET", "CONNECT"])
      #expect(proxy.passed.map(\.user) == ["user", "user"])
    }
  }

  @Test func `squid with Digest rejects Basic`() async throws {
    let proxy = try SquidProxy(.digest)
    #expect(try await SystemCurl(["-x", proxy.url, "--proxy-basic"] + credentials + [server.url]).status == 407)
    #expect(proxy.passed == [])
  }

  // MARK: SOCKS

  @Test func `microsocks connects and reports its targets`() async throws {
    let proxy = try MicrosocksServer()
    let url = "http://localhost:\(server.port)/"
    #expect(try await SystemCurl("--socks5-hostname", "127.0.0.1:\(proxy.port)", url).exit == 0)
    #expect(try await SystemCurl("--socks5", "127.0.0.1:\(proxy.port)", "-4", url).exit == 0)
    #expect(proxy.targets == ["localhost:\(server.port)", "127.0.0.1:\(server.port)"])
  }

  @Test func `microsocks with credentials rejects clients without them`() async throws {
    let proxy = try MicrosocksServer(asksForCredentials: true)
    #expect(try await SystemCurl("--socks5", "127.0.0.1:\(proxy.port)", server.url).exit == 97)
    #expect(try await SystemCurl("--socks5", "user:wrong@127.0.0.1:\(proxy.port)", server.url).exit == 97)
    #expect(proxy.targets == [])
    #expect(try await SystemCurl("--socks5", "user:password@127.0.0.1:\(proxy.port)", server.url).exit == 0)
    #expect(proxy.targets == ["127.0.0.1:\(server.port)"])
  }

  @Test(arguments: [
    ("socks4", "user ID anna", "address 127.0.0.1"), ("socks4a", "user ID anna", "name localhost"),
    ("socks5", "credentials anna:secret", "address 127.0.0.1"), ("socks5h", "credentials anna:secret", "name localhost"),
  ])
  func `SOCKSServer reports the version, the user and the address or name`(
    scheme: String, user: String, target: String
  ) async throws {
    let proxy = try SOCKSServer(credentials: ("anna", "secret"))
    let curl = try await SystemCurl("-4", "-x", "\(scheme)://anna:secret@127.0.0.1:\(proxy.port)", "http://localhost:81/x")
    #expect(curl.exit == 0 && curl.body == target)
    #expect(proxy.log.elements == [user, target + " port 81", "GET /x HTTP/1.1"])
    let wrong = try await SystemCurl("-4", "-x", "\(scheme)://eve:secret@127.0.0.1:\(proxy.port)", "http://localhost:81/x")
    #expect(wrong.exit == 97)
  }

  @Test(arguments: ["socks4", "socks4a", "socks5"])
  func `SOCKSServer can refuse to connect`(scheme: String) async throws {
    let proxy = try SOCKSServer(reply: 91)
    #expect(try await SystemCurl("-4", "-x", "\(scheme)://127.0.0.1:\(proxy.port)", "http://localhost:81/x").exit == 97)
  }
}

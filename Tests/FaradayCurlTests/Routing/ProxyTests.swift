import Faraday
import FaradayCurl
import FaradayTesting
import TestSupport
import Testing

/// Proxies, which only this adapter has a setting for.
@Suite struct ProxyTests {
  private func adapter(_ proxy: String) -> CurlAdapter {
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .url(proxy)
    return CurlAdapter(configuration)
  }

  // MARK: HTTP

  @Test func `the configured proxy is used`() async throws {
    let proxy = try RawServer { connection in
      let head = try connection.readHead()
      let text = String(head.prefix { $0 != "\r\n" })
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      connection.waitForClose()
    }
    defer { proxy.stop() }
    let response = try await adapter(proxy.url).send(try Request(.get, "http://anywhere.invalid/x"))
    #expect(try await response.body.utf8Text() == "GET http://anywhere.invalid/x HTTP/1.1")
  }

  @Test func `an unreachable proxy has its own error code`() async throws {
    let adapter = adapter("http://nothing.invalid:80")
    let error = try await transportError { try await adapter.send(try Request(.get, "http://anywhere.invalid/x")) }
    #expect(error.code == .proxyUnreachable)
  }

  @Test func `a request is retried if its proxy was unreachable, and not if the proxy refuses it`() async throws {
    let refused = try RefusedPort()
    let proxy = try RawServer { connection in
      while true {
        let isTunnel = try connection.readHead().hasPrefix("CONNECT ")
        try connection.send("HTTP/1.1 \(isTunnel ? "403 Forbidden\r\nContent-Length: 0" : "204 No Content")\r\n\r\n")
      }
    }
    defer { proxy.stop() }
    let choices = Log<Int>()
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .selected { _ in
      choices.append(choices.elements.isEmpty ? refused.port : proxy.port)
      return Proxy(.http, host: "127.0.0.1", port: choices.elements.last)
    }
    let policy = Retry.Policy(initialDelay: .zero)
    let connection = try Connection(
      "http://anywhere.invalid/", adapter: CurlAdapter(configuration), middleware: [.retry(policy)])
    // A POST: nothing was sent.
    #expect(try await connection.post(body: "a").retries == 1)
    #expect(choices.elements == [refused.port, proxy.port])
    let error = await #expect(throws: TransportError.self) { try await connection.get("https://anywhere.invalid/") }
    #expect(error?.code == .proxyFailed && choices.elements.count == 3)
  }

  @Test(arguments: [
    "http://user:hunter2@127.0.0.1:99999", "http://user:hunter2@127.0.0.1:x", "user:hunter2@", "http://user:hunter2/x@127.0.0.1",
    "http:/user:hunter2@127.0.0.1", "http://user:hunter2?x@127.0.0.1", "http://user:hunter2#x@127.0.0.1",
    "//user:hunter2@127.0.0.1",
    #"http:\\user:hunter2@127.0.0.1"#, "gopher://user:hunter2@127.0.0.1", "http://us er:hunter2@127.0.0.1 x",
    "http://user:hunter2@[::1",
    "socks5h://user:hunter2@nothing.invalid:1", "http://user:hunter2@nothing.invalid:80", "http://user:hunter2",
    "user:hunter2'x@127.0.0.1:99999",
  ])
  func `the error of an unusable proxy hides its password`(url: String) async throws {
    let adapter = adapter(url)
    for target in ["http://127.0.0.1:9/x", "https://127.0.0.1:9/x"] {
      let error = try await transportError { try await adapter.send(try Request(.get, target)) }
      #expect(!Shown.all(error).contains("hunter2"), "\(error)")
    }
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .url(url)
    for value: Any in [configuration, configuration.proxy] {
      #expect(!Shown.all(value).contains("hunter2"), "\(Shown.all(value))")
    }
  }

  @Test func `CONNECT contains none of the request's fields`() async throws {
    let heads = Log<String>()
    let proxy = try RawServer { connection in
      heads.append(try connection.readHead())
      try connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    defer { proxy.stop() }
    var request = try Request(.post, "https://anywhere.invalid/path?query", body: .text("the body"))
    for name in ["Authorization", "Cookie", "X-Mine", "User-Agent", "Accept"] {
      request.headers.append(try HTTPField(checking: name, "secret"))
    }
    let adapter = adapter(proxy.url)
    _ = try await transportError { [request] in try await adapter.send(request) }
    let lines = try #require(heads.elements.first).split(separator: "\r\n").map(String.init)
    #expect(lines.first == "CONNECT anywhere.invalid:443 HTTP/1.1")
    let names = lines.dropFirst().compactMap { $0.split(separator: ":").first?.lowercased() }
    #expect(Set(names).isSubset(of: ["host", "proxy-connection"]), "\(lines)")
    #expect(!lines.contains { $0.contains("secret") || $0.contains("path") })
  }

  @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"proxy\""])
  func `a proxy that refuses a tunnel is a proxy error`(answer: String) async throws {
    let proxy = try RawServer.answering("HTTP/1.1 \(answer)\r\nContent-Length: 7\r\n\r\nrefused")
    defer { proxy.stop() }
    let adapter = adapter(proxy.url)
    let error = try await transportError { try await adapter.send(try Request(.get, "https://anywhere.invalid/")) }
    #expect(error.code == .proxyFailed, "\(error)")
    // A proxy's response is not the server's response.
    #expect(error.partialResponse == nil)
  }

  @Test func `a proxy's 407 to a request is the response`() async throws {
    let proxy = try RawServer.answering(
      "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 7\r\n\r\nrefused")
    defer { proxy.stop() }
    let response = try await adapter(proxy.url).send(try Request(.get, "http://anywhere.invalid/"))
    #expect(response.status.code == 407)
    #expect(response.headers[.proxyAuthenticate] == "Basic")
    #expect(try await response.body.utf8Text() == "refused")
    #expect(proxy.connectionCount == 1)
  }

  // MARK: SOCKS

  @Test func `a SOCKS proxy with remote DNS resolves names`() async throws {
    let proxy = try SOCKSServer()
    let connection = try Connection("http://anywhere.invalid/", adapter: adapter("socks5h://127.0.0.1:\(proxy.port)"))
    for _ in 0..<2 { #expect(try await connection.get("x").body.utf8Text() == "name anywhere.invalid") }
    // One connection for both.
    #expect(proxy.log.elements == ["name anywhere.invalid port 80"] + Array(repeating: "GET /x HTTP/1.1", count: 2))
  }

  @Test func `names are resolved locally for a SOCKS proxy without remote DNS`() async throws {
    let proxy = try SOCKSServer()
    NameLookup.add("socks.test")
    let adapter = adapter("socks5://127.0.0.1:\(proxy.port)")
    #expect(try await adapter.send(try Request(.get, "http://socks.test:81/")).body.utf8Text() == "address 127.0.0.1")
    #expect(proxy.log.elements.first == "address 127.0.0.1 port 81")
  }

  @Test func `a SOCKS proxy gets the credentials of its URL`() async throws {
    let proxy = try SOCKSServer(credentials: ("user", "password"))
    let adapter = adapter("socks5h://user:password@127.0.0.1:\(proxy.port)")
    #expect(try await adapter.send(try Request(.get, "http://anywhere.invalid/")).status == .ok)
    #expect(proxy.log.elements.first == "credentials user:password")
  }

  @Test(arguments: ["user:wrong@", ""]) func `a SOCKS proxy that rejects the credentials is a proxy error`(
    credentials: String
  ) async throws {
    let proxy = try SOCKSServer(credentials: ("user", "password"))
    let adapter = adapter("socks5h://\(credentials)127.0.0.1:\(proxy.port)")
    let error = try await transportError { try await adapter.send(try Request(.get, "http://anywhere.invalid/")) }
    #expect(error.code == .proxyFailed, "\(error)")
    #expect(!"\(error)".contains("wrong"))
  }

  // "Connection refused", "host unreachable" and "not allowed by ruleset".
  @Test(arguments: [5, 4, 2] as [UInt8]) func `a SOCKS proxy that cannot connect is a proxy error`(
    reply: UInt8
  ) async throws {
    let proxy = try SOCKSServer(reply: reply)
    let adapter = adapter("socks5h://127.0.0.1:\(proxy.port)")
    let error = try await transportError { try await adapter.send(try Request(.get, "http://anywhere.invalid/")) }
    #expect(error.code == .proxyFailed, "\(error)")
  }
}

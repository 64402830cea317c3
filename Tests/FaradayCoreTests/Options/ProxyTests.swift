import FaradayCore
import TestSupport
import Testing

@Suite struct ProxyURLTests {
  @Test func `a proxy is parsed from its URL`() throws {
    let proxy = try Proxy("socks5h://ad%61:p%3Aw%40rd@host.example:1081")
    #expect(proxy.scheme == .socks5h && proxy.host == "host.example" && proxy.port == 1081)
    #expect(proxy.user == "ada" && proxy.password == "p:w@rd")
    let plain = try Proxy("host:3128/")
    #expect(plain.scheme == .http && plain.host == "host" && plain.port == 3128 && plain.user == nil && plain.password == nil)
    let address = try Proxy("HTTPS://[2001:db8::1]:443")
    #expect(address.scheme == .https && address.host == "[2001:db8::1]" && address.port == 443)
    #expect(
      try Proxy("http://user@host").user == "user" && Proxy("http://user@host").password == nil
        && Proxy("http://host").port == nil)
    #expect(try Proxy("socks://host").scheme == .socks4)
  }

  @Test(arguments: [
    "", "http://", "http://:80", "http://hunter2@", "ftp://u:hunter2@host", "http://u:hunter2@host:x",
    "http://u:hunter2@host:99999", "http://u:hunter2@host/path",
    "http://u:hunter2@host?q", "http://u:hunter2@host#f", "http://u:hunter2@ho st", #"http://u:hunter2@host\x"#,
    "http://u:hunter2@host:-1", "http://u:hunter2@host:",
  ])
  func `an invalid proxy URL is an error without its password`(url: String) throws {
    if url.hasSuffix(":") {
      // An empty port means the scheme's port (RFC 3986, section 3.2.3).
      #expect(#expect(throws: InvalidValueError.self) { try Proxy(url) }?.kind == .proxy)
      return
    }
    let error = try #require(throws: InvalidValueError.self) { try Proxy(url) }
    #expect(!Shown.all(error).contains("hunter2"), "\(error)")
  }

  @Test func `descriptions redact the proxy's credentials`() throws {
    let proxy = try Proxy("http://ada:hunter2@host:1")
    var options = Options()
    options.proxy = .proxy(proxy)
    options.authentication = TransportAuthentication(user: "ada", password: "hunter2", schemes: .digest)
    options.tls.clientCertificate = .pkcs12(.bytes(Data("hunter2".utf8)), password: "hunter2")
    for value: Any in [
      proxy, options, options.proxy, options.authentication as Any, options.tls, options.tls.clientCertificate as Any,
    ] {
      #expect(!Shown.all(value).contains("hunter2"), "\(Shown.all(value))")
    }
    #expect("\(proxy)" == "http://host:1")
  }
}

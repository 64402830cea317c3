@_spi(Adapters) import FaradayCore
import FoundationEssentials
import TestSupport
import Testing

/// Options that would be ignored, or mean something else to an engine, are refused.
@Suite struct OptionChecksTests {
  private func refusal(_ edit: (inout Options) throws -> Void) throws -> TransportError? {
    var request = try Request("http://host/")
    try edit(&request.options)
    do {
      try Capabilities.all.check(request)
      return nil
    } catch let error as TransportError {
      return error
    }
  }

  @Test(arguments: [AuthenticationSchemes([]), AuthenticationSchemes(rawValue: 1 << 9), [.digest, .init(rawValue: 1 << 40)]])
  func `invalid proxy schemes are refused`(schemes: AuthenticationSchemes) throws {
    #expect(
      try refusal { $0.authentication = TransportAuthentication(user: "u", password: "p", schemes: schemes) }?.code
        == .invalidOption)
    var proxy = Proxy(.http, host: "h", user: "u", password: "p")
    proxy.authentication = schemes
    #expect(try refusal { $0.proxy = .proxy(proxy) }?.code == .invalidOption)
  }

  @Test(arguments: [0, -1, 65_536, Int.max]) func `invalid ports are refused`(port: Int) throws {
    #expect(try refusal { $0.network.connectTo = [ConnectTo(port: port)] }?.code == .invalidOption)
    #expect(try refusal { $0.network.connectTo = [ConnectTo(host: "h"), ConnectTo(toPort: port)] }?.code == .invalidOption)
    #expect(
      try refusal { $0.network.hostOverrides = [HostOverride("h", port: port, addresses: ["::1"])] }?.code == .invalidOption)
    #expect(try refusal { $0.proxy = .proxy(Proxy(.http, host: "h", port: port)) }?.code == .invalidOption)
  }

  @Test func `the lowest and highest ports are accepted`() throws {
    for port in [1, 65_535] {
      #expect(try refusal { $0.network.connectTo = [ConnectTo(port: port, toPort: port)] } == nil)
      #expect(try refusal { $0.network.hostOverrides = [HostOverride("h", port: port, addresses: ["::1"])] } == nil)
      #expect(try refusal { $0.proxy = .proxy(Proxy(.http, host: "h", port: port)) } == nil)
    }
  }

  @Test(arguments: [Proxy.Scheme.socks4, .socks4a, .socks5, .socks5h])
  func `a SOCKS proxy with header fields is refused`(scheme: Proxy.Scheme) throws {
    var proxy = Proxy(scheme, host: "h")
    #expect(try refusal { $0.proxy = .proxy(proxy) } == nil)
    proxy.headers[.accept] = "a"
    #expect(try refusal { $0.proxy = .proxy(proxy) }?.code == .invalidOption)
  }

  @Test func `unsupported TLS options of a proxy are refused`() throws {
    let edits: [(inout TLS) -> Void] = [
      { $0.resumesSessions = false }, { $0.negotiatesProtocol = false }, { $0.reportsPeerCertificates = true },
      { $0.verifier = CertificateVerifier { _, _ in true } },
      { $0.caDirectory = "" }, { $0.tls12Ciphers = "a\0b" }, { $0.pinnedPublicKeys = ["x"] },
      { ($0.minimumVersion, $0.maximumVersion) = (.v1_3, .v1_2) },
    ]
    for (index, edit) in edits.enumerated() {
      var proxy = Proxy(.https, host: "h")
      edit(&proxy.tls)
      let error = try refusal { $0.proxy = .proxy(proxy) }
      #expect(error?.code == .invalidOption && error?.message.contains("proxy") == true, "\(index)")
    }
    var proxy = Proxy(.https, host: "h")
    proxy.tls.caFile = "a\0"
    #expect(try refusal { $0.proxy = .proxy(proxy) }?.code == .invalidCA)
  }

  @Test(arguments: Proxy.Scheme.allCases)
  func `TLS options are accepted only for an https proxy`(scheme: Proxy.Scheme) throws {
    var proxy = Proxy(scheme, host: "h")
    #expect(try refusal { $0.proxy = .proxy(proxy) } == nil)
    proxy.tls.caFile = "ca.pem"
    let error = try refusal { $0.proxy = .proxy(proxy) }
    #expect(error?.code == (scheme == .https ? nil : .invalidOption))
    #expect(error == nil || error?.message.contains("tls") == true)
  }

  @Test(arguments: ["[::1", "::1]", "[::1]]", "[host]", "a:b", "[", "]", "ho[st", "1:2:3"])
  func `brackets and colons are accepted only in IPv6 addresses`(host: String) throws {
    #expect(#expect(throws: InvalidValueError.self) { try Proxy("http://u:hunter2@\(host):80") }?.kind == .proxy)
    #expect(try refusal { $0.proxy = .proxy(Proxy(.http, host: host)) }?.code == .invalidOption)
  }

  @Test func `a proxy with an unclosed bracket is refused`() {
    #expect(#expect(throws: InvalidValueError.self) { try Proxy("http://[::1") }?.kind == .proxy)
    #expect(#expect(throws: InvalidValueError.self) { try Proxy("http://host:0") }?.kind == .proxy)
  }

  @Test func `the IPv6 address of a proxy can have brackets`() throws {
    for host in ["::1", "[::1]", "fe80::1%lo"] { #expect(try refusal { $0.proxy = .proxy(Proxy(.http, host: host)) } == nil) }
  }

  @Test func `the URL of a resolver is shown redacted`() throws {
    var options = Options()
    options.network.dnsOverHTTPS = "https://ada:hunter2@dns.example/q?token=hunter3"
    options.network.unixSocket = "/run/socket"
    let shown = Shown.all(options.network)
    #expect(!shown.contains("hunter"), "\(shown)")
    #expect("\(options.network)".contains("https://dns.example/q"))
  }
}

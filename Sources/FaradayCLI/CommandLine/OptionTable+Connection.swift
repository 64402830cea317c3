import Faraday

extension OptionTable {
  /// The options for HTTP versions, timeouts and connections.
  static let connection: [CommandOption] = [
    .lone("http1.0", "0", "Use HTTP/1.0") { $0.version = .http1_0 },
    .lone("http1.1", nil, "Use HTTP/1.1") { $0.version = .http1 },
    .lone("http2", nil, "Use HTTP/2 if the server supports it over TLS") { $0.version = .http2 },
    .lone("http2-prior-knowledge", nil, "Use HTTP/2 at once, over http too") { $0.version = .http2PriorKnowledge },
    .lone("http3", nil, "Use HTTP/3 where the library has it") { $0.version = .http3 },
    .value("max-time", "m", "seconds", "The maximum time of a transfer") { $0.maxTime = try NumberArgument.seconds($1) },
    .value("connect-timeout", nil, "seconds", "The maximum time of DNS lookup, TCP connect and TLS handshake") {
      $0.connectTimeout = try NumberArgument.seconds($1)
    },
    .value("expect100-timeout", nil, "seconds", "How long the answer to Expect: 100-continue is waited for: 1 s") {
      $0.expectTimeout = try NumberArgument.seconds($1)
    },
    .value("limit-rate", nil, "bytes", "The maximum bytes per second, with a unit: 100K, 1M") {
      let rate = try NumberArgument.size($1)
      let limit = rate == 0 ? nil : Int(clamping: rate)
      ($0.rates.maximumSend, $0.rates.maximumReceive) = (limit, limit)
    },
    .value("speed-limit", "Y", "bytes", "The minimum bytes per second over --speed-time") {
      $0.speedLimit = try NumberArgument.integer($1)
    },
    .value("speed-time", "y", "seconds", "How long a transfer may be slower than --speed-limit: 30 s") {
      $0.speedTime = .seconds(try NumberArgument.count($1))
    },
    .lone("ipv4", "4", "Use IPv4 only") { $0.network.ipVersion = .v4 },
    .lone("ipv6", "6", "Use IPv6 only") { $0.network.ipVersion = .v6 },
    .value("resolve", nil, "host:port:addr[,addr]", "Use these addresses for the host") {
      try NetworkArguments.resolve($1, in: &$0.network)
    },
    .value("connect-to", nil, "host1:port1:host2:port2", "Connect to host2 and port2 instead") {
      if let target = try NetworkArguments.connectTo($1) {
        $0.network.connectTo.append(target)
      } else if !$1.isEmpty {
        $0.warnings.append("--connect-to '\($1)' has no host or port to connect to, and changes nothing")
      }
    },
    .value("unix-socket", nil, "path", "Connect to this Unix domain socket") { $0.network.unixSocket = $1 },
    .value("abstract-unix-socket", nil, "name", "Connect to this abstract Unix domain socket") {
      $0.network.unixSocket = "@" + $1
    },
    .value("interface", nil, "name", "The local interface, or address") {
      $0.network.localAddress = $1.replacing(#/^(if|host)!/#, with: "")
    },
    .value("local-port", nil, "number/range", "The local ports that may be used; 0 is any") {
      $0.network.localPorts = try NumberArgument.ports($1)
    },
    .value("dns-servers", nil, "addresses", "The DNS servers; libcurl must have c-ares") {
      $0.network.dnsServers = $1.split(separator: ",").map(String.init)
    },
    .value("doh-url", nil, "url", "Look names up at this DNS-over-HTTPS resolver") {
      $0.network.dnsOverHTTPS = $1.isEmpty ? nil : $1
    },
    .value("happy-eyeballs-timeout-ms", nil, "milliseconds", "How long IPv6 is tried before IPv4: 200") {
      $0.network.happyEyeballsDelay = .milliseconds(try NumberArgument.count($1))
    },
    .value("keepalive-time", nil, "seconds", "The time between keep-alive probes: 60 s") {
      $0.network.tcpKeepAlive = .seconds(try NumberArgument.count($1))
    },
    .flag("keepalive", nil, "TCP keep-alive, which is on; --no-keepalive turns it off") {
      $0.network.tcpKeepAlive = $1 ? $0.network.tcpKeepAlive ?? .seconds(60) : nil
    },
    .flag("tcp-nodelay", nil, "TCP_NODELAY, which is on; --no-tcp-nodelay turns it off") { $0.network.tcpNoDelay = $1 },
    .value("hsts", nil, "file", "Use HSTS, and keep its hosts in this file") { $0.hsts = $1 },
    .value("alt-svc", nil, "file", "Use Alt-Svc, and keep it in this file") { $0.altSvc = $1 },
  ]

  /// The options for TLS to a server or a proxy: verification and client certificates.
  private static func tls(_ place: any WritableKeyPath<Operation, TLSArguments> & Sendable) -> [CommandOption] {
    [
      .flag("insecure", "k", "Do not verify the server's certificate") { $0[keyPath: place].tls.verifiesServer = !$1 },
      .value("cacert", nil, "file", "The certificate authorities (PEM) to trust") { $0[keyPath: place].tls.caFile = $1 },
      .value("capath", nil, "dir", "A folder of certificate authorities to trust") { $0[keyPath: place].tls.caDirectory = $1 },
      .value("crlfile", nil, "file", "A certificate revocation list (PEM)") { $0[keyPath: place].tls.revocationLists = $1 },
      .value("cert", "E", "certificate[:password]", "The client's certificate") { $0[keyPath: place].setCertificate($1) },
      .value("cert-type", nil, "type", "The type of the certificate and its key: PEM, DER or P12") {
        $0[keyPath: place].certificateType = $1
      },
      .value("key", nil, "key", "The private key of the certificate") { $0[keyPath: place].key = $1 },
      .value("pass", nil, "phrase", "The password of the key") { $0[keyPath: place].password = $1 },
      .value("pinnedpubkey", nil, "hashes", "The server's public key: sha256//..., separated by ;") {
        try $0[keyPath: place].pin($1)
      },
      .lone("tlsv1", "1", "TLS 1.0 or newer") { $0[keyPath: place].minimum = .v1_0 },
      .value("ciphers", nil, "list", "The ciphers of TLS 1.2 and older") { $0[keyPath: place].tls.tls12Ciphers = $1 },
      .value("tls13-ciphers", nil, "list", "The cipher suites of TLS 1.3") { $0[keyPath: place].tls.tls13Ciphers = $1 },
    ]
  }

  /// The options for TLS to the server.
  static let tls: [CommandOption] =
    tls(\.tls) + [
      .lone("tlsv1.0", nil, "TLS 1.0 or newer") { $0.tls.minimum = .v1_0 },
      .lone("tlsv1.1", nil, "TLS 1.1 or newer") { $0.tls.minimum = .v1_1 },
      .lone("tlsv1.2", nil, "TLS 1.2 or newer") { $0.tls.minimum = .v1_2 },
      .lone("tlsv1.3", nil, "TLS 1.3 or newer") { $0.tls.minimum = .v1_3 },
      .value("tls-max", nil, "version", "The maximum version: 1.0, 1.1, 1.2, 1.3 or default") {
        let versions: [String: TLSVersion?] = ["default": nil, "1.0": .v1_0, "1.1": .v1_1, "1.2": .v1_2, "1.3": .v1_3]
        guard let version = versions[$1] else { throw OptionProblem.badUse }
        $0.tls.tls.maximumVersion = version
      },
      .flag("sessionid", nil, "Resume TLS sessions, which is on; --no-sessionid does not") { $0.tls.tls.resumesSessions = $1 },
      .flag("alpn", nil, "Negotiate the HTTP version (ALPN), which is on; --no-alpn does not") {
        $0.tls.tls.negotiatesProtocol = $1
      },
    ]

  /// The options for the proxy.
  static let proxy: [CommandOption] =
    [
      .value("proxy", "x", "[protocol://]host[:port]", "Use this proxy; empty for none") { $0.proxy.set($1, .http) },
      .value("socks4", nil, "host[:port]", "Use this SOCKS 4 proxy") { $0.proxy.set($1, .socks4) },
      .value("socks4a", nil, "host[:port]", "Use this SOCKS 4a proxy") { $0.proxy.set($1, .socks4a) },
      .value("socks5", nil, "host[:port]", "Use this SOCKS 5 proxy") { $0.proxy.set($1, .socks5) },
      .value("socks5-hostname", nil, "host[:port]", "Use this SOCKS 5 proxy, which resolves the host name") {
        $0.proxy.set($1, .socks5h)
      },
      .value("proxy-user", "U", "user:password", "The user and password for the proxy") { $0.proxy.user = $1 },
      .flag("proxy-basic", nil, "Authenticate with the proxy by Basic") { $0.proxy.schemes.turn(.basic, $1) },
      .flag("proxy-digest", nil, "Authenticate with the proxy by Digest") { $0.proxy.schemes.turn(.digest, $1) },
      .flag("proxy-ntlm", nil, "Authenticate with the proxy by NTLM") { $0.proxy.schemes.turn(.ntlm, $1) },
      .flag("proxy-negotiate", nil, "Authenticate with the proxy by Negotiate (SPNEGO)") {
        $0.proxy.schemes.turn(.negotiate, $1)
      },
      .flag("proxy-anyauth", nil, "Authenticate with the proxy by the strongest scheme that it offers") {
        $0.proxy.schemes = $1 ? .any : []
      },
      .flag("socks5-basic", nil, "For compatibility: SOCKS 5 uses a user and password that are given") { _, _ in },
      .value("proxy-header", nil, "header/@file", "Add a header for the proxy") {
        $0.proxy.headers += try HeaderArgument.all([$1], of: "--proxy-header")
      },
      .value("noproxy", nil, "hosts", "Hosts that are connected to directly, separated by commas; * is all") {
        $0.proxy.exceptions = $1
      },
      .flag("proxytunnel", "p", "Use CONNECT for http too") { $0.proxy.tunnels = $1 },
      .flag("suppress-connect-headers", nil, "Do not show the headers of CONNECT") { $0.proxy.showsConnectHeads = !$1 },
    ] + tls(\.proxy.tls).map(\.ofProxy)
}

extension SetAlgebra {
  /// Inserts or removes an element.
  mutating func turn(_ element: Element, _ isOn: Bool) {
    if isOn { insert(element) } else { remove(element) }
  }
}

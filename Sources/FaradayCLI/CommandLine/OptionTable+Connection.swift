import Faraday

extension OptionTable {
  /// Versions, times, and how the server is reached.
  static let connection: [CommandOption] = [
    .flag("http0.9", nil, "Accept a response without a head") { $0.acceptsHTTP09 = $1 },
    .lone("http1.0", "0", "Use HTTP/1.0") { $0.version = .http1_0 },
    .lone("http1.1", nil, "Use HTTP/1.1") { $0.version = .http1 },
    .lone("http2", nil, "Use HTTP/2 if the server supports it over TLS") { $0.version = .http2 },
    .lone("http2-prior-knowledge", nil, "Use HTTP/2 at once, over http too") { $0.version = .http2PriorKnowledge },
    .lone("http3", nil, "Use HTTP/3 where the library has it") {
      try demand(.http3)
      $0.version = .http3
    },
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
      $0.speedLimit = try NumberArgument.positive($1)
    },
    .value("speed-time", "y", "seconds", "How long a transfer may be slower than --speed-limit: 30 s") {
      let seconds = try NumberArgument.positive($1)
      guard seconds <= 1_000_000_000 else { throw OptionProblem.tooLarge }
      $0.speedTime = .seconds(seconds)
    },
    .lone("ipv4", "4", "Use IPv4 only") { $0.network.ipVersion = .v4 },
    .lone("ipv6", "6", "Use IPv6 only") { $0.network.ipVersion = .v6 },
    .value("resolve", nil, "host:port:addr[,addr]", "Use these addresses for the host") { $0.network.resolve.append($1) },
    .value("connect-to", nil, "host1:port1:host2:port2", "Connect to host2 and port2 instead") {
      guard NetworkArguments.hasDestination($1) else {
        if !$1.isEmpty { $0.warnings.append("--connect-to '\($1)' has no host or port to connect to, and changes nothing") }
        return
      }
      $0.network.connectTo.append($1)
    },
    .value("unix-socket", nil, "path", "Connect to this Unix domain socket") { $0.network.unixSocket = $1 },
    .value("abstract-unix-socket", nil, "name", "Connect to this abstract Unix domain socket") {
      $0.network.unixSocket = "@" + $1
    },
    .value("interface", nil, "name", "The local interface, or address") { $0.network.interface = $1 },
    .value("local-port", nil, "number/range", "The local ports that may be used; 0 is any") {
      $0.network.localPorts = try NumberArgument.ports($1)
    },
    .value("dns-servers", nil, "addresses", "The DNS servers; libcurl must have c-ares") {
      try demand(.dnsServers)
      $0.network.dnsServers = $1
    },
    .value("doh-url", nil, "url", "Look names up at this DNS-over-HTTPS resolver") {
      $0.network.dnsOverHTTPS = $1.isEmpty ? nil : $1
    },
    .value("happy-eyeballs-timeout-ms", nil, "milliseconds", "How long IPv6 is tried before IPv4: 200") {
      let milliseconds = try NumberArgument.positive($1)
      guard milliseconds <= 1_000_000_000 else { throw OptionProblem.tooLarge }
      $0.network.happyEyeballsDelay = .milliseconds(milliseconds)
    },
    .value("keepalive-time", nil, "seconds", "The time between keep-alive probes: 60 s") {
      let seconds = try NumberArgument.positive($1)
      guard seconds <= 1_000_000_000 else { throw OptionProblem.tooLarge }
      $0.network.keepAliveTime = .seconds(seconds)
    },
    .flag("keepalive", nil, "TCP keep-alive, which is on; --no-keepalive turns it off") { $0.network.keepAlive = $1 },
    .flag("tcp-nodelay", nil, "TCP_NODELAY, which is on; --no-tcp-nodelay turns it off") { $0.network.noDelay = $1 },
    .value("hsts", nil, "file", "Use HSTS, and keep its hosts in this file") { $0.hsts = $1 },
    .value("alt-svc", nil, "file", "Use Alt-Svc, and keep it in this file") { $0.altSvc = $1 },
  ]

  /// How the server is verified, and the client.
  static let tls: [CommandOption] = [
    .flag("insecure", "k", "Do not verify the server's certificate") { $0.tls.insecure = $1 },
    .value("cacert", nil, "file", "The certificate authorities (PEM) to trust") { $0.tls.caFile = $1 },
    .value("capath", nil, "dir", "A folder of certificate authorities to trust") { $0.tls.caDirectory = $1 },
    .value("crlfile", nil, "file", "A certificate revocation list (PEM)") { $0.tls.revocationLists = $1 },
    .value("cert", "E", "certificate[:password]", "The client's certificate") { $0.tls.setCertificate($1) },
    .value("cert-type", nil, "type", "The type of the certificate: PEM, DER or P12") { $0.tls.certificateType = $1 },
    .value("key", nil, "key", "The private key of the certificate") { $0.tls.key = $1 },
    .value("key-type", nil, "type", "The type of the key: PEM or DER") { $0.tls.keyType = $1 },
    .value("pass", nil, "phrase", "The password of the key") { $0.tls.password = $1 },
    .value("pinnedpubkey", nil, "hashes", "The server's public key: sha256//..., separated by ;") { $0.tls.pinned = $1 },
    .lone("tlsv1", "1", "TLS 1.0 or newer") { $0.tls.minimum = .v1_0 },
    .lone("tlsv1.0", nil, "TLS 1.0 or newer") { $0.tls.minimum = .v1_0 },
    .lone("tlsv1.1", nil, "TLS 1.1 or newer") { $0.tls.minimum = .v1_1 },
    .lone("tlsv1.2", nil, "TLS 1.2 or newer") { $0.tls.minimum = .v1_2 },
    .lone("tlsv1.3", nil, "TLS 1.3 or newer") { $0.tls.minimum = .v1_3 },
    .value("tls-max", nil, "version", "The maximum version: 1.0, 1.1, 1.2, 1.3 or default") {
      let versions: [String: TLSVersion?] = ["default": nil, "1.0": .v1_0, "1.1": .v1_1, "1.2": .v1_2, "1.3": .v1_3]
      guard let version = versions[$1] else { throw OptionProblem.badUse }
      $0.tls.maximum = version
    },
    .value("ciphers", nil, "list", "The ciphers of TLS 1.2 and older") { $0.tls.ciphers = $1 },
    .value("tls13-ciphers", nil, "list", "The cipher suites of TLS 1.3") { $0.tls.cipherSuites = $1 },
    .flag("sessionid", nil, "Resume TLS sessions, which is on; --no-sessionid does not") { $0.tls.resumesSessions = $1 },
    .flag("alpn", nil, "Negotiate the HTTP version (ALPN), which is on; --no-alpn does not") { $0.tls.negotiatesProtocol = $1 },
  ]

  /// The proxy.
  static let proxy: [CommandOption] = [
    .value("proxy", "x", "[protocol://]host[:port]", "Use this proxy; empty for none") { $0.proxy.set($1, .http) },
    .value("proxy1.0", nil, "host[:port]", "Use this HTTP/1.0 proxy") {
      $0.proxy.set($1, .http)
      $0.proxy.isHTTP10 = true
    },
    .value("socks4", nil, "host[:port]", "Use this SOCKS 4 proxy") { $0.proxy.set($1, .socks4) },
    .value("socks4a", nil, "host[:port]", "Use this SOCKS 4a proxy") { $0.proxy.set($1, .socks4a) },
    .value("socks5", nil, "host[:port]", "Use this SOCKS 5 proxy") { $0.proxy.set($1, .socks5) },
    .value("socks5-hostname", nil, "host[:port]", "Use this SOCKS 5 proxy, which resolves the host name") {
      $0.proxy.set($1, .socks5h)
    },
    .value("proxy-user", "U", "user:password", "The user and password for the proxy") { $0.proxy.user = $1 },
    .flag("proxy-basic", nil, "Authenticate with the proxy by Basic") { $0.proxy.use(.basic, $1) },
    .flag("proxy-digest", nil, "Authenticate with the proxy by Digest") { $0.proxy.use(.digest, $1) },
    .flag("proxy-ntlm", nil, "Authenticate with the proxy by NTLM") { $0.proxy.use(.ntlm, $1) },
    .flag("proxy-negotiate", nil, "Authenticate with the proxy by Negotiate (SPNEGO)") { $0.proxy.use(.negotiate, $1) },
    .flag("proxy-anyauth", nil, "Authenticate with the proxy by the strongest scheme that it offers") {
      $0.proxy.schemes = $1 ? .any : []
    },
    .flag("socks5-basic", nil, "For compatibility: SOCKS 5 uses a user and password that are given") { _, _ in },
    .value("proxy-header", nil, "header/@file", "Add a header for the proxy") { $0.proxy.headers.append($1) },
    .value("noproxy", nil, "hosts", "Hosts that are connected to directly, separated by commas; * is all") {
      $0.proxy.exceptions = $1
    },
    .flag("proxytunnel", "p", "Use CONNECT for http too") { $0.proxy.tunnels = $1 },
    .flag("suppress-connect-headers", nil, "Do not show the headers of CONNECT") { $0.proxy.showsConnectHeads = !$1 },
    .flag("proxy-insecure", nil, "Do not verify an https proxy's certificate") { $0.proxy.tls.insecure = $1 },
    .value("proxy-cacert", nil, "file", "--cacert for the proxy") { $0.proxy.tls.caFile = $1 },
    .value("proxy-capath", nil, "dir", "--capath for the proxy") { $0.proxy.tls.caDirectory = $1 },
    .value("proxy-crlfile", nil, "file", "--crlfile for the proxy") { $0.proxy.tls.revocationLists = $1 },
    .value("proxy-cert", nil, "cert[:password]", "--cert for the proxy") { $0.proxy.tls.setCertificate($1) },
    .value("proxy-cert-type", nil, "type", "--cert-type for the proxy") { $0.proxy.tls.certificateType = $1 },
    .value("proxy-key", nil, "key", "--key for the proxy") { $0.proxy.tls.key = $1 },
    .value("proxy-key-type", nil, "type", "--key-type for the proxy") { $0.proxy.tls.keyType = $1 },
    .value("proxy-pass", nil, "phrase", "--pass for the proxy") { $0.proxy.tls.password = $1 },
    .value("proxy-pinnedpubkey", nil, "hashes", "--pinnedpubkey for the proxy") { $0.proxy.tls.pinned = $1 },
    .lone("proxy-tlsv1", nil, "--tlsv1 for the proxy") { $0.proxy.tls.minimum = .v1_0 },
    .value("proxy-ciphers", nil, "list", "--ciphers for the proxy") { $0.proxy.tls.ciphers = $1 },
    .value("proxy-tls13-ciphers", nil, "list", "--tls13-ciphers for the proxy") { $0.proxy.tls.cipherSuites = $1 },
  ]
}

extension ProxyArguments {
  fileprivate mutating func set(_ text: String, _ scheme: Proxy.Scheme) {
    (url, self.scheme, isHTTP10) = (text, scheme, false)
  }

  fileprivate mutating func use(_ scheme: AuthenticationSchemes, _ isOn: Bool) {
    if isOn { schemes.insert(scheme) } else { schemes.remove(scheme) }
  }
}

extension TLSArguments {
  /// `certificate:password`; `\:` and `\\` stand for themselves.
  fileprivate mutating func setCertificate(_ text: String) {
    var name = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == ":" {
        if !rest.isEmpty { password = String(rest) }
        break
      }
      if character == "\\", let next = rest.first, next == ":" || next == "\\" {
        name.append(next)
        rest.removeFirst()
      } else {
        name.append(character)
      }
    }
    certificate = name
  }
}

internal import FaradayCore

extension Options {
  /// Returns curl's options for the request's transport options, and remarks for options that curl does not have. Passwords are
  /// left out, unless `revealingSecrets` is true.
  func curlOptions(revealingSecrets: Bool) -> (options: [(name: String, value: String?)], remarks: [String]) {
    guard let fields = transport?.fields else { return ([], []) }
    var list = CurlOptionList(revealingSecrets: revealingSecrets)
    for option in TransportOption.all where option.isUncommon && option.isSet(in: self) { list.add(option, fields) }
    list.add(fields.tls)
    list.add(fields.network)
    switch fields.proxy {
    case .automatic: break
    case .direct: list.add("--noproxy", "*")
    case .proxy(let proxy): list.add(proxy)
    }
    if let upgrade = fields.upgrade { list.add(upgrade) }
    if let authentication = fields.authentication { list.add(authentication) }
    if let rate = fields.rates.maximumReceive ?? fields.rates.maximumSend { list.add("--limit-rate", "\(rate)") }
    if let minimum = fields.rates.minimum {
      list.add("--speed-limit", "\(minimum)")
      list.add("--speed-time", "\(max(1, Int64(fields.rates.minimumFor.withinClocks.inSeconds.rounded(.up))))")
    }
    return (list.options, list.remarks)
  }
}

/// curl's options for the TLS, network, proxy and authentication of a request.
private struct CurlOptionList {
  let revealingSecrets: Bool
  private(set) var options: [(name: String, value: String?)] = []
  private(set) var remarks: [String] = []

  init(revealingSecrets: Bool) { self.revealingSecrets = revealingSecrets }

  mutating func add(_ name: String, _ value: String? = nil) { options.append((name, value)) }

  /// Adds an option whose row has the name and the value.
  mutating func add(_ option: TransportOption, _ fields: TransportOption.Fields) {
    switch option.curl {
    case .flag(let name, _), .word(let name): add(name)
    case .value(let name, let text): if let value = text(fields) { add(name, value) }
    case .other, nil: break
    }
  }

  // MARK: options with rules of their own

  mutating func add(_ upgrade: Upgrade) {
    add("--http1.1")
    add("-H", "Connection: Upgrade")
    add("-H", "Upgrade: \(upgrade.name)")
    remarks.append("without what is sent after the switch of protocols")
  }

  mutating func add(_ tls: TLS) {
    if !tls.verifiesServer { add("-k") }
    if tls.minimumVersion != .v1_2 { add("--tlsv" + Self.number(tls.minimumVersion)) }
    if let maximum = tls.maximumVersion { add("--tls-max", Self.number(maximum)) }
    if tls.caCertificates != nil { remarks.append("without its certificate authorities, which are in memory") }
    if tls.verifier != nil { remarks.append("without its certificate verifier") }
    guard let client = tls.clientCertificate else { return }
    guard case .file(let path) = client.certificate else {
      remarks.append("without its client certificate, which is in memory")
      return
    }
    add("--cert", path)
    if client.format != .pem { add("--cert-type", client.format == .der ? "DER" : "P12") }
    if case .file(let key) = client.key {
      add("--key", key)
      if client.format == .der { add("--key-type", "DER") }
    }
    if let password = client.password { add("--pass", revealingSecrets ? password : Secrets.mark) }
  }

  mutating func add(_ network: Network) {
    if let path = network.unixSocket {
      if path.hasPrefix("@") { add("--abstract-unix-socket", String(path.dropFirst())) } else { add("--unix-socket", path) }
    }
    for override in network.hostOverrides {
      // curl cannot express "any port".
      for port in override.port.map({ [$0] }) ?? [80, 443] {
        add(
          "--resolve", "\(override.host.bracketedHost):\(port):" + override.addresses.map(\.bracketedHost).joined(separator: ","))
      }
    }
    for target in network.connectTo {
      func text(_ port: Int?) -> String { port.map(String.init) ?? "" }
      let (host, toHost) = ((target.host ?? "").bracketedHost, (target.toHost ?? "").bracketedHost)
      add("--connect-to", "\(host):\(text(target.port)):\(toHost):\(text(target.toPort))")
    }
    if let resolver = network.dnsOverHTTPS {
      add("--doh-url", revealingSecrets ? resolver : Secrets().redacting(urlText: resolver))
    }
    switch network.ipVersion {
    case .any: break
    case .v4: add("-4")
    case .v6: add("-6")
    }
    if network.tcpKeepAlive == nil { add("--no-keepalive") }
  }

  mutating func add(_ proxy: Proxy) {
    add("-x", proxy.description)
    if let user = proxy.user {
      add("-U", revealingSecrets ? "\(user):\(proxy.password ?? "")" : "\(Secrets.mark):\(Secrets.mark)")
    }
    add(proxy.authentication, prefix: "--proxy-", default: .basic)
    if proxy.tunnels { add("-p") }
    for field in proxy.headers {
      add("--proxy-header", revealingSecrets ? "\(field.name): \(field.value)" : "\(field.name): \(Secrets.mark)")
    }
    if proxy.tls != TLS() { remarks.append("without the TLS options of its proxy") }
    if !proxy.exceptions.isEmpty { add("--noproxy", proxy.exceptions.joined(separator: ",")) }
  }

  mutating func add(_ authentication: TransportAuthentication) {
    add(authentication.schemes, prefix: "--", default: .basic)
    add("-u", revealingSecrets ? "\(authentication.user):\(authentication.password)" : "\(Secrets.mark):\(Secrets.mark)")
  }

  private mutating func add(_ schemes: AuthenticationSchemes, prefix: String, default usual: AuthenticationSchemes) {
    switch schemes {
    case usual: break
    case .digest: add(prefix + "digest")
    case .ntlm: add(prefix + "ntlm")
    case .negotiate: add(prefix + "negotiate")
    default: add(prefix + "anyauth")
    }
  }

  private static func number(_ version: TLSVersion) -> String { "1.\(version.rawValue)" }
}

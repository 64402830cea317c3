extension UncommonOptions.Fields {
  /// The capabilities that these options need.
  var neededCapabilities: Capabilities {
    var needed = tls.neededCapabilities.union(network.neededCapabilities)
    if proxy != .automatic { needed.insert(.proxies) }
    if addressPolicy != nil { needed.insert(.addressPolicy) }
    if authentication != nil { needed.insert(.authentication) }
    if rates.maximumSend != nil || rates.maximumReceive != nil { needed.insert(.rateLimits) }
    if rates.minimum != nil { needed.insert(.minimumRate) }
    if acceptsHTTP0_9 { needed.insert(.http0_9) }
    if requestTrailers != nil { needed.insert(.requestTrailers) }
    if onRawHead != nil { needed.insert(.rawHeads) }
    if onTrace != nil { needed.insert(.trace) }
    return needed
  }

  /// Throws if an option has a value that no adapter can use.
  func check(_ request: Request) throws(TransportError) {
    try tls.check("options.tls", for: request)
    try network.check(for: request)
    for (name, rate) in [
      ("maximumSend", rates.maximumSend), ("maximumReceive", rates.maximumReceive), ("minimum", rates.minimum),
    ] {
      if let rate, rate < 1 { throw TransportError(.invalidOption, building: request, "options.rates.\(name) is less than 1") }
    }
    if requestTrailers != nil, request.body.length != nil || request.body.isEmpty {
      throw TransportError(
        .invalidOption, building: request, "options.requestTrailers needs a body of unknown length, which is sent in chunks")
    }
    if let authentication {
      if (authentication.user + authentication.password).utf8.contains(0) {
        throw TransportError(.invalidOption, building: request, "options.authentication has a NUL character")
      }
      try authentication.schemes.check("options.authentication", for: request)
    }
    if case .proxy(let proxy) = proxy { try proxy.check(for: request) }
  }
}

extension AuthenticationSchemes {
  fileprivate func check(_ name: String, for request: Request) throws(TransportError) {
    guard !isEmpty, isSubset(of: .any) else {
      throw TransportError(.invalidOption, building: request, "\(name) has no scheme, or an unknown one")
    }
  }
}

extension TLS {
  /// - Parameter name: what the options are called in an error.
  fileprivate func check(_ name: String, for request: Request) throws(TransportError) {
    if let caFile, caFile.utf8.contains(0) {
      throw TransportError(.invalidCA, building: request, "the path in \(name).caFile contains a NUL character")
    }
    for (part, text) in texts {
      if let text, text.utf8.contains(0) || text.isEmpty {
        throw TransportError(.invalidOption, building: request, "\(name).\(part) is empty or contains a NUL character")
      }
    }
    if let password = clientCertificate?.password, password.utf8.contains(0) {
      throw TransportError(.invalidOption, building: request, "\(name).clientCertificate.password contains a NUL character")
    }
    for pin in pinnedPublicKeys where Data(base64Encoded: pin)?.count != 32 {
      throw TransportError(
        .invalidOption, building: request, "\(name).pinnedPublicKeys has one that is not the base64 of a SHA-256 hash")
    }
    if let maximumVersion, maximumVersion < minimumVersion {
      throw TransportError(.invalidOption, building: request, "\(name).maximumVersion is below the minimum version")
    }
  }

  /// The options that are texts of C libraries, with their names.
  private var texts: [(name: String, text: String?)] {
    [
      ("caDirectory", caDirectory), ("revocationLists", revocationLists), ("ciphers", ciphers), ("cipherSuites", cipherSuites),
      ("clientCertificate", clientCertificate?.certificate.path), ("clientCertificate.key", clientCertificate?.key?.path),
    ]
  }
}

extension ClientCertificate.Source {
  fileprivate var path: String? {
    if case .file(let path) = self { path } else { nil }
  }
}

extension Network {
  fileprivate func check(for request: Request) throws(TransportError) {
    for (name, text) in texts {
      if let text, text.utf8.contains(0) || text.isEmpty {
        throw TransportError(.invalidOption, building: request, "options.network.\(name) is empty or contains a NUL character")
      }
    }
    for override in hostOverrides
    where override.addresses.isEmpty || !override.addresses.allSatisfy({ IPAddress($0) != nil }) {
      throw TransportError(
        .invalidOption, building: request,
        "options.network.hostOverrides has none or no valid IP address for \(override.host.bounded())")
    }
    let ports = hostOverrides.map(\.port) + connectTo.flatMap { [$0.port, $0.toPort] }
    guard ports.allSatisfy({ port in port.map { (1...65_535).contains($0) } ?? true }) else {
      throw TransportError(
        .invalidOption, building: request,
        "options.network.hostOverrides or connectTo has a port that is not a number from 1 to 65535")
    }
    for address in dnsServers where !address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) {
      throw TransportError(.invalidOption, building: request, "options.network.dnsServers has one that is no address")
    }
    if let localPorts, localPorts.lowerBound == 0 {
      throw TransportError(.invalidOption, building: request, "options.network.localPorts begins with 0, which is no port")
    }
  }

  /// The options that are texts of C libraries, with their names.
  private var texts: [(name: String, text: String?)] {
    var texts: [(name: String, text: String?)] = [
      ("unixSocket", unixSocket), ("dnsOverHTTPS", dnsOverHTTPS), ("localAddress", localAddress),
    ]
    for target in connectTo { texts += [("connectTo", target.host), ("connectTo", target.toHost)] }
    for override in hostOverrides { texts.append(("hostOverrides", override.host)) }
    return texts
  }
}

extension TLS {
  fileprivate var neededCapabilities: Capabilities {
    var needed: Capabilities = []
    if caFile != nil { needed.insert(.customCA) }
    if caDirectory != nil || caCertificates != nil { needed.insert(.tlsAuthorities) }
    if !verifiesServer { needed.insert(.unverifiedTLS) }
    if revocationLists != nil { needed.insert(.revocationLists) }
    if !pinnedPublicKeys.isEmpty { needed.insert(.pinnedPublicKeys) }
    if clientCertificate != nil { needed.insert(.clientCertificates) }
    if minimumVersion != .v1_2 || maximumVersion != nil { needed.insert(.tlsVersions) }
    if ciphers != nil || cipherSuites != nil { needed.insert(.tlsCiphers) }
    if !resumesSessions || !negotiatesProtocol { needed.insert(.tlsHandshake) }
    if reportsPeerCertificates || verifier != nil { needed.insert(.peerCertificates) }
    return needed
  }
}

extension Network {
  fileprivate var neededCapabilities: Capabilities {
    var needed: Capabilities = []
    if unixSocket != nil { needed.insert(.unixSockets) }
    if !hostOverrides.isEmpty || !connectTo.isEmpty { needed.insert(.otherAddresses) }
    if !dnsServers.isEmpty { needed.insert(.dnsServers) }
    if dnsOverHTTPS != nil { needed.insert(.dnsOverHTTPS) }
    if localAddress != nil || localPorts != nil { needed.insert(.localAddress) }
    if ipVersion != .any || happyEyeballsDelay != nil { needed.insert(.ipVersion) }
    if !tcpNoDelay || tcpKeepAlive != .seconds(60) { needed.insert(.tcpOptions) }
    if tcpUserTimeout != nil { needed.insert(.tcpUserTimeout) }
    return needed
  }
}

extension Proxy {
  /// Throws if no adapter can use it.
  package func check(for request: Request) throws(TransportError) {
    if let field = headers.first(where: { !$0.isSendable }) {
      throw TransportError(.invalidHeader, building: request, "the proxy's header \(field.unsendableReason)")
    }
    guard headers.isEmpty || !scheme.isSOCKS else {
      throw TransportError(.invalidOption, building: request, "the proxy has header fields, which SOCKS cannot send")
    }
    guard scheme == .https || tls == TLS() else {
      throw TransportError(
        .invalidOption, building: request, "the proxy has tls options, which only the connection to an https proxy uses")
    }
    let login = (user ?? "") + (password ?? "")
    guard Self.isHost(host), !login.utf8.contains(0), port.map({ (1...65_535).contains($0) }) ?? true else {
      throw TransportError(.invalidOption, building: request, "the proxy has no valid host, port, user or password")
    }
    try authentication.check("the proxy's authentication", for: request)
    try tls.check("the proxy's tls", for: request)
    guard tls.resumesSessions, tls.negotiatesProtocol, !tls.reportsPeerCertificates, tls.verifier == nil else {
      throw TransportError(
        .invalidOption, building: request,
        "the proxy's tls sets session resumption, ALPN, the report of certificates or a verifier, which are the request's")
    }
  }

  /// Whether it is a name or an address; brackets and colons are those of an IPv6 address.
  static func isHost(_ host: String) -> Bool {
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#@\\".utf8.contains($0) }) else { return false }
    return !host.utf8.contains { "[]:".utf8.contains($0) } || IPAddress(host)?.isIPv4 == false
  }
}

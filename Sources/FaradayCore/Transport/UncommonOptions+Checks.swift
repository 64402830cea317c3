extension UncommonOptions.Fields {
  /// The capabilities that these options need.
  var neededCapabilities: Capabilities {
    var needed = tls.neededCapabilities.union(network.neededCapabilities)
    if proxy != .automatic { needed.insert(.proxies) }
    if addressPolicy != nil { needed.insert(.addressPolicy) }
    if authentication != nil { needed.insert(.authentication) }
    if rates.maximumSend != nil || rates.maximumReceive != nil { needed.insert(.rateLimits) }
    if rates.minimum != nil { needed.insert(.minimumRate) }
    if requestTrailers != nil { needed.insert(.requestTrailers) }
    if onRawHead != nil { needed.insert(.rawHeads) }
    if onTrace != nil { needed.insert(.trace) }
    return needed
  }

  /// Throws if an option has a value that no adapter can use.
  func check(_ request: Request) throws(TransportError) {
    if let caFile = tls.caFile, caFile.utf8.contains(0) {
      throw TransportError(.invalidCA, building: request, "the path in options.tls.caFile contains a NUL character")
    }
    for (name, text) in texts where text.utf8.contains(0) || text.isEmpty {
      throw TransportError(.invalidOption, building: request, "\(name) is empty or contains a NUL character")
    }
    for pin in tls.pinnedPublicKeys where Data(base64Encoded: pin)?.count != 32 {
      throw TransportError(
        .invalidOption, building: request, "options.tls.pinnedPublicKeys has one that is not the base64 of a SHA-256 hash")
    }
    if let maximum = tls.maximumVersion, maximum < tls.minimumVersion {
      throw TransportError(.invalidOption, building: request, "options.tls.maximumVersion is below the minimum version")
    }
    for override in network.hostOverrides
    where override.addresses.isEmpty || !override.addresses.allSatisfy({ IPAddress($0) != nil }) {
      throw TransportError(
        .invalidOption, building: request,
        "options.network.hostOverrides has none or no valid IP address for \(override.host.bounded())")
    }
    for address in network.dnsServers where !address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) {
      throw TransportError(.invalidOption, building: request, "options.network.dnsServers has one that is no address")
    }
    if let ports = network.localPorts, ports.lowerBound == 0 {
      throw TransportError(.invalidOption, building: request, "options.network.localPorts begins with 0, which is no port")
    }
    for (name, rate) in [
      ("maximumSend", rates.maximumSend), ("maximumReceive", rates.maximumReceive), ("minimum", rates.minimum),
    ] {
      if let rate, rate < 1 { throw TransportError(.invalidOption, building: request, "options.rates.\(name) is less than 1") }
    }
    if requestTrailers != nil, request.body.length != nil || request.body.isEmpty {
      throw TransportError(
        .invalidOption, building: request, "options.requestTrailers needs a body of unknown length, which is sent in chunks")
    }
    if let authentication, (authentication.user + authentication.password).utf8.contains(0) {
      throw TransportError(.invalidOption, building: request, "options.authentication has a NUL character")
    }
    if case .proxy(let proxy) = proxy { try proxy.check(for: request) }
  }

  /// The options that are texts of C libraries, with their names.
  private var texts: [(name: String, text: String)] {
    var texts: [(String, String?)] = [
      ("options.tls.caDirectory", tls.caDirectory), ("options.tls.revocationLists", tls.revocationLists),
      ("options.tls.ciphers", tls.ciphers), ("options.tls.cipherSuites", tls.cipherSuites),
      ("options.network.unixSocket", network.unixSocket), ("options.network.dnsOverHTTPS", network.dnsOverHTTPS),
      ("options.network.localAddress", network.localAddress),
    ]
    if case .file(let path)? = tls.clientCertificate?.certificate { texts.append(("options.tls.clientCertificate", path)) }
    if case .file(let path)? = tls.clientCertificate?.key { texts.append(("options.tls.clientCertificate.key", path)) }
    if let password = tls.clientCertificate?.password, password.utf8.contains(0) {
      texts.append(("options.tls.clientCertificate.password", password))
    }
    for target in network.connectTo {
      texts += [("options.network.connectTo", target.host), ("options.network.connectTo", target.toHost)]
    }
    for override in network.hostOverrides { texts.append(("options.network.hostOverrides", override.host)) }
    return texts.compactMap { name, text in text.map { (name, $0) } }
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
    if reportsPeerCertificates { needed.insert(.peerCertificates) }
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
    return needed
  }
}

extension Proxy {
  /// Throws if no adapter can use it.
  package func check(for request: Request) throws(TransportError) {
    for field in headers
    where field.withUnsafeBytesOfValue({ $0.contains(where: \.endsLine) }) || field.name.rawName.hasPrefix(":") {
      throw TransportError(
        .invalidHeader, building: request, "the proxy's header \(field.name) contains CR, LF or NUL, or is a pseudo-header field")
    }
    let login = (user ?? "") + (password ?? "")
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#@\\".utf8.contains($0) }),
      !login.utf8.contains(0), port.map({ (0...65_535).contains($0) }) ?? true
    else { throw TransportError(.invalidOption, building: request, "the proxy has no valid host, port, user or password") }
  }
}

import Faraday

/// The options of the transport. Without options curl's defaults apply, not the library's.
struct TransportSettings {
  let settings: Operation
  private let transport: Transport
  private let capabilities: Capabilities

  init(_ settings: Operation) {
    self.settings = settings
    transport = settings.transport
    capabilities = settings.transport.capabilities
  }

  /// Applies them. Throws if the transport does not support one that was given.
  func apply(to options: inout Options, of target: Target) throws {
    try check(target)
    options.timeouts = Timeouts(connect: settings.connectTimeout ?? defaultConnectTimeout, idle: nil, total: settings.maxTime)
    options.decompression = settings.compressed ? .standard : nil
    if let version = settings.version, version != .http2 || target.scheme == "https" { options.httpVersion = version }
    // Options that are not given are not set: an adapter may lack them.
    if settings.tls != TLSArguments() { options.tls = try settings.tls.tls("") }
    if settings.network != NetworkArguments() { options.network = try settings.network.network() }
    let proxy = try settings.proxy.selection(for: target)
    if proxy != .automatic { options.proxy = proxy }
    if let rates { options.rates = rates }
    // For %{certs} and %{num_certs}.
    if settings.writeOut?.contains("certs}") == true, capabilities.contains(.peerCertificates) {
      options.tls.reportsPeerCertificates = true
    }
    var curlSettings = settings.curlSettings
    if settings.proxy.isHTTP10 { curlSettings.append(CurlSetting("PROXYTYPE", 1)) }
    if !settings.proxy.showsConnectHeads { curlSettings.append(.noConnectHeads) }
    if !curlSettings.isEmpty {
      guard transport == .curl else {
        throw CommandFailure(
          ExitStatus.unsupported, "libcurl's \(curlSettings[0].name) is not supported by \(transport.adapterName)")
      }
      options[CurlSetting.Key.self] = curlSettings
    }
  }

  private var rates: TransferRates? {
    var rates = settings.rates
    // Either of the two has a default of the other.
    if settings.speedLimit != nil || settings.speedTime != nil, settings.speedLimit != 0, settings.speedTime != .zero {
      rates.minimum = settings.speedLimit ?? 1
      rates.minimumFor = settings.speedTime ?? .seconds(30)
    }
    return rates == TransferRates() ? nil : rates
  }

  /// Throws with the name of the command-line option. The library would throw too, except for a timeout that equals its
  /// default.
  private func check(_ target: Target) throws {
    let (tls, network, proxy) = (settings.tls, settings.network, settings.proxy)
    let demands: [(option: String, isGiven: Bool, capability: Capabilities)] = [
      ("--insecure", tls.insecure, .unverifiedTLS), ("--cacert", tls.caFile != nil, .customCA),
      ("--capath", tls.caDirectory != nil, .tlsAuthorities), ("--crlfile", tls.revocationLists != nil, .revocationLists),
      ("--cert", tls.certificate != nil, .clientCertificates), ("--pinnedpubkey", tls.pinned != nil, .pinnedPublicKeys),
      ("--tlsv1.x", tls.minimum != nil && tls.minimum != .v1_2, .tlsVersions), ("--tls-max", tls.maximum != nil, .tlsVersions),
      ("--ciphers", tls.ciphers != nil || tls.cipherSuites != nil, .tlsCiphers),
      ("--no-sessionid", !tls.resumesSessions, .tlsHandshake), ("--no-alpn", !tls.negotiatesProtocol, .tlsHandshake),
      ("--http1.0", settings.version == .http1_0, .http1_0), ("--http1.1", settings.version == .http1, .http1Only),
      // Over http it is HTTP/1.1: the upgrade to h2c is obsolete (RFC 9113, section 3.1).
      ("--http2", settings.version == .http2 && target.scheme == "https", .http2),
      ("--http2-prior-knowledge", settings.version == .http2PriorKnowledge, .http2PriorKnowledge),
      ("--http3", settings.version == .http3, .http3), ("--compressed", settings.compressed, .encodedBodies),
      ("--connect-timeout", settings.connectTimeout != nil, .connectTimeout),
      ("--max-time", settings.maxTime != nil, .totalTimeout),
      ("--limit-rate", settings.rates.maximumReceive != nil, .rateLimits),
      ("--speed-limit", settings.speedLimit ?? 0 > 0 || settings.speedTime ?? .zero > .zero, .minimumRate),
      ("--unix-socket", network.unixSocket != nil, .unixSockets), ("--resolve", !network.resolve.isEmpty, .otherAddresses),
      ("--connect-to", !network.connectTo.isEmpty, .otherAddresses), ("--interface", network.interface != nil, .localAddress),
      ("--local-port", network.localPorts != nil, .localAddress), ("--ipv4, --ipv6", network.ipVersion != .any, .ipVersion),
      ("--happy-eyeballs-timeout-ms", network.happyEyeballsDelay != nil, .ipVersion),
      ("--dns-servers", network.dnsServers != nil, .dnsServers), ("--doh-url", network.dnsOverHTTPS != nil, .dnsOverHTTPS),
      ("--keepalive-time", !network.keepAlive || network.keepAliveTime != nil || !network.noDelay, .tcpOptions),
      ("--proxy", proxy.url.map { !$0.isEmpty } ?? false, .proxies),
      ("--request-target", settings.requestTarget != nil, .verbatimTarget),
      ("--digest, --ntlm, --negotiate", !settings.schemes.isSubset(of: .basic), .authentication),
    ]
    for demand in demands where demand.isGiven && !capabilities.contains(demand.capability) {
      let name = demand.capability.names.joined(separator: ", ")
      throw CommandFailure(
        ExitStatus.unsupported, "\(demand.option) is not supported by \(transport.adapterName): it has no \(name)")
    }
  }

  /// curl's default, for adapters that support a connect timeout: others would refuse the request.
  private var defaultConnectTimeout: Duration? {
    capabilities.contains(.connectTimeout) ? .seconds(300) : Timeouts().connect
  }
}

extension TLSArguments {
  /// The TLS options. `prefix` is that of the arguments' names: `proxy-` or nothing.
  func tls(_ prefix: String) throws -> TLS {
    var tls = TLS(caFile: caFile, verifiesServer: !insecure)
    tls.caDirectory = caDirectory
    tls.revocationLists = revocationLists
    tls.minimumVersion = minimum ?? .v1_2
    tls.maximumVersion = maximum
    if let maximum, minimum == nil, maximum < tls.minimumVersion { tls.minimumVersion = maximum }
    tls.ciphers = ciphers
    tls.cipherSuites = cipherSuites
    tls.resumesSessions = resumesSessions
    tls.negotiatesProtocol = negotiatesProtocol
    tls.clientCertificate = try clientCertificate(prefix)
    tls.pinnedPublicKeys = try pinnedKeys(prefix)
    return tls
  }

  private func clientCertificate(_ prefix: String) throws -> ClientCertificate? {
    guard let certificate else { return nil }
    let formats: [String: ClientCertificate.Format] = ["PEM": .pem, "DER": .der, "P12": .pkcs12]
    guard let format = formats[certificateType?.uppercased() ?? "PEM"] else {
      throw CommandFailure(58, "--\(prefix)cert-type: \(certificateType ?? "") is not supported; use PEM, DER or P12")
    }
    if let keyType, formats[keyType.uppercased()] != format {
      throw CommandFailure(58, "--\(prefix)key-type: certificate and key must be of the same type")
    }
    return ClientCertificate(.file(certificate), key: key.map { .file($0) }, format: format, password: password)
  }

  private func pinnedKeys(_ prefix: String) throws -> [String] {
    guard let pinned else { return [] }
    let keys = pinned.split(separator: ";").map(String.init)
    guard keys.allSatisfy({ $0.hasPrefix("sha256//") }), !keys.isEmpty else {
      throw CommandFailure(90, "--\(prefix)pinnedpubkey: files are not supported; use hashes: sha256//...")
    }
    return keys.map { String($0.dropFirst("sha256//".count)) }
  }
}

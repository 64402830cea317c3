import Faraday
import FaradayCurl

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
    // As with curl, --max-filesize is what limits a download.
    options.decompression = settings.compressed ? Decompression(maximumSize: .max, maximumRatio: .max) : nil
    if let version = settings.version, version != .http2 || target.scheme == "https" { options.httpVersion = version }
    // Options that are not given are not set: an adapter may lack them.
    if settings.acceptsHTTP09 { options.acceptsHTTP0_9 = true }
    let tls = transport == .curl && target.scheme == "https" ? settings.tls.withEnvironment() : settings.tls
    if tls != TLSArguments() { options.tls = try tls.tls("") }
    if settings.network != NetworkArguments() { options.network = try settings.network.network() }
    let proxy = try settings.proxySelection(for: target)
    // The proxy looks the name up.
    if case .proxy(let proxy) = proxy, proxy.resolvesNames { options.network.hostOverrides = [] }
    if proxy != .automatic { options.proxy = proxy }
    if let rates { options.rates = rates }
    // For %{certs} and %{num_certs}.
    if settings.writeOut?.contains("certs}") == true, capabilities.contains(.peerCertificates) {
      options.tls.reportsPeerCertificates = true
    }
    var curlSettings = settings.curlSettings + settings.tls.curlSettings("")
    if case .proxy(let proxy) = proxy, proxy.scheme == .https { curlSettings += settings.proxy.tls.curlSettings("PROXY_") }
    if settings.proxy.isHTTP10 { curlSettings.append(CurlSetting("PROXYTYPE", 1)) }
    curlSettings.removeAll { $0.name == "PRE_PROXY" && settings.proxy.isExcepted(target.host) }
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
      ("--http0.9", settings.acceptsHTTP09, .http0_9),
      ("--http1.0", settings.version == .http1_0, .http1_0), ("--http1.1", settings.version == .http1, .http1Only),
      // Over http it is HTTP/1.1: the upgrade to h2c is obsolete (RFC 9113, section 3.1).
      ("--http2", settings.version == .http2 && target.scheme == "https", .http2),
      ("--http2-prior-knowledge", settings.version == .http2PriorKnowledge, .http2PriorKnowledge),
      ("--http3", settings.version == .http3, .http3), ("--compressed", settings.compressed, .encodedBodies),
      ("--tr-encoding", settings.asksForTransferCoding, .encodedBodies),
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
      var problem = "it has no " + demand.capability.names.joined(separator: ", ")
      if transport == .curl, let reason = CurlAdapter.absence(of: demand.capability) { problem += ", " + reason }
      throw CommandFailure(
        ExitStatus.unsupported, "\(demand.option) is not supported by \(transport.adapterName): \(problem)")
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
    if let maximum, maximum < tls.minimumVersion {
      guard minimum == nil else { throw CommandFailure(35, "--tls-max \(maximum) is older than what --tlsv1.x demands") }
      tls.minimumVersion = maximum
    }
    tls.ciphers = ciphers
    tls.cipherSuites = cipherSuites
    tls.resumesSessions = resumesSessions
    tls.negotiatesProtocol = negotiatesProtocol
    tls.clientCertificate = try clientCertificate(prefix)
    tls.pinnedPublicKeys = pinnedKeys
    return tls
  }

  private func clientCertificate(_ prefix: String) throws -> ClientCertificate? {
    guard let certificate else { return nil }
    let formats: [String: ClientCertificate.Format] = ["PEM": .pem, "DER": .der, "P12": .pkcs12]
    for (name, type) in [("cert-type", certificateType), ("key-type", keyType)] {
      guard let type, formats[type.uppercased()] == nil else { continue }
      throw CommandFailure(58, "--\(prefix)\(name): \(type) is not supported; use PEM, DER or P12")
    }
    let format = formats[certificateType?.uppercased() ?? "PEM"] ?? .pem
    return ClientCertificate(.file(certificate), key: key.map { .file($0) }, format: format, password: password)
  }

  /// The hashes of `--pinnedpubkey`.
  private var pinnedKeys: [String] {
    guard let pinned, pinnedFile == nil else { return [] }
    return pinned.split(separator: ";").map { String($0.dropFirst("sha256//".count)) }
  }

  /// The file of `--pinnedpubkey`, in PEM or DER; nil if there are hashes.
  private var pinnedFile: String? { pinned.flatMap { $0.hasPrefix("sha256//") ? nil : $0 } }

  /// What libcurl can do and the library has no property for.
  func curlSettings(_ prefix: String) -> [CurlSetting] {
    let key = keyType.map { CurlSetting(prefix + "SSLKEYTYPE", $0.uppercased()) }
    return [key, pinnedFile.map { CurlSetting(prefix + "PINNEDPUBLICKEY", $0) }].compactMap(\.self)
  }

  /// The authorities of the environment, where none are given, as curl reads them.
  func withEnvironment() -> TLSArguments {
    guard caFile == nil, caDirectory == nil, !insecure else { return self }
    var completed = self
    completed.caFile = Environment.variable("CURL_CA_BUNDLE")
    guard completed.caFile == nil else { return completed }
    completed.caDirectory = Environment.variable("SSL_CERT_DIR")
    completed.caFile = Environment.variable("SSL_CERT_FILE")
    return completed
  }
}

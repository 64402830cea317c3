internal import FaradayCore
internal import FaradaySupport

/// The resource and the user of a request. A response of one identity is never returned to another.
///
/// A URL has one index, which all identities share, so that an invalidation applies to all of them. Its responses are stored
/// per identity.
struct Identity: Sendable {
  /// The URL without user, password and fragment, its scheme and host in lower case and in ASCII, without a default port.
  let url: String
  /// A digest of all other properties that distinguish requests for the URL; empty without credentials and uncommon options.
  private let partition: String

  init(_ request: Request) {
    url = Self.normalized(request.url)
    var parts = Self.credentials(of: request)
    // A decoded body differs from the body on the wire.
    if request.options.decompression != nil { parts.append("decoded") }
    if let transport = request.options.transport { parts += transport.identity }
    partition = parts.isEmpty ? "" : SHA256.hash(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8).hexadecimal
  }

  /// The key of the URL's index.
  var indexKey: CacheKey { Self.indexKey(ofNormalized: url) }

  static func indexKey(ofNormalized url: String) -> CacheKey { CacheKey("index " + url) }

  /// With fewer slots, invalidations of other URLs would more often prevent the storing of long bodies. Each slot is one small
  /// record at most.
  static let epochCount = 1024

  /// Returns the key of the record that changes with each invalidation: one of ``epochCount``, so that any number of URLs needs
  /// bounded space.
  static func epochKey(ofNormalized url: String) -> CacheKey {
    var url = url
    return CacheKey("invalidated \(url.withUTF8 { XXHash64.hash(UnsafeRawBufferPointer($0)) } % UInt64(epochCount))")
  }

  /// Returns the key of a response.
  func responseKey(_ generation: String, _ vary: Vary, _ headers: HTTPFields) -> CacheKey {
    let names = vary.names.joined(separator: ",")
    return CacheKey("response \(generation) \(partition) \(names) \(vary.values(in: headers)) \(url)")
  }

  /// Returns the fields of a request that identify the user and the site, and the user of its URL.
  static func credentials(of request: Request) -> [String] {
    let secrets = request.secrets
    var parts: [String] = []
    for field in request.headers {
      let name = field.name.canonicalName
      guard !harmless.contains(name) else { continue }
      if name == "host" || secrets.isRemovedCrossOrigin(field.name) { parts.append(name + ":" + field.value) }
    }
    if request.url.absoluteString.utf8.contains(UInt8(ascii: "@")) {
      let user = URLParts(request.url.absoluteString).user
      if !user.isEmpty { parts.append("user:" + user) }
    }
    return parts
  }

  static func normalized(_ url: URL) -> String {
    var parts = URLParts(url.absoluteString)
    parts.start = Substring(parts.start.lowercased())
    parts.user = ""
    var host = parts.host.lowercased()
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where parts.start == scheme && host.hasSuffix(port) {
      host.removeLast(port.utf8.count)
    }
    if host.hasSuffix(":") { host.removeLast() }
    if host.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }), !host.hasPrefix("[") {
      let name = host.prefix { $0 != ":" }
      host = (HostName.ascii(percentEncoded: name) ?? String(name)) + host[name.endIndex...]
    }
    parts.host = Substring(host)
    if parts.path.isEmpty { parts.path = "/" }
    parts.fragment = nil
    return parts.description
  }

  /// Fields that are not credentials, regardless of a connection's secrets: looking them up takes longer than everything else.
  /// Fields that a response varies by are compared with its `Vary`.
  private static let harmless: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection", "content-length",
    "content-type", "pragma", "user-agent",
  ]
}

extension UncommonOptions {
  /// The options that distinguish responses to equal URLs, as text: another server, another user, other trust settings.
  ///
  /// Written out, because Swift's hash values differ in each process, and descriptions hide secrets.
  var identity: [String] {
    var parts: [String] = []
    if fields.tls != TLS() { parts += ["tls"] + fields.tls.identity }
    if let user = fields.authentication {
      parts += ["authentication", user.user, user.password, "\(user.schemes.rawValue)"]
    }
    if fields.network != Network() { parts += ["network"] + fields.network.identity }
    switch fields.proxy {
    case .automatic: break
    case .direct: parts.append("direct")
    case .proxy(let proxy): parts += ["proxy"] + proxy.identity
    }
    if let policy = fields.addressPolicy {
      parts += ["addresses"] + policy.forbidden.map { "-\($0)" } + policy.allowed.map { "+\($0)" }
      parts += [
        policy.allowedPorts.map { "\($0.sorted())" } ?? "", "\(policy.forbiddenPorts.sorted())", "\(policy.allowsUnixSockets)",
        "\(policy.allowsProxies)",
      ]
    }
    return parts
  }
}

extension TLS {
  fileprivate var identity: [String] {
    [
      caFile ?? "-", caDirectory ?? "-", caCertificates.map { SHA256.hash($0).hexadecimal } ?? "-", "\(verifiesCertificate)",
      "\(verifiesHostName)", revocationLists ?? "-", "\(pinnedPublicKeys)", "\(minimumVersion.rawValue)",
      maximumVersion.map { "\($0.rawValue)" } ?? "-", tls12Ciphers ?? "-", tls13Ciphers ?? "-",
      verifier?.identity ?? "-",
    ] + (clientCertificate?.identity ?? [])
  }
}

extension ClientCertificate {
  /// Files are distinguished by their paths: a program that replaces the certificate in a file with another user's must empty
  /// the cache.
  fileprivate var identity: [String] {
    ["certificate", Self.text(certificate), key.map(Self.text) ?? "-", "\(format)", password ?? "-"]
  }

  private static func text(_ source: Source) -> String {
    switch source {
    case .file(let path): "file " + path
    case .bytes(let data): "bytes " + SHA256.hash(data).hexadecimal
    }
  }
}

extension Network {
  fileprivate var identity: [String] {
    [unixSocket ?? "-", dnsOverHTTPS ?? "-", localAddress ?? "-", "\(ipVersion)", "\(dnsServers)"]
      + hostOverrides.map { "\($0.host) \($0.port ?? -1) \($0.addresses)" }
      + connectTo.map { "\($0.host ?? "-") \($0.port ?? -1) \($0.toHost ?? "-") \($0.toPort ?? -1)" }
  }
}

extension Proxy {
  fileprivate var identity: [String] {
    [url, user ?? "-", password ?? "-", "\(authentication.rawValue)", "\(tunnels)", "\(exceptions)"]
      + headers.map { $0.name.canonicalName + ":" + $0.value } + tls.identity
  }
}

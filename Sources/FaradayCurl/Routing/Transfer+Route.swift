internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// The route of a request: derived from the request, its target and its proxy.
extension Transfer {
  // MARK: the proxy

  /// Whether the request is sent to a proxy in absolute form, instead of to the server.
  var isForwarded: Bool {
    guard !isDirect, let proxy, proxy.forwards(toSecure: target.isSecure) else { return false }
    // libcurl uses a tunnel if the request connects to another host or port.
    return transport.map { $0.fields.network.leadsElsewhere(from: target) } != true
  }

  /// Whether an HTTP proxy must open a tunnel (CONNECT).
  var needsTunnel: Bool { !isDirect && proxy.map { !$0.scheme.isSOCKS } == true && !isForwarded }

  // MARK: the request target

  /// The request target; nil if libcurl takes it from the URL.
  ///
  /// - Parameter answersChallenges: whether libcurl may respond to challenges. It hashes the request target of the URL for them.
  func requestTarget(answersChallenges: Bool) -> String? {
    switch options.requestTarget {
    case .verbatim(let text): return text
    // A proxy gets the origin without a path (RFC 9112, section 3.2.4).
    case .asterisk: return isForwarded ? target.origin : "*"
    case .origin: break
    }
    // libcurl knows the form that a proxy needs, also of a proxy that `unsafeCustomize` sets.
    guard answersChallenges || isForwarded || settings.customize != nil else { return target.originForm }
    // Newer libcurl drops the question mark of an empty query, and changes escapes.
    if hasLowercaseEscape, !answersChallenges { return isForwarded ? target.origin + target.originForm : target.originForm }
    return target.originForm.utf8.last == UInt8(ascii: "?") && !isForwarded ? target.originForm : nil
  }

  /// Whether the target has an escape in lower case (`%7e`), which newer libcurl changes to upper case (`%7E`).
  private var hasLowercaseEscape: Bool {
    target.originForm.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().contains { escape in
      escape.prefix(2).contains { $0 >= UInt8(ascii: "a") }
    }
  }

  /// The connection options of the request's `Connection` fields, in lower case.
  var connectionOptionNames: [Substring] {
    fields.flatMap { $0.name == .connection ? $0.value.lowercased().split { ", \t".contains($0) } : [] }
  }

  // MARK: the connection

  /// The gate that the request must pass before it may connect; nil if the request has no name to look up and no connection to
  /// share.
  var gateKey: GateKey? {
    if mayBeHTTP2 || mayBeHTTP3 { return .connection(origin: target.origin, connectionOptions) }
    if isDirect, transport.map({ $0.fields.network == Network() }) ?? true {
      return target.hasAddress ? nil : .origin(target.origin)
    }
    let network = transport.map { $0.fields.network } ?? Network()
    guard network.unixSocket == nil else { return nil }
    let server = proxy?.resolvesServer ?? false ? nil : network.endpoint(of: target).lookup
    let proxyName = proxy.flatMap { Endpoint(host: $0.host, port: $0.port ?? 0).lookup }
    guard server != nil || proxyName != nil else { return nil }
    return .lookup(
      Lookup(server: server, proxy: proxyName, isProxied: proxy != nil, network, transport.map { $0.fields.tls } ?? TLS()))
  }

  /// Whether the connection may need the scope of an IPv6 address: for a link-local address, or to find the address of an
  /// interface.
  var mayNeedScope: Bool {
    let network = transport.map { $0.fields.network } ?? Network()
    if let local = network.localAddress, IPAddress(local) == nil { return true }
    let endpoint = network.endpoint(of: target)
    return ([endpoint.host, proxy?.host ?? ""] + endpoint.addresses).contains { host in
      let name = host.lowercased().drop { $0 == "[" }
      return name.contains("%") || name.hasSuffix(".local")
        || ["fe8", "fe9", "fea", "feb"].contains { name.hasPrefix($0) && name.contains(":") }
    }
  }

  /// The options of the connection's socket.
  var tcpSettings: TCPSettings { transport.map { TCPSettings(of: $0) } ?? TCPSettings() }

  /// The address policies that apply to the request.
  var addressRules: AddressRules { AddressRules(settings, transport) }

  /// The custom verifier of the server's certificates; nil without TLS.
  var verifier: CertificateVerifier? { target.isSecure ? transport.flatMap { $0.fields.tls.verifier } : nil }

  // MARK: the version of HTTP

  /// Whether HTTP/3 is tried in addition to HTTP/2 and HTTP/1.1 over TCP. libcurl has no QUIC through a proxy, over a Unix
  /// socket, and with TLS options that QUIC excludes (RFC 9001, section 4.2).
  var mayBeHTTP3: Bool {
    guard target.isSecure, options.httpVersion == .http3, isDirect, Library.hasHTTP3 else { return false }
    guard let transport else { return true }
    return transport.fields.network.unixSocket == nil && transport.fields.tls.negotiatesProtocol
      && transport.fields.tls.maximumVersion.map { $0 == .v1_3 } ?? true
  }

  /// Whether the negotiated protocol (ALPN) is read from libcurl's log, because the TLS library does not report it.
  var readsProtocolFromLog: Bool { mayBeHTTP2 && target.isSecure && !OpenSSL.reportsALPN }

  /// Whether the request of an HTTP/2 response must be sent again over HTTP/1.1, once the head is complete: see
  /// ``Request/mayBeHTTP2(to:isSecure:)``.
  func needsHTTP1(forLength length: Int64?) -> Bool {
    guard !Library.Behaviour.hasSoundStreams else { return false }
    guard let length else {
      origin.lacksLengths = true
      return true
    }
    return length > max(Receiving.maximumBufferedBody, options.maximumBodySize)
  }
}

/// The preparation that the first of several requests does for the others. The others wait in the request queue
/// (``Admission/Gate``).
enum GateKey: Hashable {
  /// The DNS lookup of an origin's host, with the default options. libcurl uses a thread for each lookup, and does not share a
  /// lookup of the same name while it is running.
  case origin(String)
  /// Any other DNS lookup.
  case lookup(Lookup)
  /// A connection that may be HTTP/2, which the requests share.
  case connection(origin: String, ConnectionOptions?)

  var isLookup: Bool { if case .connection = self { false } else { true } }

  /// Whether the first open socket proves that all names were resolved.
  var endsWithFirstSocket: Bool {
    switch self {
    case .origin: true
    // Through a SOCKS proxy, libcurl looks up the server's name after it has connected to the proxy.
    case .lookup(let lookup): lookup.server == nil || !lookup.isProxied
    case .connection: false
    }
  }
}

/// The names that libcurl looks up for a request, and the lookup options. Equal lookups fail together.
final class Lookup: Hashable, Sendable {
  /// A host name and a port: libcurl's DNS cache uses both as its key.
  struct Name: Hashable {
    let host: String
    let port: Int
  }

  let server: Name?
  let proxy: Name?
  /// Whether there is a proxy. `proxy` is nil if the proxy's host is an IP address.
  let isProxied: Bool
  private let network: Network
  /// The TLS options of the connection to a DNS-over-HTTPS resolver.
  private let tls: TLS?

  init(server: Name?, proxy: Name?, isProxied: Bool, _ options: Network, _ tls: TLS) {
    self.server = server
    self.proxy = proxy
    self.isProxied = isProxied
    var network = Network()
    network.ipVersion = options.ipVersion
    network.dnsServers = options.dnsServers
    network.dnsOverHTTPS = options.dnsOverHTTPS
    self.network = network
    self.tls = options.dnsOverHTTPS == nil ? nil : tls
  }

  static func == (left: Lookup, right: Lookup) -> Bool {
    left.server == right.server && left.proxy == right.proxy && left.isProxied == right.isProxied && left.network == right.network
      && left.tls == right.tls
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(server)
    hasher.combine(proxy)
  }
}

/// The rules for HTTP/2: the requests that may use it, and the negotiated protocol.
///
/// **Before libcurl 8.4** HTTP/2 streams are unreliable. If the connection ends, or another stream is paused, libcurl may
/// report a truncated body as complete (up to 7.88; fixed in 8.0.0). A paused stream is buffered up to its window of 32 MiB,
/// may lose its last bytes (curl issue 11982), and takes quadratic time if it is paused again. An upload spins while the
/// server's window is closed (curl issue 10449), and loses an early response. libcurl reports none of these failures.
///
/// HTTP/2 is therefore used only where a second attempt over HTTP/1.1 is invisible: for safe requests (RFC 9110, section 9.2.1)
/// without a body whose response is delivered whole. A response with a stated length is compared by libcurl with that length (`CURLE_PARTIAL_FILE`). A response
/// without a stated length is dropped at its head, and the request is sent again over HTTP/1.1. Later requests to that origin
/// use HTTP/1.1 at once. No stream is paused: ``Options/maximumBodySize`` bounds the memory for a body.
extension Request {
  /// Whether HTTP/2 may be negotiated for the request.
  func mayBeHTTP2(to origin: KnownOrigin, isSecure: Bool) -> Bool {
    let options = options
    return switch options.httpVersion {
    case .http1, .http1_0: false
    // HTTP/2 has no `Upgrade` field (RFC 9113, section 8.2.2), and libcurl sends trailers only after chunks.
    case .automatic where options.transport.map({ $0.fields.upgrade != nil || $0.fields.requestTrailers != nil }) ?? false: false
    case .http2PriorKnowledge: true
    case .automatic, .http2, .http3:
      isSecure && Library.hasReliableHTTP2
        && (Library.Behaviour.hasSoundStreams
          || mayBeSentAgainUnnoticed(with: options) && !origin.lacksLengths)
    }
  }

  /// Whether the request can be sent again after the response's head without the caller noticing.
  private func mayBeSentAgainUnnoticed(with options: Options) -> Bool {
    method.isSafe && body.isEmpty && options.deliversAtOnce
      && options.transport.map { $0.fields.rates.maximumReceive == nil && $0.fields.authentication == nil } ?? true
  }
}

extension Options {
  /// Whether the response is delivered only when it is complete.
  var deliversAtOnce: Bool { deliversWhole && onInformational == nil && onRawHead == nil }
}

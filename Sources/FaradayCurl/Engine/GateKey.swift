internal import CCurl
internal import FaradayCore

/// What the first of several requests prepares for the others, which wait for it in the request queue (``Admission/Gate``).
enum GateKey: Hashable {
  /// The DNS lookup of an origin's own host, with the default options. libcurl takes a thread for each lookup, and does not share
  /// the lookups of a name before the first has ended.
  case origin(String)
  /// Any other DNS lookup.
  case lookup(Lookup)
  /// A connection that may be HTTP/2: the requests share it.
  case connection(origin: String, ConnectionOptions?)

  var isLookup: Bool { if case .connection = self { false } else { true } }

  /// Whether the first socket that is opened shows that all names were resolved.
  var endsWithFirstSocket: Bool {
    switch self {
    case .origin: true
    // Through a SOCKS proxy, libcurl looks up the server's name after it has connected to the proxy.
    case .lookup(let lookup): lookup.server == nil || !lookup.isProxied
    case .connection: false
    }
  }
}

/// The names that libcurl looks up for a request, and how. A failure of one lookup is the failure of all equal ones.
final class Lookup: Hashable, Sendable {
  /// A host name and a port: libcurl's DNS cache is by both.
  struct Name: Hashable {
    let host: String
    let port: Int
  }

  let server: Name?
  let proxy: Name?
  /// Whether there is a proxy; it may have an address.
  let isProxied: Bool
  private let network: Network
  /// The TLS options of the connection to a DNS-over-HTTPS resolver.
  private let tls: TLS?

  fileprivate init(server: Name?, proxy: Name?, isProxied: Bool, _ options: Network, _ tls: TLS) {
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

extension Transfer {
  /// The gate that the request must pass before it may connect; nil if it has nothing to wait for: there is no name to look up, and
  /// no connection to share.
  var gateKey: GateKey? {
    let options = request.options.transport?.fields
    if mayBeHTTP2 || mayBeHTTP3 { return .connection(origin: target.origin, connectionOptions) }
    let network = options?.network ?? Network()
    guard proxy != nil || options != nil && network != Network() else { return target.hasAddress ? nil : .origin(target.origin) }
    guard network.unixSocket == nil else { return nil }
    let server = proxy?.resolvesServer ?? false ? nil : network.endpoint(of: target).lookup
    let proxyName = proxy.flatMap { Endpoint(host: $0.host, port: $0.port ?? 0).lookup }
    guard server != nil || proxyName != nil else { return nil }
    return .lookup(Lookup(server: server, proxy: proxyName, isProxied: proxy != nil, network, options?.tls ?? TLS()))
  }
}

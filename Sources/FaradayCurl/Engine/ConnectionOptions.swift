internal import FaradayCore

/// The options that tell a connection from others to the same origin: requests with equal ones share connections.
///
/// Options are left out that say only how a connection is made (the delay of happy eyeballs, the resumption of TLS sessions), that
/// are applied to a kept connection (TCP), read from it (certificates), or sent with each request (a forwarding proxy's fields).
final class ConnectionOptions: Hashable, Sendable {
  private let tls: TLS
  private let network: Network
  /// The host and port that are connected to, if they are not the URL's.
  private let endpoint: Endpoint?
  private let proxy: Proxy?
  /// Whether HTTP/3 was tried, or may have been: a request that asks for it must not get a kept connection of HTTP/2 instead.
  private let mayBeHTTP3: Bool

  /// Nil for the default options.
  init?(of request: Request, to target: Target, through proxy: Proxy?, mayBeHTTP3: Bool) {
    let options = request.options.transport?.fields
    var tls = target.isSecure ? options?.tls ?? TLS() : TLS()
    tls.resumesSessions = true
    tls.reportsPeerCertificates = false
    var network = options?.network ?? Network()
    let endpoint = network.endpoint(of: target)
    let isURLs = endpoint.addresses.isEmpty && (endpoint.host, endpoint.port) == target.endpoint
    network.hostOverrides = []
    network.connectTo = []
    let defaults = Network()
    network.happyEyeballsDelay = defaults.happyEyeballsDelay
    network.tcpNoDelay = defaults.tcpNoDelay
    network.tcpKeepAlive = defaults.tcpKeepAlive
    network.tcpUserTimeout = defaults.tcpUserTimeout
    if proxy == nil, endpoint.lookup == nil { (network.dnsServers, network.dnsOverHTTPS) = ([], nil) }
    var proxy = proxy
    proxy?.exceptions = []
    // libcurl makes a tunnel to another host.
    if proxy?.forwards(toSecure: target.isSecure) ?? false, isURLs { proxy?.headers = HTTPFields() }
    guard proxy != nil || tls != TLS() || network != defaults || !isURLs || mayBeHTTP3 else { return nil }
    (self.tls, self.network, self.endpoint, self.proxy) = (tls, network, isURLs ? nil : endpoint, proxy)
    self.mayBeHTTP3 = mayBeHTTP3
  }

  /// Whether libcurl would take connections of requests with other options for these.
  var needsPool: Bool {
    mayBeHTTP3 || network.localAddress != nil || network.localPorts != nil || network.ipVersion != .any
      || !network.dnsServers.isEmpty
      || network.dnsOverHTTPS != nil || !tls.negotiatesProtocol || tls.clientCertificate != nil
      || tls.verifier != nil
      || proxy.map { $0.user != nil || !$0.headers.isEmpty } ?? false
  }

  static func == (left: ConnectionOptions, right: ConnectionOptions) -> Bool {
    left === right
      || left.tls == right.tls && left.network == right.network && left.endpoint == right.endpoint
        && left.proxy == right.proxy && left.mayBeHTTP3 == right.mayBeHTTP3
  }

  func hash(into hasher: inout Hasher) {
    // A few that differ often: all of them would take long.
    hasher.combine(tls.caFile)
    hasher.combine(tls.ciphers)
    hasher.combine(network.localAddress)
    hasher.combine(endpoint)
    hasher.combine(proxy?.host)
    hasher.combine(proxy?.user)
  }
}

/// Numbers of ``ConnectionOptions`` that libcurl does not compare, by which its connection pool keeps them apart.
struct ConnectionPools {
  private var numbers: [ConnectionOptions: Int] = [:]
  private var last = 0
  /// The number of all options that libcurl compares, and of the default ones; 0 is libcurl's own.
  private var usual = 0
  /// The number of options that are remembered. Connections with others are not found again, and closed when they are idle.
  static let maximum = 1000

  mutating func number(of options: ConnectionOptions?) -> Int {
    guard let options, options.needsPool else { return usual }
    if let known = numbers[options] { return known }
    if numbers.count >= Self.maximum { numbers = [:] }
    last += 1
    numbers[options] = last
    return last
  }

  /// Gives all options other numbers: no connection so far is found again.
  mutating func renew() {
    numbers = [:]
    last += 1
    usual = last
  }
}

extension Transfer {
  /// Whether the connection may need the scope of an IPv6 address: of a link-local one, or to find the address of an interface.
  var mayNeedScope: Bool {
    let network = request.options.transport?.fields.network ?? Network()
    if let local = network.localAddress, IPAddress(local) == nil { return true }
    let endpoint = network.endpoint(of: target)
    return ([endpoint.host, proxy?.host ?? ""] + endpoint.addresses).contains { host in
      let name = host.lowercased().drop { $0 == "[" }
      return name.contains("%") || name.hasSuffix(".local")
        || ["fe8", "fe9", "fea", "feb"].contains { name.hasPrefix($0) && name.contains(":") }
    }
  }
}

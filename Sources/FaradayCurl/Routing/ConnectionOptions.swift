@_spi(Adapters) internal import FaradayCore
internal import FaradaySupport

/// The options that distinguish connections to the same origin. Requests with equal options share connections.
///
/// Excluded are options that affect only how a connection is created (the happy eyeballs delay, TLS session resumption), that
/// are applied to an existing connection (TCP) or read from it (certificates), and that are sent with each request (a
/// forwarding proxy's fields).
final class ConnectionOptions: Hashable, Sendable {
  private let tls: TLS
  private let network: Network
  /// The host and port to connect to, if they differ from the URL's.
  private let endpoint: Endpoint?
  private let proxy: Proxy?
  /// Whether HTTP/3 was tried, or may have been. A request for HTTP/3 must not reuse an HTTP/2 connection.
  private let mayBeHTTP3: Bool
  private let hash: Int

  /// What the options are made of, for requests to one origin without a proxy.
  struct Key: Sendable, Equatable {
    /// ``UncommonOptions/number``. The object itself would keep all callbacks of a request alive.
    let transport: Int
    let mayBeHTTP3: Bool
    let withEarlyData: Bool
  }

  /// Returns nil for the default options.
  init?(of request: Request, to target: Target, through proxy: Proxy?, mayBeHTTP3: Bool, withEarlyData: Bool) {
    let options = request.options.transport
    var tls = target.isSecure ? options.map { $0.fields.tls } ?? TLS() : TLS()
    tls.resumesSessions = true
    // libcurl keeps connections with early data apart.
    if !withEarlyData { tls.sendsEarlyData = false }
    tls.reportsPeerCertificates = false
    var network = options.map { $0.fields.network } ?? Network()
    let endpoint = network.endpoint(of: target)
    let isURLs = endpoint.addresses.isEmpty && (endpoint.host, endpoint.port) == target.endpoint
    network.hostOverrides = []
    network.connectTo = []
    let defaults = Network()
    network.happyEyeballsDelay = defaults.happyEyeballsDelay
    network.tcpNoDelay = defaults.tcpNoDelay
    network.tcpKeepAlive = defaults.tcpKeepAlive
    network.tcpUserTimeout = defaults.tcpUserTimeout
    if proxy == nil, !network.dnsServers.isEmpty || network.dnsOverHTTPS != nil, endpoint.lookup == nil {
      (network.dnsServers, network.dnsOverHTTPS) = ([], nil)
    }
    var proxy = proxy
    proxy?.exceptions = []
    // libcurl uses a tunnel if the request connects to another host.
    if proxy?.forwards(toSecure: target.isSecure) ?? false, isURLs { proxy?.headers = HTTPFields() }
    guard proxy != nil || tls != TLS() || network != defaults || !isURLs || mayBeHTTP3 else { return nil }
    (self.tls, self.network, self.endpoint, self.proxy) = (tls, network, isURLs ? nil : endpoint, proxy)
    self.mayBeHTTP3 = mayBeHTTP3
    // Only a few options that often differ: hashing all of them would be slow.
    var hasher = Hasher()
    hasher.combine(tls.caFile)
    hasher.combine(tls.tls12Ciphers)
    hasher.combine(network.localAddress)
    hasher.combine(self.endpoint)
    hasher.combine(proxy?.host)
    hasher.combine(proxy?.user)
    hash = hasher.finalize()
  }

  /// Whether libcurl would reuse connections of requests with different options for this request.
  var needsPool: Bool {
    mayBeHTTP3 || network.localAddress != nil || network.localPorts != nil || network.ipVersion != .any
      || !network.dnsServers.isEmpty
      || network.dnsOverHTTPS != nil || !tls.negotiatesProtocol || tls.clientCertificate != nil
      || tls.verifier != nil
      || proxy.map { $0.user != nil || !$0.headers.isEmpty } ?? false
  }

  static func == (left: ConnectionOptions, right: ConnectionOptions) -> Bool {
    left === right
      || left.hash == right.hash && left.tls == right.tls && left.network == right.network && left.endpoint == right.endpoint
        && left.proxy == right.proxy && left.mayBeHTTP3 == right.mayBeHTTP3
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// Numbers for ``ConnectionOptions`` that libcurl does not compare. libcurl's connection pool uses the numbers to keep such
/// connections apart.
struct ConnectionPools {
  private var numbers: [ConnectionOptions: Int] = [:]
  private var last = 0
  /// The number of the default options, and of all options that libcurl compares. 0 is libcurl's default.
  private var usual = 0
  /// The maximum number of remembered options. Connections with forgotten options are not reused, and close when their idle
  /// time ends.
  static let maximum = 1000

  mutating func number(of options: ConnectionOptions?) -> Int {
    guard let options, options.needsPool else { return usual }
    if let known = numbers[options] { return known }
    if numbers.count >= Self.maximum { numbers = [:] }
    last += 1
    numbers[options] = last
    return last
  }

  /// Assigns new numbers to all options, so that no existing connection is reused.
  mutating func renew() {
    numbers = [:]
    last += 1
    usual = last
  }
}

/// A host, a port, and the addresses of the host if they are known without a DNS lookup.
struct Endpoint: Hashable {
  /// A name or an IP address. IPv6 addresses may have brackets.
  var host: String
  var port: Int
  var addresses: [String] = []

  /// The name that libcurl looks up; nil if the host is an address, or its addresses are known.
  var lookup: Lookup.Name? {
    addresses.isEmpty && IPAddress(host) == nil ? Lookup.Name(host: host.lowercased(), port: port) : nil
  }

  /// A name that identifies exactly these addresses. It is the key in libcurl's DNS cache and connection pool, and is never
  /// sent.
  func nameOfAddresses(_ addresses: [String]) -> String {
    // A hash that resists collisions: an attacker who controls the addresses of one host must not find a list with another
    // host's name.
    return "addresses-" + SHA256.hash(addresses.joined(separator: ",").utf8).hexadecimal.prefix(32) + ".invalid"
  }
}

extension Network {
  /// The host and port to connect to for a URL, directly or through the proxy.
  func endpoint(of target: Target) -> Endpoint {
    var (host, port) = target.endpoint
    if let match = connectTo.first(where: { Self.matches($0.host, host) && $0.port ?? port == port }) {
      host = match.toHost ?? host
      port = match.toPort ?? port
    }
    var endpoint = Endpoint(host: host, port: port)
    if let match = hostOverrides.first(where: { Self.matches($0.host == "*" ? nil : $0.host, host) && $0.port ?? port == port }) {
      endpoint.addresses = match.addresses
    }
    return endpoint
  }

  /// Whether ``connectTo`` or ``hostOverrides`` change the host or port.
  func leadsElsewhere(from target: Target) -> Bool {
    guard !hostOverrides.isEmpty || !connectTo.isEmpty else { return false }
    let endpoint = endpoint(of: target)
    let host = endpoint.addresses.first ?? endpoint.host
    return endpoint.port != target.endpoint.port
      || host.bracketedHost.lowercased() != target.endpoint.host.bracketedHost.lowercased()
  }

  /// Whether a host equals the wanted host; nil matches any host.
  private static func matches(_ wanted: String?, _ host: String) -> Bool {
    guard let wanted else { return true }
    return HostName.ascii(percentEncoded: wanted.bracketedHost) == HostName.ascii(host.bracketedHost)
  }
}

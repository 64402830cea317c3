/// Addresses of a host, which are used instead of a DNS lookup.
public struct HostOverride: Sendable, Hashable {
  /// The host of the URL, case-insensitive; `*` is any.
  public var host: String
  /// The port of the URL; nil is any.
  public var port: Int?
  /// IPv4 and IPv6 addresses, without brackets, in order of preference.
  public var addresses: [String]

  /// Addresses of a host.
  public init(_ host: String, port: Int? = nil, addresses: [String]) {
    self.host = host
    self.port = port
    self.addresses = addresses
  }
}

/// Another host and port to connect to.
public struct ConnectTo: Sendable, Hashable {
  /// The host of the URL, case-insensitive; nil is any.
  public var host: String?
  /// The port of the URL; nil is any.
  public var port: Int?
  /// The host to connect to; nil is that of the URL.
  public var toHost: String?
  /// The port to connect to; nil is that of the URL.
  public var toPort: Int?

  /// Another host, port, or both.
  public init(host: String? = nil, port: Int? = nil, toHost: String? = nil, toPort: Int? = nil) {
    self.host = host
    self.port = port
    self.toHost = toHost
    self.toPort = toPort
  }
}

/// Network options: host names and addresses, DNS, the local address, and TCP.
///
///     request.options.network.unixSocket = "/var/run/docker.sock"
///     request.options.network.hostOverrides = [HostOverride("example.com", port: 443, addresses: ["192.0.2.1"])]
///
/// Requests share connections if these options are equal for their host, except ``happyEyeballsDelay`` and the TCP options,
/// which are applied to a kept connection. The `Host` header and the host name that the TLS certificate must match do not
/// change.
public struct Network: Sendable, Hashable {
  /// The path of a Unix domain socket that the request is sent to instead of the URL's host; on Linux `@name` is an abstract
  /// socket. Nil by default. Connections over a Unix socket are not kept, because their endpoints cannot be distinguished. No
  /// proxy of the adapter or of the environment applies; ``Options/proxy`` with a proxy is an error.
  public var unixSocket: String?
  /// Addresses for host names, used instead of a DNS lookup; the first match applies. The adapter attempts several addresses in
  /// turn; a proxy gets the first one. Empty by default.
  public var hostOverrides: [HostOverride] = []
  /// Other hosts and ports to connect to; the first match applies. Empty by default.
  public var connectTo: [ConnectTo] = []
  /// The addresses of DNS servers, `192.0.2.1` or `192.0.2.1:53`, used instead of the system's. Empty by default. Needs a
  /// libcurl that was built with c-ares.
  public var dnsServers: [String] = []
  /// The https URL of a DNS-over-HTTPS resolver (RFC 8484), used instead of the system's; nil by default. Its results stay in
  /// the adapter's DNS cache for a minute, and other requests use them. libcurl connects to the resolver through the
  /// environment's proxy, if there is one, whatever the request's proxy is. It always verifies the resolver's certificate, by
  /// the authorities and revocation lists of ``Options/tls``.
  public var dnsOverHTTPS: String?
  /// The local address of connections, or the name of a network interface. Nil by default: the system's choice.
  public var localAddress: String?
  /// The allowed local ports; nil by default: the system's choice.
  public var localPorts: ClosedRange<UInt16>?
  /// The allowed IP versions.
  public var ipVersion = IPVersion.any
  /// The delay of IPv4 attempts after the IPv6 attempt (happy eyeballs, RFC 8305), in milliseconds, at least 1. Nil, the
  /// default, means 200 ms.
  public var happyEyeballsDelay: Duration?
  /// Whether small packets are sent at once (`TCP_NODELAY`); true by default.
  public var tcpNoDelay = true
  /// How long an idle connection waits before it sends a keep-alive probe, and between probes, in whole seconds: 60 by default.
  /// Nil sends none.
  public var tcpKeepAlive: Duration? = .seconds(60)
  /// How long sent bytes may stay unacknowledged before the system closes the connection (`TCP_USER_TIMEOUT`), in whole
  /// milliseconds, at least 1. Nil, the default, is the system's choice: about 15 minutes. On Linux only.
  ///
  /// The timeout detects a vanished peer, or a network that drops all packets, while there are bytes to send: a request, a part
  /// of a body, or the keep-alive probes of ``tcpKeepAlive``. The system gives up these probes after this time too. The timeout
  /// also limits the TCP handshake, and ends an upload if the server reads nothing for this time.
  public var tcpUserTimeout: Duration?

  /// The system's defaults.
  public init() {}
}

/// Addresses of a host, used instead of a DNS lookup.
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
  /// The host to connect to; nil means the URL's host.
  public var toHost: String?
  /// The port to connect to; nil means the URL's port.
  public var toPort: Int?

  /// Another host, port, or both.
  public init(host: String? = nil, port: Int? = nil, toHost: String? = nil, toPort: Int? = nil) {
    self.host = host
    self.port = port
    self.toHost = toHost
    self.toPort = toPort
  }
}

/// The versions of IP that a connection may use.
public enum IPVersion: Sendable, Hashable {
  /// IPv4 and IPv6, depending on DNS and the network.
  case any
  /// IPv4 only.
  case v4
  /// IPv6 only.
  case v6
}

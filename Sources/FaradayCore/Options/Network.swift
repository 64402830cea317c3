/// How the server is reached: names and addresses, DNS, the local end, and TCP.
///
///     request.options.network.unixSocket = "/var/run/docker.sock"
///     request.options.network.hostOverrides = [HostOverride("example.com", port: 443, addresses: ["192.0.2.1"])]
///
/// Requests share connections if these options are equal for their host, but for ``happyEyeballsDelay`` and the options of TCP, which
/// are applied to a kept connection. None of these changes the `Host` header or the name in the TLS
/// certificate.
public struct Network: Sendable, Hashable {
  /// The path of a Unix domain socket that the request is sent to instead of the URL's host; on Linux `@name` is an abstract one. Nil
  /// by default. Such connections are not kept, as their ends cannot be told apart.
  public var unixSocket: String?
  /// Addresses for host names, which are then not looked up; the first match applies. Several addresses are tried in turn; a proxy gets
  /// the first one. Empty by default.
  public var hostOverrides: [HostOverride] = []
  /// Other hosts and ports to connect to; the first match applies. Empty by default.
  public var connectTo: [ConnectTo] = []
  /// The addresses of DNS servers, `192.0.2.1` or `192.0.2.1:53`, used instead of the system's. Empty by default. Needs a libcurl
  /// that was built with c-ares.
  public var dnsServers: [String] = []
  /// The https URL of a DNS-over-HTTPS resolver (RFC 8484), used instead of the system's; nil by default. What it answers is in the
  /// adapter's DNS cache for a minute, where other requests find it. libcurl asks it through the proxy of the environment, if there is
  /// one, whatever the request's proxy is, and always verifies it: by the authorities and revocation lists of ``Options/tls``.
  public var dnsOverHTTPS: String?
  /// The local end of connections: an address, or an interface by its name. Nil by default: the system's choice.
  public var localAddress: String?
  /// The local ports that may be used; nil by default: the system's choice.
  public var localPorts: ClosedRange<UInt16>?
  /// The versions of IP that may be used.
  public var ipVersion = IPVersion.any
  /// How long IPv6 is tried before IPv4 is tried too (happy eyeballs, RFC 8305), in milliseconds at least 1; nil by default: 200 ms.
  public var happyEyeballsDelay: Duration?
  /// Whether small packets are sent at once (`TCP_NODELAY`); true by default.
  public var tcpNoDelay = true
  /// How long an idle connection waits before it sends a keep-alive probe, and between probes, in whole seconds: 60 by default. Nil
  /// sends none.
  public var tcpKeepAlive: Duration? = .seconds(60)
  /// How long sent bytes may stay unacknowledged before the system closes the connection (`TCP_USER_TIMEOUT`), in whole
  /// milliseconds, at least 1. Nil, the default, is the system's choice: about 15 minutes. On Linux only.
  ///
  /// It detects a peer that has vanished, or a network that drops everything, while there is something to send: a request, a part
  /// of a body, or the keep-alive probes of ``tcpKeepAlive``, which the system then also gives up after this time. It bounds the
  /// TCP handshake too, and it ends an upload whose server reads nothing for so long.
  public var tcpUserTimeout: Duration?

  /// The system's defaults.
  public init() {}
}

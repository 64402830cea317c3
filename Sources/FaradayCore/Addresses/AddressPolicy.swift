/// The allowed addresses and ports: a defence against server-side request forgery (SSRF), for programs that fetch URLs from
/// untrusted sources.
///
///     request.options.addressPolicy = .publicOnly
///     CurlAdapter(CurlAdapter.Configuration(addressPolicy: .publicOnly))  // for all requests, whatever their options are
///
/// The policy is checked on the address to connect to, after the DNS lookup, for each attempt, redirect and retry, and before a
/// kept connection is used. A name that resolves to a forbidden address is rejected, however it is spelled. If a name has
/// several addresses, only the allowed ones are attempted.
///
/// The addresses that a proxy connects to cannot be checked. A request through a proxy, including the environment's proxy, is
/// rejected unless ``allowsProxies`` is true. The resolver of ``Network/dnsOverHTTPS`` is not checked.
///
/// An IPv6 address that embeds an IPv4 address (IPv4-mapped, IPv4-compatible, NAT64, 6to4, ISATAP) is forbidden if either
/// address is forbidden. NAT64 is detected by its well-known prefixes, `64:ff9b::/96` and `64:ff9b:1::/48`; a network-specific
/// prefix is not detected. ``allowed`` is compared with the address to connect to. Only an IPv4-mapped address is compared as
/// its IPv4 address, because it is another spelling of that address. A forbidden address throws
/// ``TransportError/Code/addressForbidden``, with a ``ForbiddenAddressError``; nothing is sent.
public struct AddressPolicy: Sendable, Hashable {
  /// The ranges that are forbidden.
  public var forbidden: [IPAddressRange]
  /// Ranges that are allowed although they are within ``forbidden``. Empty by default. A range of IPv4 allows no NAT64, 6to4 or
  /// ISATAP address: add that address itself.
  public var allowed: [IPAddressRange] = []
  /// The only ports that are allowed; nil, the default, allows all that are not in ``forbiddenPorts``.
  public var allowedPorts: Set<Int>?
  /// The ports that are forbidden.
  public var forbiddenPorts: Set<Int> = []
  /// Whether ``Network/unixSocket`` is allowed; false by default.
  public var allowsUnixSockets = false
  /// Whether a request may use a proxy; false by default. The policy is checked on the proxy's address only: the proxy must
  /// check the addresses that it connects to.
  public var allowsProxies = false

  /// A policy that forbids these ranges.
  public init(forbidden: [IPAddressRange]) { self.forbidden = forbidden }

  /// Public (globally reachable) addresses only: no private, shared, loopback, link-local (with the metadata services of
  /// clouds), unique-local, multicast, documentation, benchmarking, reserved or unspecified address of the IANA special-purpose
  /// registries (RFC 6890). Azure's platform service (168.63.129.16) is forbidden too, and so are these IPv4 addresses within
  /// IPv6 (mapped, NAT64, ISATAP), and all 6to4, Teredo and IPv4-compatible addresses.
  public static let publicOnly = AddressPolicy(forbidden: specialRanges)

  /// The reason why the address or port is forbidden; nil if both are allowed.
  public func refusal(of address: IPAddress, port: Int) -> ForbiddenAddressError? {
    if forbiddenPorts.contains(port) || allowedPorts?.contains(port) == false {
      return ForbiddenAddressError(address: address, port: port, range: nil)
    }
    let connected = address.mapped ?? address
    guard !allowed.contains(where: { $0.contains(connected) }) else { return nil }
    let meant = (address.embedded ?? address).reached
    let isOther = address.mapped != nil || address.translated != nil
    if let range = forbidden.first(where: { $0.contains(meant) || !($0.isForOthers && isOther) && $0.contains(address) }) {
      return ForbiddenAddressError(address: address, port: port, range: range)
    }
    return nil
  }

  private static let specialRanges: [IPAddressRange] = {
    let texts = [
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
      "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
      "240.0.0.0/4",
      // The platform service of Azure's virtual machines, whose address looks public.
      "168.63.129.16/32",
      // Everything except global unicast, 2000::/3: loopback, link-local, unique-local, multicast and unassigned ranges.
      "::/3", "4000::/2", "8000::/1",
      // Within global unicast: protocol assignments with Teredo, benchmarking and ORCHID; documentation; 6to4.
      "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ]
    return texts.compactMap { text in
      var range = try? IPAddressRange(text)
      // This range contains the IPv4-mapped and NAT64 addresses of public hosts.
      range?.isForOthers = text == "::/3"
      return range
    }
  }()
}

/// An address, port or proxy that an ``AddressPolicy`` forbids.
public struct ForbiddenAddressError: FaradayError, Hashable {
  /// The address that the name was resolved to; nil for a Unix socket or a proxy.
  public let address: IPAddress?
  /// The port; 0 for a Unix socket or a proxy.
  public let port: Int
  /// The range that forbids the address; nil if the port is forbidden.
  public let range: IPAddressRange?
  /// The URL of the proxy, without user and password; nil unless the policy forbids the proxy.
  public let proxy: String?

  package init(address: IPAddress?, port: Int, range: IPAddressRange?) {
    (self.address, self.port, self.range, proxy) = (address, port, range, nil)
  }

  package init(proxy: Proxy) {
    (address, port, range, self.proxy) = (nil, 0, nil, proxy.description)
  }

  public var description: String {
    if let proxy {
      return "the address policy forbids the proxy \(proxy) because it cannot check what the proxy connects to: "
        + "send directly, or set `allowsProxies` if the proxy checks that"
    }
    guard let address else { return "the address policy forbids Unix sockets" }
    guard let range else { return "the address policy forbids port \(port) (of \(address))" }
    return "the address policy forbids \(address), which is in \(range)"
  }
}

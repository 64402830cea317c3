/// Which addresses and ports may be connected to: a defence against server-side request forgery (SSRF), for programs that fetch
/// URLs of others.
///
///     request.options.addressPolicy = .publicOnly
///     CurlAdapter(CurlAdapter.Configuration(addressPolicy: .publicOnly))  // for all requests, whatever their options are
///
/// It is checked on the address that is connected to, after the DNS lookup, for each attempt, redirect and retry, and for a kept
/// connection before it is used: a name that resolves to a forbidden address is refused, however it is spelled. Of a name with
/// several addresses those that are allowed are tried.
///
/// What a proxy connects to cannot be checked. A request that would go through one, also through that of the environment, is refused
/// unless the policy has ``allowsProxies``. The resolver of ``Network/dnsOverHTTPS`` is not checked.
///
/// An IPv6 address that stands for an IPv4 address (IPv4-mapped, IPv4-compatible, NAT64, 6to4, ISATAP) is forbidden if either is.
/// NAT64 is known by its well-known prefixes, `64:ff9b::/96` and `64:ff9b:1::/48`: a network's own prefix is not.
/// ``allowed`` is for the address that is connected to: of these only an IPv4-mapped one is its IPv4 address, as it is another
/// spelling of that. A refusal throws ``TransportError/Code/addressForbidden``, with a ``ForbiddenAddress``; nothing was sent.
public struct AddressPolicy: Sendable, Hashable {
  /// The ranges that are forbidden.
  public var forbidden: [IPAddressRange]
  /// Ranges that are allowed although they are within ``forbidden``. Empty by default. A range of IPv4 allows no NAT64, 6to4 or
  /// ISATAP address: name that one itself.
  public var allowed: [IPAddressRange] = []
  /// The only ports that are allowed; nil, the default, allows all that are not in ``forbiddenPorts``.
  public var allowedPorts: Set<Int>?
  /// The ports that are forbidden.
  public var forbiddenPorts: Set<Int> = []
  /// Whether ``Network/unixSocket`` is allowed; false by default.
  public var allowsUnixSockets = false
  /// Whether a request may go through a proxy, which then has to check the addresses that it connects to; false by default. The policy
  /// is checked on the proxy's own address only.
  public var allowsProxies = false

  /// A policy that forbids these ranges.
  public init(forbidden: [IPAddressRange]) { self.forbidden = forbidden }

  /// Public (globally reachable) addresses only: no private, shared, loopback, link-local (with the metadata services of clouds),
  /// unique-local, multicast, documentation, benchmarking, reserved or unspecified address of the IANA special-purpose registries
  /// (RFC 6890), nor the platform service of Azure (168.63.129.16), and no IPv4 address of these within IPv6 (mapped, NAT64,
  /// ISATAP); none of 6to4, Teredo and IPv4-compatible addresses.
  public static let publicOnly = AddressPolicy(forbidden: specialRanges)

  /// Why the address or port is forbidden; nil if it is allowed.
  public func refusal(of address: IPAddress, port: Int) -> ForbiddenAddress? {
    if forbiddenPorts.contains(port) || allowedPorts?.contains(port) == false {
      return ForbiddenAddress(address: address, port: port, range: nil)
    }
    let connected = address.mapped ?? address
    guard !allowed.contains(where: { $0.contains(connected) }) else { return nil }
    let meant = (address.embedded ?? address).reached
    let isOther = address.mapped != nil || address.translated != nil
    if let range = forbidden.first(where: { $0.contains(meant) || !($0.isForOthers && isOther) && $0.contains(address) }) {
      return ForbiddenAddress(address: address, port: port, range: range)
    }
    return nil
  }

  private static let specialRanges: [IPAddressRange] = {
    let texts = [
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
      "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
      "240.0.0.0/4",
      // A public address that is none: the platform service of Azure's virtual machines.
      "168.63.129.16/32",
      // Everything but global unicast, 2000::/3: loopback, link-local, unique-local, multicast and what is not assigned.
      "::/3", "4000::/2", "8000::/1",
      // Within it: protocol assignments with Teredo, benchmarking and ORCHID; documentation; 6to4.
      "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ]
    return texts.compactMap { text in
      var range = try? IPAddressRange(text)
      // It has the IPv4-mapped and NAT64 addresses of public hosts.
      range?.isForOthers = text == "::/3"
      return range
    }
  }()
}

/// An address, port or proxy that an ``AddressPolicy`` forbids.
public struct ForbiddenAddress: FaradayError, Hashable {
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

internal import CCurl
internal import FaradayCore

extension Network {
  func apply(to transfer: Transfer, _ easy: EasyHandle) throws {
    if let unixSocket {
      if unixSocket.hasPrefix("@") {
        try easy.set(CURLOPT_ABSTRACT_UNIX_SOCKET, String(unixSocket.dropFirst()))
      } else {
        try easy.set(CURLOPT_UNIX_SOCKET_PATH, unixSocket)
      }
      // The pool tells connections apart by their addresses, and these have none.
      try easy.set(CURLOPT_FRESH_CONNECT, 1)
      try easy.set(CURLOPT_FORBID_REUSE, 1)
    }
    try applyEndpoint(to: transfer, easy)
    if !dnsServers.isEmpty { try easy.set(CURLOPT_DNS_SERVERS, dnsServers.joined(separator: ",")) }
    if let dnsOverHTTPS, !transfer.hasAddresses {
      try easy.set(CURLOPT_DOH_URL, dnsOverHTTPS)
      // The cache may have the system's answer.
      try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    }
    if let localAddress {
      try easy.set(CURLOPT_INTERFACE, (IPAddress(localAddress) == nil ? "if!" : "host!") + localAddress)
    }
    if let localPorts {
      try easy.set(CURLOPT_LOCALPORT, Int(localPorts.lowerBound))
      try easy.set(CURLOPT_LOCALPORTRANGE, localPorts.count)
    }
    switch ipVersion {
    case .any: break
    case .v4: try easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .v6: try easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if let happyEyeballsDelay {
      try easy.set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Int(clamping: max(1, happyEyeballsDelay.nanoseconds / 1_000_000)))
    }
    let tcp = TCPSettings(self)
    if !tcp.noDelay { try easy.set(CURLOPT_TCP_NODELAY, 0) }
    if let seconds = tcp.keepAliveSeconds {
      try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
      // libcurl's own.
      guard seconds != 60 else { return }
      try easy.set(CURLOPT_TCP_KEEPIDLE, seconds)
      try easy.set(CURLOPT_TCP_KEEPINTVL, seconds)
    }
  }

  /// The host and port that are connected to for a URL, directly or by the proxy.
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

  /// Sets the host, addresses and port to connect to, if they are not the URL's. Always as a "connect to" entry: libcurl keeps such
  /// connections apart, while the entries of CURLOPT_RESOLVE would stay in the DNS cache that all requests share.
  private func applyEndpoint(to transfer: Transfer, _ easy: EasyHandle) throws {
    guard !hostOverrides.isEmpty || !connectTo.isEmpty else { return }
    let endpoint = endpoint(of: transfer.target)
    var (host, addresses) = (endpoint.host, endpoint.addresses)
    // A proxy connects to one address.
    if transfer.proxy == nil { addresses = addresses.filter(isUsed) } else { addresses = Array(addresses.prefix(1)) }
    if addresses.count > 1 {
      host = endpoint.nameOfAddresses(addresses)
      // Not a permanent entry, as nothing would ever remove it: see `Transfer.Restart.addressesForgotten`.
      try transfer.setAddresses("+\(host):\(endpoint.port):" + addresses.map(\.bracketedHost).joined(separator: ","), easy)
    } else if let address = addresses.first {
      host = address
    } else if !endpoint.addresses.isEmpty {
      throw transfer.error(
        .nameNotFound, "\(endpoint.host) was given no address in the version of IP that is wanted", phase: .resolving
      )
    }
    try transfer.setList(CURLOPT_CONNECT_TO, ["::\(host.bracketedHost):\(endpoint.port)"], easy)
  }

  /// Whether the address is of a version of IP that may be used.
  private func isUsed(_ address: String) -> Bool {
    switch ipVersion {
    case .any: true
    case .v4: IPAddress(address)?.isIPv4 ?? true
    case .v6: IPAddress(address)?.isIPv4 == false
    }
  }

  /// Whether ``connectTo`` or ``hostOverrides`` lead to another host or port.
  func leadsElsewhere(from target: Target) -> Bool {
    guard !hostOverrides.isEmpty || !connectTo.isEmpty else { return false }
    let endpoint = endpoint(of: target)
    let host = endpoint.addresses.first ?? endpoint.host
    return endpoint.port != target.endpoint.port
      || host.bracketedHost.lowercased() != target.endpoint.host.bracketedHost.lowercased()
  }

  /// Whether a host is the wanted one; nil wants any.
  private static func matches(_ wanted: String?, _ host: String) -> Bool {
    guard let wanted else { return true }
    return HostName.ascii(percentEncoded: wanted.bracketedHost) == HostName.ascii(host.bracketedHost)
  }
}

/// A host, a port, and the addresses of the host if they are known without a DNS lookup.
struct Endpoint: Hashable {
  /// A name or an address, IPv6 in brackets or without.
  var host: String
  var port: Int
  var addresses: [String] = []

  /// The name that libcurl looks up for it; nil if it is an address, or has addresses.
  var lookup: Lookup.Name? {
    addresses.isEmpty && IPAddress(host) == nil ? Lookup.Name(host: host.lowercased(), port: port) : nil
  }

  /// A name that stands for these addresses only. It is the key of libcurl's DNS cache and connection pool, and never leaves them.
  fileprivate func nameOfAddresses(_ addresses: [String]) -> String {
    // Who chooses the addresses of one host must not be able to find a list that has the name of another host's.
    return "addresses-" + SHA256.hash(addresses.joined(separator: ",").utf8).hexadecimal.prefix(32) + ".invalid"
  }
}

extension TransferRates {
  func apply(to easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    if let maximumSend { try easy.set(CURLOPT_MAX_SEND_SPEED_LARGE, offset: Int64(maximumSend)) }
    guard let minimum else { return }
    try easy.set(CURLOPT_LOW_SPEED_LIMIT, Int(min(minimum, Int(Int32.max))))
    let seconds = (minimumFor.nanoseconds + 999_999_999) / 1_000_000_000
    try easy.set(CURLOPT_LOW_SPEED_TIME, Int(min(max(seconds, 1), Int64(Int32.max))))
  }
}

extension Authentication {
  func apply(to transfer: Transfer, _ easy: EasyHandle) throws {
    try transfer.set(CURLOPT_HTTPAUTH, schemes, easy)
    try easy.set(CURLOPT_USERNAME, user)
    try easy.set(CURLOPT_PASSWORD, password)
    // These authenticate the connection: no other request may use it.
    if schemes.contains(.ntlm) || schemes.contains(.negotiate) {
      try easy.set(CURLOPT_FRESH_CONNECT, 1)
      try easy.set(CURLOPT_FORBID_REUSE, 1)
    }
  }
}

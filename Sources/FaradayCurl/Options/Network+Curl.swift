internal import CCurl
@_spi(Adapters) internal import FaradayCore

extension Network {
  func apply(to attempt: Attempt, of transfer: Transfer, _ easy: EasyHandle) throws {
    if let unixSocket {
      if unixSocket.hasPrefix("@") {
        try easy.set(CURLOPT_ABSTRACT_UNIX_SOCKET, String(unixSocket.dropFirst()))
      } else {
        try easy.set(CURLOPT_UNIX_SOCKET_PATH, unixSocket)
      }
      // The pool identifies connections by address, and a Unix socket has none.
      try easy.set(CURLOPT_FRESH_CONNECT, 1)
      try easy.set(CURLOPT_FORBID_REUSE, 1)
    }
    try applyEndpoint(to: attempt, of: transfer)
    if !dnsServers.isEmpty { try easy.set(CURLOPT_DNS_SERVERS, dnsServers.joined(separator: ",")) }
    if let dnsOverHTTPS, !attempt.hasAddresses {
      try easy.set(CURLOPT_DOH_URL, dnsOverHTTPS)
      // The cache may contain the result of the system's resolver.
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
  }

  /// Sets the host, addresses and port to connect to, if they differ from the URL's. A "connect to" entry is always used:
  /// libcurl keeps such connections apart. The entries of CURLOPT_RESOLVE would stay in the DNS cache that all requests share.
  private func applyEndpoint(to attempt: Attempt, of transfer: Transfer) throws {
    guard !hostOverrides.isEmpty || !connectTo.isEmpty else { return }
    let endpoint = endpoint(of: transfer.target)
    var (host, addresses) = (endpoint.host, endpoint.addresses)
    // The proxy gets a single address.
    if transfer.proxy == nil { addresses = addresses.filter(isUsed) } else { addresses = Array(addresses.prefix(1)) }
    if addresses.count > 1 {
      host = endpoint.nameOfAddresses(addresses)
      // Not a permanent entry, because nothing would ever remove it: see `Attempt.Restart.addressesForgotten`.
      try attempt.setAddresses("+\(host):\(endpoint.port):" + addresses.map(\.bracketedHost).joined(separator: ","))
    } else if let address = addresses.first {
      host = address
    } else if !endpoint.addresses.isEmpty {
      throw transfer.exchange.error(
        .nameNotFound, "\(endpoint.host) has no override address of the IP version in `options.network.ipVersion`",
        phase: .resolving
      )
    }
    try attempt.setList(CURLOPT_CONNECT_TO, ["::\(host.bracketedHost):\(endpoint.port)"])
  }

  /// Whether `ipVersion` allows the address.
  private func isUsed(_ address: String) -> Bool {
    switch ipVersion {
    case .any: true
    case .v4: IPAddress(address)?.isIPv4 ?? true
    case .v6: IPAddress(address)?.isIPv4 == false
    }
  }
}

extension TCPSettings {
  func apply(to easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    if !noDelay { try easy.set(CURLOPT_TCP_NODELAY, 0) }
    guard let keepAliveSeconds else { return }
    try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    // libcurl's default is 60.
    guard keepAliveSeconds != 60 else { return }
    try easy.set(CURLOPT_TCP_KEEPIDLE, keepAliveSeconds)
    try easy.set(CURLOPT_TCP_KEEPINTVL, keepAliveSeconds)
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

extension TransportAuthentication {
  func apply(to transfer: Transfer, _ easy: EasyHandle) throws {
    try transfer.set(CURLOPT_HTTPAUTH, schemes, easy)
    try easy.set(CURLOPT_USERNAME, user)
    try easy.set(CURLOPT_PASSWORD, password)
    // NTLM and Negotiate authenticate the connection: no other request may use it.
    if schemes.contains(.ntlm) || schemes.contains(.negotiate) {
      try easy.set(CURLOPT_FRESH_CONNECT, 1)
      try easy.set(CURLOPT_FORBID_REUSE, 1)
    }
  }
}

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
    try applyNames(to: transfer, easy)
    if !dnsServers.isEmpty { try easy.set(CURLOPT_DNS_SERVERS, dnsServers.joined(separator: ",")) }
    if let dnsOverHTTPS {
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
    if !tcpNoDelay { try easy.set(CURLOPT_TCP_NODELAY, 0) }
    if let tcpKeepAlive {
      try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
      // libcurl's own.
      guard tcpKeepAlive != .seconds(60) else { return }
      let seconds = Int(min(max(tcpKeepAlive.nanoseconds / 1_000_000_000, 1), Int64(Int16.max)))
      try easy.set(CURLOPT_TCP_KEEPIDLE, seconds)
      try easy.set(CURLOPT_TCP_KEEPINTVL, seconds)
    }
  }

  /// Sets the host, addresses and port to connect to, if they are not the URL's. Always as a "connect to" entry: libcurl keeps such
  /// connections apart, while the entries of CURLOPT_RESOLVE would stay in the DNS cache that all requests share.
  private func applyNames(to transfer: Transfer, _ easy: EasyHandle) throws {
    guard !hostOverrides.isEmpty || !connectTo.isEmpty else { return }
    var (host, port) = transfer.target.endpoint
    if let match = connectTo.first(where: { Self.matches($0.host, host) && $0.port ?? port == port }) {
      host = match.toHost ?? host
      port = match.toPort ?? port
    }
    if let match = hostOverrides.first(where: { Self.matches($0.host == "*" ? nil : $0.host, host) && $0.port ?? port == port }) {
      host = match.addresses[0]
      if match.addresses.count > 1 {
        // A name that stands for these addresses and for no others, in the cache too.
        host =
          "faraday-" + String(match.addresses.joined(separator: "x").map { $0.isLetter || $0.isNumber ? $0 : "-" }) + ".invalid"
        let addresses = match.addresses.map(\.bracketedHost).joined(separator: ",")
        try transfer.setList(CURLOPT_RESOLVE, ["+\(host):\(port):\(addresses)"], easy)
      }
    }
    try transfer.setList(CURLOPT_CONNECT_TO, ["::\(host.bracketedHost):\(port)"], easy)
  }

  /// Whether ``connectTo`` or ``hostOverrides`` lead to another host or port.
  func leadsElsewhere(from endpoint: (host: String, port: Int)) -> Bool {
    connectTo.contains { Self.matches($0.host, endpoint.host) && $0.port ?? endpoint.port == endpoint.port }
      || hostOverrides.contains {
        Self.matches($0.host == "*" ? nil : $0.host, endpoint.host) && $0.port ?? endpoint.port == endpoint.port
      }
  }

  /// Whether a host is the wanted one; nil wants any.
  private static func matches(_ wanted: String?, _ host: String) -> Bool {
    guard let wanted else { return true }
    return HostName.ascii(percentEncoded: wanted.bracketedHost) == HostName.ascii(host.bracketedHost)
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
  func apply(to easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    try easy.set(CURLOPT_HTTPAUTH, schemes.libcurlBits)
    try easy.set(CURLOPT_USERNAME, user)
    try easy.set(CURLOPT_PASSWORD, password)
    // These authenticate the connection: no other request may use it.
    if schemes.contains(.ntlm) || schemes.contains(.negotiate) {
      try easy.set(CURLOPT_FRESH_CONNECT, 1)
      try easy.set(CURLOPT_FORBID_REUSE, 1)
    }
  }
}

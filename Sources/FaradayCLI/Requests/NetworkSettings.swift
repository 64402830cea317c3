import Faraday

extension NetworkArguments {
  /// The network options. Throws curl's errors for texts that are none.
  func network() throws -> Network {
    var network = Network()
    network.unixSocket = unixSocket
    for text in resolve {
      if text.hasPrefix("-") {
        network.hostOverrides.removeAll { "-\($0.host):\($0.port ?? 0)".lowercased() == text.lowercased() }
      } else {
        network.hostOverrides.append(try Self.hostOverride(text))
      }
    }
    network.connectTo = try connectTo.map(Self.connectTo)
    if let interface {
      let name = ["if!", "host!"].first { interface.hasPrefix($0) }.map { String(interface.dropFirst($0.count)) } ?? interface
      network.localAddress = name
    }
    network.localPorts = localPorts
    network.ipVersion = ipVersion
    network.dnsServers = dnsServers?.split(separator: ",").map(String.init) ?? []
    network.dnsOverHTTPS = dnsOverHTTPS
    network.happyEyeballsDelay = happyEyeballsDelay
    network.tcpNoDelay = noDelay
    network.tcpKeepAlive = keepAlive ? keepAliveTime ?? .seconds(60) : nil
    return network
  }

  /// `[+]host:port:address[,address]…`; `-host:port` takes away an earlier one.
  static func hostOverride(_ text: String) throws -> HostOverride {
    let failure = CommandFailure(49, "Couldn't parse CURLOPT_RESOLVE entry '\(text)'")
    var rest = text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard let host = cut(&rest), let digits = cut(&rest), let port = UInt16(digits), !host.isEmpty, !rest.isEmpty else {
      throw failure
    }
    let addresses = rest.split(separator: ",").map { $0.filter { $0 != "[" && $0 != "]" } }
    guard !addresses.isEmpty, addresses.allSatisfy({ IPAddress($0) != nil }) else { throw failure }
    return HostOverride(host, port: Int(port), addresses: addresses)
  }

  /// Whether an argument of `--connect-to` has a host or a port to connect to. curl passes over one that has neither.
  static func hasDestination(_ text: String) -> Bool {
    var rest = text[...]
    return cut(&rest) != nil && cut(&rest) != nil && rest.contains { $0 != ":" }
  }

  /// `host1:port1:host2[:port2]`, each of which may be empty.
  static func connectTo(_ text: String) throws -> ConnectTo {
    var rest = text[...]
    let failure = CommandFailure(49, "Couldn't parse CURLOPT_CONNECT_TO entry '\(text)'")
    guard let host = cut(&rest), let port = cut(&rest) else { throw failure }
    if !rest.contains(":") || rest.hasSuffix("]") { rest.append(":") }
    guard let toHost = cut(&rest), port.isEmpty || UInt16(port) != nil else { throw failure }
    guard rest.isEmpty || UInt16(rest) != nil else {
      throw CommandFailure(49, "No valid port number in connect to host string (\(rest))")
    }
    return ConnectTo(
      host: host.isEmpty ? nil : host, port: Int(port), toHost: toHost.isEmpty ? nil : toHost, toPort: Int(rest))
  }

  /// The text up to the next colon, which is removed; an address in brackets loses them. Nil if there is no colon.
  private static func cut(_ text: inout Substring) -> String? {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]"), text[end...].dropFirst().first == ":" {
      let address = text[text.index(after: text.startIndex)..<end]
      text = text[end...].dropFirst(2)
      return String(address)
    }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    defer { text = text[text.index(after: colon)...] }
    return String(text[..<colon])
  }
}

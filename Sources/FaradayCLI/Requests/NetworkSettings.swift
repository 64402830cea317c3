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
    network.connectTo = try connectTo.filter { !$0.isEmpty }.map(Self.connectTo)
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
    return HostOverride(host, port: Int(port), addresses: addresses)
  }

  /// `host1:port1:host2:port2`, each of which may be empty.
  static func connectTo(_ text: String) throws -> ConnectTo {
    var rest = text[...]
    let failure = CommandFailure(49, "Couldn't parse CURLOPT_CONNECT_TO entry '\(text)'")
    guard let host = cut(&rest), let port = cut(&rest) else { throw failure }
    let toHost = cut(&rest) ?? String(rest)
    let ports = try [port, String(rest)].map { digits -> Int? in
      guard !digits.isEmpty else { return nil }
      guard let number = UInt16(digits) else { throw failure }
      return Int(number)
    }
    return ConnectTo(
      host: host.isEmpty ? nil : host, port: ports[0], toHost: toHost.isEmpty ? nil : toHost, toPort: ports[1])
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

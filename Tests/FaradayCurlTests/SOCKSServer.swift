import FaradayTesting

/// A SOCKS 5 proxy (RFC 1928, 1929) that connects to nobody: behind it is a server of its own, which answers every request with
/// where the client wanted to go.
final class SOCKSServer: Sendable {
  /// What the clients said, in words.
  let log = Log<String>()
  private let server: RawServer

  var port: Int { server.port }

  /// - Parameters:
  ///   - credentials: user and password it asks for.
  ///   - reply: what it says to a request to connect; 0 is that it has.
  init(credentials: (user: String, password: String)? = nil, reply: UInt8 = 0) throws {
    let wanted = credentials.map { "\($0.user):\($0.password)" }
    server = try RawServer { [log] connection in
      let greeting = try connection.read(exactly: 2)
      let methods = try connection.read(exactly: Int(greeting[1]))
      let method: UInt8 = wanted == nil ? 0 : 2
      guard greeting[0] == 5, methods.contains(method) else { return try connection.send([5, 0xFF]) }
      try connection.send([5, method])
      if let wanted {
        _ = try connection.read(exactly: 1)
        let given = "\(try Self.text(connection)):\(try Self.text(connection))"
        log.append("credentials \(given)")
        try connection.send([1, given == wanted ? 0 : 1])
        guard given == wanted else { return }
      }
      let command = try connection.read(exactly: 4)
      let host: String =
        switch command[3] {
        case 1: "address " + (try connection.read(exactly: 4)).map { "\($0)" }.joined(separator: ".")
        case 3: "name " + (try Self.text(connection))
        default: "address of 16 bytes \(try connection.read(exactly: 16))"
        }
      let port = try connection.read(exactly: 2).reduce(0) { $0 << 8 | Int($1) }
      log.append("\(host) port \(port)")
      try connection.send([5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
      guard reply == 0 else { return }
      while true {
        log.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)")
      }
    }
  }

  private static func text(_ connection: RawConnection) throws -> String {
    let count = try connection.read(exactly: 1)[0]
    return String(decoding: try connection.read(exactly: Int(count)), as: UTF8.self)
  }
}

/// A SOCKS proxy of version 4, 4a or 5 (RFC 1928, 1929), as the client chooses. It opens no connections: it responds to every
/// request itself, with the requested target. Thread-safe.
///
/// The log and the response contain `address 127.0.0.1` if the client resolved the name, and `name example.com` if the proxy
/// has to resolve it.
package final class SOCKSServer: Sendable {
  /// The messages of the clients as text: `credentials USER:PASSWORD`, or `user ID USER` in version 4; then `address ADDRESS
  /// port PORT` or `name NAME port PORT`; then the first line of each request.
  package let log = Log<String>()
  private let server: RawServer

  /// The port it listens on, on 127.0.0.1.
  package var port: Int { server.port }

  /// Starts the server. Throws ``SocketError``.
  ///
  /// - Parameters:
  ///   - credentials: the required user and password. Version 4 has no passwords and checks only the user.
  ///   - reply: the reply code to a CONNECT request. 0 means success in all versions; 91 is the usual refusal in version 4.
  package init(credentials: (user: String, password: String)? = nil, reply: UInt8 = 0) throws {
    server = try RawServer { [log] connection in
      let version = try connection.read(exactly: 1)[0]
      guard
        let host = version == 4
          ? try Self.accept4(connection, user: credentials?.user, reply: reply, log)
          : try Self.accept5(connection, version, credentials, reply: reply, log)
      else { return }
      while true {
        log.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)")
      }
    }
  }

  /// Accepts a client of version 5, and returns its target.
  private static func accept5(
    _ connection: RawConnection, _ version: UInt8, _ credentials: (user: String, password: String)?, reply: UInt8,
    _ log: Log<String>
  ) throws -> String? {
    let wanted = credentials.map { "\($0.user):\($0.password)" }
    let methods = try connection.read(exactly: Int(try connection.read(exactly: 1)[0]))
    let method: UInt8 = wanted == nil ? 0 : 2
    guard version == 5, methods.contains(method) else {
      try connection.send([5, 0xFF])
      return nil
    }
    try connection.send([5, method])
    if let wanted {
      _ = try connection.read(exactly: 1)
      let given = "\(try text(connection)):\(try text(connection))"
      log.append("credentials \(given)")
      try connection.send([1, given == wanted ? 0 : 1])
      guard given == wanted else { return nil }
    }
    let command = try connection.read(exactly: 4)
    let host: String =
      switch command[3] {
      case 1: "address " + dotted(try connection.read(exactly: 4))
      case 3: "name " + (try text(connection))
      default: "address of 16 bytes \(try connection.read(exactly: 16))"
      }
    log.append("\(host) port \(number(try connection.read(exactly: 2)))")
    try connection.send([5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
    return reply == 0 ? host : nil
  }

  /// Accepts a client of version 4 or 4a, and returns its target.
  private static func accept4(_ connection: RawConnection, user: String?, reply: UInt8, _ log: Log<String>) throws -> String? {
    _ = try connection.read(exactly: 1)
    let port = number(try connection.read(exactly: 2))
    let address = try connection.read(exactly: 4)
    let given = try terminatedText(connection)
    log.append("user ID \(given)")
    // 0.0.0.x with a nonzero x means in version 4a that a name follows.
    let isName = address[0..<3].allSatisfy { $0 == 0 } && address[3] != 0
    let host = isName ? "name " + (try terminatedText(connection)) : "address " + dotted(address)
    log.append("\(host) port \(port)")
    let isKnown = user == nil || given == user
    let code: UInt8 = reply != 0 ? reply : isKnown ? 90 : 93
    try connection.send([0, code, 0, 0, 0, 0, 0, 0])
    return code == 90 ? host : nil
  }

  private static func dotted(_ address: [UInt8]) -> String { address.map { "\($0)" }.joined(separator: ".") }

  private static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func text(_ connection: RawConnection) throws -> String {
    let count = try connection.read(exactly: 1)[0]
    return String(decoding: try connection.read(exactly: Int(count)), as: UTF8.self)
  }

  private static func terminatedText(_ connection: RawConnection) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try connection.read(exactly: 1).first, byte != 0 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

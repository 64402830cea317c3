internal import FaradayCore

extension ConformanceGroup {
  /// `localhost` resolves to IPv4 and IPv6 addresses, and a server may listen on one of them only (happy eyeballs).
  static let localhost = ConformanceGroup(
    name: "localhost",
    cases: [(Loopback.ipv4, Loopback.ipv6), (.ipv6, .ipv4)].map { family, other in
      Case("a server on \(family.urlHost) only is reached") { subject in
        let (server, refused) = try server(on: family, notOn: other)
        defer { server.stop() }
        let request = try Request("http://localhost:\(server.port)/")
        for _ in 0..<2 { try expectEqual(try await subject.adapter.send(request).body.text(), "ok") }
        try expectEqual(server.connectionCount, 1)
        withExtendedLifetime(refused) {}
      }
    })

  /// A server, with its port bound in the other address family, so that no other server responds there.
  private static func server(on family: Loopback, notOn other: Loopback) throws -> (RawServer, ListeningSocket) {
    var attempts = 0
    while true {
      let server = try RawServer(on: family) { connection in
        while true {
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
      }
      do {
        return (server, try ListeningSocket(on: other, port: server.port, listens: false))
      } catch let error as SocketError where error.call == "bind" && attempts < 20 {
        attempts += 1
      }
    }
  }
}

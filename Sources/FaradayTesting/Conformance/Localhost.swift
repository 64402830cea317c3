internal import FaradayCore

extension ConformanceGroup {
  /// `localhost` resolves to IPv4 and IPv6 addresses, and a server may listen on one of them only (happy eyeballs).
  static let localhost: ConformanceGroup = .init(
    name: "localhost",
    cases: [Loopback.ipv4, .ipv6].map { address in
      Case("a server on \(address.urlHost) only is reached") { subject in
        let (server, refused) = try RawServer.alone(on: address) { connection in
          while true {
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        }
        defer { server.stop() }
        let request = try Request("http://localhost:\(server.port)/")
        for _ in 0..<2 { try expectEqual(try await subject.adapter.send(request).body.utf8Text(), "ok") }
        try expectEqual(server.connectionCount, 1)
        withExtendedLifetime(refused) {}
      }
    })
}

internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// Bodies over TLS that are ended by the close of the connection: complete, truncated or reset.
  static let tlsEnds: ConformanceGroup = .init(
    name: "connection ends", needs: .strictFraming,
    cases: DeliveryKind.allCases.flatMap { delivery in
      [
        Case("a TLS body that ends with close_notify is complete, \(delivery.rawValue)", needs: [.customCA, delivery.needs]) {
          subject in
          try await withServer(subject, "\r\nhello") {
            try $0.sendCloseNotify()
          } _: { connection in
            try expectEqual(try await delivery.get(connection).body.utf8Text(), "hello")
          }
        },
        Case(
          "a TLS body that ends without close_notify is truncated, \(delivery.rawValue)",
          needs: [.customCA, .truncatedTLS, delivery.needs]
        ) { subject in
          try await withServer(subject, "\r\nhello") { _ in
          } _: { connection in
            try await expectFailure(.truncatedResponse) { try await delivery.get(connection) }
          }
        },
        Case("a TLS body that ends with a reset is truncated, \(delivery.rawValue)", needs: [.customCA, delivery.needs]) {
          subject in
          try await withServer(subject, "\r\nhello") { connection in
            connection.reset()
          } _: { connection in
            try await expectFailure(.truncatedResponse, .receiveFailed, .connectionClosed) {
              try await delivery.get(connection)
            }
          }
        },
      ]
    }
      + [
        // Libcurl before 8.9 does not end the transfer, and only OpenSSL says that the close_notify has arrived.
        Case(
          "close_notify is the end of an upgraded connection that stays open",
          needs: [.customCA, .upgrade, .truncatedTLS, .peerCertificates]
        ) { subject in
          let server = try Security.tls.server { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\nhello")
            try connection.sendCloseNotify()
            connection.waitForClose()
          }
          defer { server.stop() }
          let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
          let request = try subject.connection(to: server, over: .tls).request(.get) {
            $0.options.upgrade = Upgrade(to: "test", sending: .stream(pieces))
            $0.options.delivery = .streamed
          }
          let response = try await subject.adapter.send(request)
          try expectEqual(try await response.body.utf8Text(), "hello")
          continuation.finish()
        }
      ]
      + [
        ("of known length", "Content-Length: 5\r\n\r\nhello"),
        ("in chunks", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
      ]
      .map { name, rest in
        Case("a TLS body \(name) is complete without close_notify", needs: .customCA) { subject in
          try await withServer(subject, rest) { _ in
          } _: { connection in
            try expectEqual(try await connection.get().body.utf8Text(), "hello")
          }
        }
      })

  private static func withServer(
    _ subject: AdapterConformance.Subject, _ rest: String, _ end: @escaping @Sendable (RawConnection) throws -> Void,
    _ body: (Connection) async throws -> Void
  ) async throws {
    let server = try Security.tls.server { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n" + rest)
      try end(connection)
      connection.halfClose()
      connection.waitForClose()
    }
    defer { server.stop() }
    try await body(try subject.connection(to: server, over: .tls))
  }
}

internal import FaradayCore

extension ConformanceGroup {
  /// Bodies that are ended by the close of the connection: complete, truncated or reset.
  static let connectionEnds: ConformanceGroup = .init(
    name: "ends of connections", needs: .strictFraming,
    cases: DeliveryKind.allCases.flatMap { delivery in
      [
        Case("a TLS body that a close_notify ends is complete, \(delivery.rawValue)", needs: [.customCA, delivery.needs]) {
          subject in
          try await withServer(subject, "\r\nhello") {
            try $0.sendCloseNotify()
          } _: { connection in
            try expectEqual(try await delivery.get(connection).body.text(), "hello")
          }
        },
        Case(
          "a TLS body that ends without a close_notify is not complete, \(delivery.rawValue)",
          needs: [.customCA, .truncatedTLS, delivery.needs]
        ) { subject in
          try await withServer(subject, "\r\nhello") { _ in
          } _: { connection in
            try await expectFailure(.truncatedResponse) { try await delivery.get(connection) }
          }
        },
        Case("a TLS body that a reset ends is not complete, \(delivery.rawValue)", needs: [.customCA, delivery.needs]) {
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
        ("of known length", "Content-Length: 5\r\n\r\nhello"),
        ("in chunks", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
      ]
      .map { name, rest in
        Case("a TLS body \(name) is complete without a close_notify", needs: .customCA) { subject in
          try await withServer(subject, rest) { _ in
          } _: { connection in
            try expectEqual(try await connection.get().body.text(), "hello")
          }
        }
      }
      + Security.allCases.flatMap { security in
        [HTTPRequest.Method.get, .post].map { method in
          Case("a reset before any answer to \(method) is the connection's end, \(security.rawValue)", needs: security.needs) {
            subject in
            let server = try security.server { connection in
              _ = try connection.readHead()
              if method == .post { _ = try connection.read(exactly: 7) }
              connection.reset()
            }
            defer { server.stop() }
            let connection = try subject.connection(toTrusted: server)
            try await expectFailure(.connectionClosed) {
              try await connection.run(method, body: method == .post ? "content" : .empty)
            }
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
    try await body(try subject.connection(toTrusted: server))
  }
}

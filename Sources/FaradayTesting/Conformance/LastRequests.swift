internal import FaradayCore

extension ConformanceGroup {
  /// Connections that must not be reused.
  static let lastRequests: ConformanceGroup = .init(
    name: "connection close", needs: .strictFraming,
    cases: [
      .init("a request with Connection: close ends the reuse of its connection") { subject in
        let server = try keepingServer(adding: "")
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        for _ in 0..<3 {
          let response = try await connection.get { $0.headers[.connection] = "close" }
          try expectEqual(try await response.body.utf8Text(), "ok")
        }
        try expectEqual(server.connectionCount, 3)
      },
      .init("Connection: close among other options ends the reuse of the connection") { subject in
        let server = try keepingServer(adding: "")
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        for value in ["x, close", "Close, x"] { _ = try await connection.get { $0.headers[.connection] = value } }
        _ = try await connection.get()
        try expectEqual(server.connectionCount, 3)
      },
    ]
      + [
        "Connection: close", "Connection: close, x", "Connection: x, close", "connection: CLOSE", "Connection: x,close,y",
        "Connection: x\r\nConnection: close", "Connection: close\r\nConnection: x", "Connection:close ",
      ].map { fields in
        Case("a response with \(fields.replacing("\r\n", with: ", ")) ends the reuse of its connection") { subject in
          let server = try keepingServer(adding: fields + "\r\n")
          defer { server.stop() }
          let connection = try subject.connection(to: server)
          for _ in 0..<3 { try expectEqual(try await connection.get().body.utf8Text(), "ok") }
          try expectEqual(server.connectionCount, 3)
        }
      }
      + ["Connection: keep-alive", "Connection: x", "X: close"].map { fields in
        Case("a response with \(fields) keeps its connection reusable") { subject in
          let server = try keepingServer(adding: fields + "\r\n")
          defer { server.stop() }
          let connection = try subject.connection(to: server)
          for _ in 0..<3 { try expectEqual(try await connection.get().body.utf8Text(), "ok") }
          try expectEqual(server.connectionCount, 1)
        }
      }
      + isMalformed(
        "an unrequested 101",
        answering: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", in: DeliveryKind.allCases)
      + isMalformed(
        "an unrequested 101 and a response",
        answering: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      + [
        .init("an unrequested 101 and silence") { subject in
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
            connection.waitForClose()
          }
          defer { server.stop() }
          let connection = try subject.connection(to: server)
          try await expectFailure(.malformedResponse) { try await connection.get { $0.options.timeouts.idle = .seconds(10) } }
        }
      ])

  /// A server that keeps its connections open, whatever its header fields say.
  private static func keepingServer(adding fields: String) throws -> RawServer {
    try RawServer { connection in
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
      }
    }
  }
}

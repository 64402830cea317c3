internal import FaradayCore

extension ConformanceGroup {
  /// Responses without a head, of HTTP/0.9. Without the option they are malformed: `malformedResponses`.
  static let headlessResponses: ConformanceGroup = .init(
    name: "responses without a head", needs: .http0_9,
    cases: DeliveryKind.allCases.flatMap { delivery in
      [
        Case("are a body that the close of the connection ends, \(delivery.rawValue)", needs: delivery.needs) { subject in
          for text in [
            "just text\n", "Hello", "\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n", "\0", String(repeating: "x", count: 300_000),
          ] {
            try await withServer(subject, { try $0.send(text) }) { connection in
              let response = try await delivery.get(connection)
              try expectEqual(response.status, .ok)
              try expectEqual(response.version, .http0_9)
              try expect(response.headers.isEmpty, "\(response.headers)")
              try expectEqual(try await response.body.text(), text)
            }
          }
        },
        Case("cut off by a reset are an error, \(delivery.rawValue)", needs: delivery.needs) { subject in
          try await withServer(
            subject,
            { server in
              try server.send("some text")
              server.reset()
            }
          ) { connection in
            try await expectFailure(in: [.receiveFailed, .connectionClosed, .truncatedResponse]) {
              try await delivery.get(connection)
            }
          }
        },
      ]
    }
      + [
        ("nothing at all", "", [.connectionClosed]),
        ("a status line that is wrong", "HTTP/1.1 200X\r\n\r\nhello", [.malformedResponse]),
        ("a head that is cut off", "HTTP/1.1 200 OK\r\nContent-Le", [.truncatedResponse, .connectionClosed]),
        ("text behind an interim response", "HTTP/1.1 103 Hints\r\n\r\njust text", [.malformedResponse]),
      ]
      .map { name, text, codes in
        Case("are not \(name)") { subject in
          try await withServer(subject, { try $0.send(text) }) { connection in
            try await expectFailure(in: codes) { try await connection.get() }
          }
        }
      }
      + [
        Case("may begin as a status line does, in two pieces") { subject in
          try await withServer(
            subject,
            { server in
              try server.send("HTT")
              try server.pause(milliseconds: 20)
              try server.send("X and more")
            }
          ) { connection in
            let response = try await connection.get()
            try expectEqual(try await response.body.text(), "HTTX and more")
            try expectEqual(response.metrics.bytesReceived, 13)
          }
        },
        Case("answer no HEAD") { subject in
          try await withServer(subject, { try $0.send("just text") }) { connection in
            // libcurl 8.8 and newer do not read a body after a HEAD, nor what could be one.
            try await expectFailure(in: [.malformedResponse, .connectionClosed]) { try await connection.head() }
          }
        },
        Case("are none of a server that has spoken HTTP/1.1 on the connection", needs: .cleanConnections) { subject in
          try await withServer(
            subject,
            { server in
              try server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
              _ = try server.readHead()
              try server.send("just text")
            }
          ) { connection in
            try expectEqual(try await connection.get().body.text(), "hello")
            try await expectFailure(.malformedResponse) { try await connection.get() }
          }
        },
        Case("are none after a challenge", needs: .authentication) { subject in
          try await withServer(
            subject,
            { server in
              try server.send("HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=a, nonce=b\r\nContent-Length: 0\r\n\r\n")
              _ = try server.readHead()
              try server.send("just text")
            }
          ) { connection in
            try await expectFailure(.malformedResponse) {
              try await connection.get {
                $0.options.authentication = Authentication(user: "u", password: "p", schemes: .digest)
              }
            }
          }
        },
        Case("are whole over TLS only with a close_notify", needs: [.customCA, .truncatedTLS]) { subject in
          for isWhole in [true, false] {
            let server = try Security.tls.server { connection in
              _ = try connection.readHead()
              try connection.send("just text")
              if isWhole { try connection.sendCloseNotify() }
            }
            defer { server.stop() }
            let connection = try subject.connection(toTrusted: server)
            if isWhole {
              try expectEqual(try await connection.get { $0.options.acceptsHTTP0_9 = true }.body.text(), "just text")
            } else {
              try await expectFailure(.truncatedResponse) {
                try await connection.get { $0.options.acceptsHTTP0_9 = true }
              }
            }
          }
        },
      ]
  )

  /// A server that reads a head, answers, and closes; and a connection to it that accepts HTTP/0.9.
  private static func withServer(
    _ subject: AdapterConformance.Subject, _ answer: @escaping @Sendable (RawConnection) throws -> Void,
    _ body: (Connection) async throws -> Void
  ) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try answer(connection)
    }
    defer { server.stop() }
    var connection = try subject.connection(to: server)
    connection.defaults.acceptsHTTP0_9 = true
    try await body(connection)
  }
}

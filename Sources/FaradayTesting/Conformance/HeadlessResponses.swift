internal import FaradayCore

extension ConformanceGroup {
  /// Responses without a head, of HTTP/0.9. Without the option they are malformed: `malformedResponses`.
  static let headlessResponses: ConformanceGroup = .init(
    name: "responses without a head", needs: .http0_9,
    cases: DeliveryKind.allCases.flatMap { delivery in
      [
        Case("a body ends with the connection, \(delivery.rawValue)", needs: delivery.needs) { subject in
          for text in [
            "just text\n", "Hello", "\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n", "\0", String(repeating: "x", count: 300_000),
          ] {
            try await withServer(subject, { try $0.send(text) }) { connection in
              let response = try await delivery.get(connection)
              try expectEqual(response.status, .ok)
              try expectEqual(response.version, .http0_9)
              try expect(response.headers.isEmpty, "\(response.headers)")
              try expectEqual(try await response.body.utf8Text(), text)
            }
          }
        },
        Case("a reset truncates the body, \(delivery.rawValue)", needs: delivery.needs) { subject in
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
        ("an invalid status line", "HTTP/1.1 200X\r\n\r\nhello", [.malformedResponse]),
        ("a truncated head", "HTTP/1.1 200 OK\r\nContent-Le", [.truncatedResponse, .connectionClosed]),
        ("text after an interim response", "HTTP/1.1 103 Hints\r\n\r\njust text", [.malformedResponse]),
      ]
      .map { name, text, codes in
        Case("\(name) is rejected") { subject in
          try await withServer(subject, { try $0.send(text) }) { connection in
            try await expectFailure(in: codes) { try await connection.get() }
          }
        }
      }
      + [
        Case("a body that starts like a status line is accepted in two pieces") { subject in
          try await withServer(
            subject,
            { server in
              try server.send("HTT")
              try server.pause(milliseconds: 20)
              try server.send("X and more")
            }
          ) { connection in
            let response = try await connection.get()
            try expectEqual(try await response.body.utf8Text(), "HTTX and more")
            try expectEqual(response.metrics.bytesReceived, 13)
          }
        },
        Case("a HEAD without a response head is rejected") { subject in
          try await withServer(subject, { try $0.send("just text") }) { connection in
            // libcurl 8.8 and newer read nothing after a HEAD.
            try await expectFailure(in: [.malformedResponse, .connectionClosed]) { try await connection.head() }
          }
        },
        Case("a server that has used HTTP/1.1 on the connection must send a head", needs: .cleanConnections) { subject in
          try await withServer(
            subject,
            { server in
              try server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
              _ = try server.readHead()
              try server.send("just text")
            }
          ) { connection in
            try expectEqual(try await connection.get().body.utf8Text(), "hello")
            try await expectFailure(.malformedResponse) { try await connection.get() }
          }
        },
        Case("a response after a challenge must have a head", needs: .authentication) { subject in
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
                $0.options.authentication = TransportAuthentication(user: "u", password: "p", schemes: .digest)
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

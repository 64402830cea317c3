internal import FaradayCore

extension ConformanceGroup {
  /// The idle timeout does not expire while any bytes are sent or received. Every step takes a tenth of the timeout, and all of
  /// them together more than twice the timeout.
  static let movingBytes: ConformanceGroup = .init(
    name: "idle timeout of slow transfers", needs: [.idleTimeout, .idleOnWire],
    cases: [
      .init("a server that reads slowly does not cause an idle timeout") { subject in
        try await takesItsTime(subject, body: .data(Data(count: 25 * piece)))
      },
      .init("a server that reads a streamed body slowly does not cause an idle timeout", needs: .streamedUpload) { subject in
        try await takesItsTime(subject, body: .stream(Pieces([Data(count: 25 * piece)]), length: Int64(25 * piece)))
      },
      dripped("a status line", before: "", "HTTP/1.1 200 A long reason!\r\n", after: "Content-Length: 2\r\n\r\nok"),
      dripped("a field", before: "HTTP/1.1 200 OK\r\n", "X-Field: a long value\r\n", after: "Content-Length: 2\r\n\r\nok"),
      dripped(
        "an interim response", before: "", "HTTP/1.1 103 Early Hints\r\n\r\n",
        after: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
      dripped("a chunk's extension", before: chunked + "2;", "extension=abcdefghijkl\r\n", after: "ok\r\n0\r\n\r\n"),
      dripped("a chunk's size", before: chunked, "0000000000000000000000002\r\n", after: "ok\r\n0\r\n\r\n", orFails: true),
      dripped("a trailer", before: chunked + "2\r\nok\r\n0\r\n", "X-Trailer: a long value\r\n", after: "\r\n"),
    ])

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let piece = 20_000
  private static let limit = Duration.milliseconds(400)

  private static func takesItsTime(_ subject: AdapterConformance.Subject, body: Body) async throws {
    try await patiently(from: limit, repeating: .idleTimeout) { limit in
      let server = try RawServer { connection in
        connection.setReceiveBuffer(16 << 10)
        _ = try connection.readHead()
        for _ in 0..<25 {
          _ = try connection.read(exactly: piece)
          try connection.pause(milliseconds: limit.inMilliseconds / 10)
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        connection.waitForClose()
      }
      defer { server.stop() }
      let connection = try subject.connection(to: server)
      let response = try await connection.post(body: body) { $0.options.timeouts.idle = limit }
      try expectEqual(try await response.body.utf8Text(), "ok")
    }
  }

  private static func dripped(
    _ sentence: String, before: String, _ dripped: String, after: String, orFails: Bool = false
  ) -> Case {
    Case("\(sentence) that arrives byte by byte causes no idle timeout") { subject in
      try await patiently(from: limit, repeating: .idleTimeout) { limit in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send(before)
          for byte in dripped.utf8 {
            try connection.pause(milliseconds: limit.inMilliseconds / 10)
            try connection.send([byte])
          }
          try connection.send(after)
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        do {
          let response = try await connection.get { $0.options.timeouts.idle = limit }
          try expectEqual(try await response.body.utf8Text(), "ok")
        } catch let error as TransportError where error.code == .malformedResponse {
          // An engine may limit it.
          try expect(orFails, "\(error)")
        }
      }
    }
  }
}

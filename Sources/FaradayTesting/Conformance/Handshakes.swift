internal import FaradayCore

extension ConformanceGroup {
  /// The TLS handshake: certificates and versions that must be rejected, and cancellation during it.
  static let handshakes: ConformanceGroup = .init(
    name: "TLS handshakes",
    cases: [
      .init("a server without TLS is a permanent failure") { subject in
        let server = try RawServer { connection in
          _ = try connection.readSome(upTo: 16 << 10)
          try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
          connection.waitForClose()
        }
        defer { server.stop() }
        let request = try Request(server.url.replacing("http://", with: "https://"))
        // OpenSSL's own alert may find the connection broken before its error is reported.
        let error = try await expectFailure(in: [.tlsFailed, .connectionFailed]) { try await subject.adapter.send(request) }
        try expect(error.isTransient == (error.code == .connectionFailed), "\(error)")
      },
      .init("an interrupted handshake is a transient failure") { subject in
        for resets in [true, false] {
          let server = try RawServer { connection in
            _ = try connection.readSome(upTo: 16 << 10)
            if resets { connection.reset() } else { connection.close() }
          }
          defer { server.stop() }
          let request = try Request(server.url.replacing("http://", with: "https://"))
          let error = try await expectFailure(.connectionFailed, .connectionClosed) { try await subject.adapter.send(request) }
          try expect(error.isTransient, "\(error)")
        }
      },
      .init("a cancellation within the handshake ends it at once") { subject in
        let hasBegun = Gate()
        let hasClosed = Gate()
        let server = try RawServer { connection in
          // The client's first word; it gets no answer.
          _ = try connection.readSome(upTo: 1)
          hasBegun.open()
          connection.waitForClose()
          hasClosed.open()
        }
        defer { server.stop() }
        let request = try Request(server.url.replacing("http://", with: "https://"))
        let task = Task { try await subject.adapter.send(request) }
        try expect(await hasBegun.opened())
        task.cancel()
        try await expectThrows(CancellationError.self) { _ = try await task.value }
        try expect(await hasClosed.opened(), "the connection is still open")
        try expectEqual(try await subject.connection.get("hello").status, .ok)
      },
    ])
}

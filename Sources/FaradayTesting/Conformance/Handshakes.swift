internal import FaradayCore

extension ConformanceGroup {
  /// The TLS handshake: certificates and versions that must be rejected, and cancellation during it.
  static let handshakes: ConformanceGroup = .init(
    name: "TLS handshakes",
    cases: [
      .init("a certificate that is valid is trusted, for its authority is", needs: .customCA) { subject in
        let server = try OpenSSLServer()
        let response = Task { try await get(server, over: subject) }
        let request = await server.received { $0.contains(Array("\r\n\r\n".utf8)) }
        try expect(request != nil, "no request came")
        server.send(answer)
        try expectEqual(try await response.value.body.text(), "ok")
      },
      .init("a certificate that has expired is refused", needs: .customCA) { subject in
        try await isRefused(.past, over: subject)
      },
      .init("a certificate that is not valid yet is refused", needs: .customCA) { subject in
        try await isRefused(.future, over: subject)
      },
      .init("a server that speaks nothing newer than TLS 1.0 is not spoken to", needs: .customCA) { subject in
        let old = try OpenSSLServer("-tls1 -cipher ALL:@SECLEVEL=0")
        old.send(answer)
        // A server that closes before its alert was read cannot be told from one that breaks off.
        let error = try await expectFailure(.tlsFailed, .connectionFailed) { try await get(old, over: subject) }
        try expectEqual(error.phase, .tls)
        try expect(error.partialResponse == nil)
      },
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
      .init("a server that breaks the handshake off is a transient failure") { subject in
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
      .init("cancelling in the middle ends it at once") { subject in
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

  private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

  private static func get(_ server: OpenSSLServer, over subject: AdapterConformance.Subject) async throws -> Response {
    var request = try Request(server.url)
    request.options.tls.caFile = server.caFile
    return try await subject.adapter.send(request)
  }

  private static func isRefused(_ validity: OpenSSLServer.Validity, over subject: AdapterConformance.Subject) async throws {
    let server = try OpenSSLServer(certificate: validity)
    // For a client that comes through: what does not fail is then seen at once.
    server.send(answer)
    let error = try await expectFailure(.tlsVerificationFailed) { try await get(server, over: subject) }
    try expectEqual(error.phase, .tls)
    try expect(error.partialResponse == nil)
  }
}

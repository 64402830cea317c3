internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  static let tls: ConformanceGroup = .init(
    name: "TLS",
    cases: [
      .init("an untrusted certificate is refused") { subject in
        let error = try await expectFailure(.tlsVerificationFailed) { try await connection(subject).get("connection") }
        try expectEqual(error.phase, .tls)
        try expect(error.partialResponse == nil)
      },
      .init("an untrusted certificate is refused for a streamed response", needs: .streamedDownload) { subject in
        try await expectFailure(.tlsVerificationFailed) {
          try await connection(subject).get("connection") { $0.options.delivery = .streamed }
        }
      },
      .init("a certificate for another name is refused", needs: .customCA) { subject in
        let nginx = try NginxServer.shared.get()
        var request = try Request("https://127.0.0.2:\(nginx.tlsPort)/connection")
        request.options.tls.caFile = nginx.caFile
        try await expectFailure(.tlsVerificationFailed) { [request] in try await subject.adapter.send(request) }
      },
      .init("a server without TLS is an error") { subject in
        // It waits for the client to close, so that the client's alert can be sent.
        let server = try RawServer { connection in
          _ = try connection.readSome(upTo: 65_536)
          try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
          while try !connection.readSome(upTo: 65_536).isEmpty {}
        }
        defer { server.stop() }
        let request = try Request(server.url.replacing("http://", with: "https://"))
        // Still, an alert that could not be sent was seen, which is a failure of the connection.
        let error = try await expectFailure(.tlsFailed, .connectionFailed) { try await subject.adapter.send(request) }
        try expectEqual(error.phase, .tls)
      },
      .init("a server that closes within the handshake is an error") { subject in
        let server = try RawServer { connection in _ = try connection.readSome(upTo: 100) }
        defer { server.stop() }
        let request = try Request(server.url.replacing("http://", with: "https://"))
        try await expectFailure(.tlsFailed, .connectionClosed, .connectionFailed, .receiveFailed, .sendFailed) {
          try await subject.adapter.send(request)
        }
      },
      .init("a missing file of authorities is an error", needs: .customCA) { subject in
        try await expectFailure(.invalidCA) {
          try await connection(subject).get("connection") { $0.options.tls.caFile = "/nonexistent.pem" }
        }
      },
      .init("an authority path with a NUL character is refused", needs: .customCA, needsWire: false) {
        subject in
        let error = try await expectFailure(.invalidCA) {
          try await subject.connection.get("hello") { $0.options.tls.caFile = "/etc/ssl/certs/ca-certificates.crt\0.pem" }
        }
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.requestCount, 0)
      },
      .init("an invalid file of authorities is an error", needs: .customCA) { subject in
        let garbage = try TemporaryFile(Data("garbage".utf8))
        // GnuTLS takes it for an empty list.
        try await expectFailure(in: [.invalidCA, .tlsVerificationFailed]) {
          try await connection(subject).get("connection") { $0.options.tls.caFile = garbage.path }
        }
      },
      .init("a configured authority is trusted", needs: .customCA) { subject in
        try expectEqual(try await trusting(subject).get("connection").status, .ok)
      },
      .init("an authority of one request is not trusted by the next", needs: .customCA) { subject in
        try expectEqual(try await trusting(subject).get("connection").status, .ok)
        try await expectFailure(.tlsVerificationFailed) { try await connection(subject).get("connection") }
      },
      .init("verification can be disabled", needs: .unverifiedTLS) { subject in
        let response = try await connection(subject).get("connection") { $0.options.tls.verifiesServer = false }
        try expectEqual(response.status, .ok)
      },
      .init("disabled verification applies to one request only", needs: .unverifiedTLS) { subject in
        _ = try await connection(subject).get("connection") { $0.options.tls.verifiesServer = false }
        try await expectFailure(.tlsVerificationFailed) { try await connection(subject).get("connection") }
      },
      .init("HTTP/1.1 is used if requested", needs: [.customCA, .http1Only, .responseVersion]) { subject in
        let response = try await trusting(subject).get("connection") { $0.options.httpVersion = .http1 }
        try expectEqual(response.version, .http1_1)
      },
      .init("the handshake has its own metric", needs: [.customCA, .metrics]) { subject in
        let server = try NginxServer()
        defer { server.stop() }
        var request = try Request(server.url + "session")
        request.options.tls.caFile = server.caFile
        let metrics = try await subject.adapter.send(request).metrics
        let connect = try require(metrics.connect)
        let tls = try require(metrics.tls)
        try expect(connect <= tls, "\(connect) and \(tls)")
      },
      .init("large bodies are transferred both ways", needs: .customCA) { subject in
        let data = pattern(2_000_000)
        try expectEqual(try await trusting(subject).post("upstream/echo", body: .data(data)).body.data, data)
      },
      .init("a file of 32 MiB arrives completely", needs: [.customCA, .streamedDownload]) { subject in
        let file = try BigFile.shared.get()
        let response = try await trusting(subject).get(file) { $0.options.delivery = .streamed }
        try expectEqual(response.headers[.contentLength], "\(BigFile.size)")
        try expect(try await response.body.collect() == pattern(BigFile.size), "the bytes are others")
      },
      .init("a body that is dropped half-way does not disturb later requests", needs: [.customCA, .streamedDownload]) { subject in
        let file = try BigFile.shared.get()
        let connection = try trusting(subject)
        for _ in 0..<5 {
          var iterator = try await connection.get(file) { $0.options.delivery = .streamed }.body.makeAsyncIterator()
          try expect(try await iterator.next() != nil)
        }
        try expectEqual(try await connection.get("connection").status, .ok)
      },
    ])

  private static func connection(_ subject: AdapterConformance.Subject) throws -> Connection {
    try Connection(NginxServer.shared.get().url, adapter: subject.adapter)
  }

  private static func trusting(_ subject: AdapterConformance.Subject) throws -> Connection {
    var connection = try connection(subject)
    connection.defaults.tls.caFile = try NginxServer.shared.get().caFile
    return connection
  }
}

/// A file that nginx serves, deleted with this object.
enum BigFile {
  static let size = 32 << 20

  /// Its name.
  static let shared = Result {
    try pattern(size).write(to: URL(filePath: NginxServer.shared.get().files + "/big"))
    return "big"
  }
}

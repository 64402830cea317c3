internal import FaradayCore

extension ConformanceGroup {
  static let errors: ConformanceGroup = .init(
    name: "errors",
    cases: invalidURLs + [
      .init("a refused connection has its error code") { subject in
        let port = try RefusedPort()
        let error = try await expectFailure(.connectionFailed) { try await get("http://127.0.0.1:\(port.port)/", subject) }
        try expectEqual(error.phase, .connecting)
        try expect(error.partialResponse == nil)
        withExtendedLifetime(port) {}
      },
      .init("a refused connection has its error code when streamed", needs: .streamedDownload) { subject in
        let port = try RefusedPort()
        var request = try Request("http://127.0.0.1:\(port.port)/")
        request.options.delivery = .streamed
        try await expectFailure(.connectionFailed) { [request] in try await subject.adapter.send(request) }
        withExtendedLifetime(port) {}
      },
      .init("an unknown host has its error code") { subject in
        let error = try await expectFailure(.nameNotFound) { try await get("http://nothing.invalid/", subject) }
        try expectEqual(error.phase, .resolving)
      },
      .init("an international host is converted and accepted") { subject in
        try await expectFailure(.nameNotFound) { try await get("http://b\u{FC}cher.invalid/", subject) }
      },
      .init("an error names the request without its secrets") { subject in
        let port = try RefusedPort()
        let error = try await expectFailure(.connectionFailed) {
          try await get("http://user:secret@127.0.0.1:\(port.port)/path?token=secret#secret", subject)
        }
        try expectEqual(error.method, .get)
        try expectEqual(error.url, "http://127.0.0.1:\(port.port)/path")
        try expect(!"\(error)".contains("secret"), "\(error)")
        withExtendedLifetime(port) {}
      },
      .init("a refused upload has its error code", needs: .streamedUpload) { subject in
        let port = try RefusedPort()
        let request = try Request(.put, "http://127.0.0.1:\(port.port)/", body: .stream(Pieces(size: 1_000_000)))
        try await expectFailure(.connectionFailed) { try await subject.adapter.send(request) }
        withExtendedLifetime(port) {}
      },
      .init("HTTP/1.1 is used without TLS, whatever version is requested", needs: [.http2, .responseVersion]) { subject in
        let response = try await subject.connection.get("hello") { $0.options.httpVersion = .http2 }
        try expectEqual(response.version, .http1_1)
      },
    ])

  private static let invalidURLs: [Case] = [
    ("nonsense", TransportError.Code.invalidURL), ("/path", .invalidURL), ("http://", .invalidURL), ("http:///path", .invalidURL),
    ("http://:80/", .invalidURL), ("http:host", .invalidURL), ("http://h:99999/", .invalidURL), ("http://user@/x", .invalidURL),
    ("http://user@example.com:80@127.0.0.1/", .invalidURL), ("http://a@b@127.0.0.1/", .invalidURL),
    ("http://user:p@ss@127.0.0.1/", .invalidURL),
    ("ftp://h/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme), ("gopher://h/", .unsupportedScheme),
    ("httpx://h/", .unsupportedScheme),
  ].map { url, code in
    Case("\(url) is rejected", needsWire: false) { subject in
      let error = try await expectFailure(code) { try await get(url, subject) }
      try expect([.building, .connecting, .resolving].contains(error.phase), "\(error)")
    }
  }

  private static func get(_ url: String, _ subject: AdapterConformance.Subject) async throws -> Response {
    try await subject.adapter.send(try Request(url))
  }
}

internal import FaradayCore

extension ConformanceGroup {
  static let requestForms: ConformanceGroup = .init(
    name: "request forms",
    cases: [
      .init("HTTP/1.0 is used if requested", needs: .http1_0) { subject in
        let (text, _) = try await sent(subject) { $0.options.httpVersion = .http1_0 }
        try expect(text.hasPrefix("GET /x HTTP/1.0\r\n"), text)
      },
      .init("a verbatim target is sent unchanged", needs: .verbatimTarget) { subject in
        for target in ["/a|b?\"<>\"", "no-slash", "*", "http://other.invalid/", "/%zz/../.#f"] {
          let (text, _) = try await sent(subject) { $0.options.requestTarget = .verbatim(target) }
          try expect(text.hasPrefix("GET \(target) HTTP/1.1\r\n"), text)
        }
      },
      .init("a target with a line break is refused", needs: .verbatimTarget, needsWire: false) { subject in
        for target in ["", " ", "/a b", "/\r\nX: y", "/\u{7f}", "/é", "/\0"] {
          try await expectFailure(.invalidURL) {
            try await subject.connection.get("hello") { $0.options.requestTarget = .verbatim(target) }
          }
        }
      },
      .init("TE is listed in Connection", needs: .exactHeaders) { subject in
        // RFC 9110, section 10.1.4.
        for (connection, expected) in [
          (nil, "TE"), ("close", "close, TE"), ("te", "te"), ("X-Other, TE", "X-Other, TE"),
        ] as [(String?, String)] {
          let (text, _) = try await sent(subject) {
            $0.headers[.te] = "trailers"
            $0.headers[.connection] = connection
          }
          try expectEqual(text.lowercased().split(separator: "\r\nconnection:").count, 2)
          try expect(text.contains("\r\nConnection: \(expected)\r\n") && text.contains("\r\nTE: trailers\r\n"), text)
        }
      },
      .init("trailers follow the body", needs: [.requestTrailers, .streamedUpload]) { subject in
        let checksum = try require(HTTPField.Name("X-Checksum"))
        let (text, _) = try await sent(subject, until: "X-Checksum: abc\r\n\r\n") {
          $0.method = .post
          $0.body = .stream(Pieces("some ", "pieces"))
          $0.headers[.trailer] = "X-Checksum"
          $0.options.requestTrailers = { HTTPFields([HTTPField(name: checksum, value: "abc")]) }
        }
        try expect(text.hasSuffix("\r\n0\r\nX-Checksum: abc\r\n\r\n"), text)
        try expect(text.contains("\r\nTrailer: X-Checksum\r\n"), text)
      },
      .init("trailer values are sent byte by byte", needs: [.requestTrailers, .streamedUpload]) { subject in
        let name = try require(HTTPField.Name("X-Bytes"))
        let server = Log<UInt8>()
        let raw = try RawServer { connection in
          _ = try connection.readHead()
          while !server.elements.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let piece = try connection.readSome(upTo: 1000)
            if piece.isEmpty { return }
            for byte in piece { server.append(byte) }
          }
          try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        defer { raw.stop() }
        var request = try Request(.post, raw.url, body: .stream(Pieces("body")))
        request.options.requestTrailers = { HTTPFields([HTTPField(name: name, lenientValue: [0x61, 0xFC, 0x80])]) }
        _ = try await subject.adapter.send(request)
        try expect(server.elements.suffix(8).elementsEqual([0x20, 0x61, 0xFC, 0x80] + Array("\r\n\r\n".utf8)), "other bytes")
      },
      .init(
        "a request with trailers that must be sent again fails",
        needs: [.requestTrailers, .streamedUpload, .authentication]
      ) { subject in
        let server = try RawServer { connection in
          while true {
            _ = try connection.readHead()
            var text = ""
            while !text.hasSuffix("0\r\nX-Checksum: abc\r\n\r\n") && !text.hasSuffix("0\r\n\r\n") {
              text += String(decoding: try connection.readSome(upTo: 1000), as: UTF8.self)
            }
            try connection.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
          }
        }
        defer { server.stop() }
        let checksum = try require(HTTPField.Name("X-Checksum"))
        var request = try Request(.put, server.url, body: .stream(Pieces("the body"), isReplayable: true))
        request.options.authentication = TransportAuthentication(user: "u", password: "p", schemes: .any)
        request.options.requestTrailers = { HTTPFields([HTTPField(name: checksum, value: "abc")]) }
        do {
          try expectEqual(try await subject.adapter.send(request).status, .unauthorized)
        } catch let error as TransportError {
          try expectEqual(error.code, .connectionClosed)
        }
      },
      .init("trailers without a chunked body are refused", needs: .requestTrailers, needsWire: false) { subject in
        for body: Body in [.empty, "text"] {
          try await expectFailure(.invalidOption) {
            try await subject.connection.post("echo") {
              $0.body = body
              $0.options.requestTrailers = { [:] }
            }
          }
        }
      },
      .init("trailers need HTTP/1.1", needs: [.requestTrailers, .streamedUpload], needsWire: false) { subject in
        for version in [HTTPVersionPolicy.http1_0, .http2, .http2PriorKnowledge, .http3]
        where version != .http3 || subject.adapter.capabilities.contains(.http3) {
          try await expectFailure(.invalidOption) {
            try await subject.connection.post("echo") {
              $0.body = .stream(Pieces("text"))
              $0.options.requestTrailers = { [:] }
              $0.options.httpVersion = version
            }
          }
        }
      },
      .init("an explicit Content-Length keeps its position", needs: .exactHeaders) { subject in
        let (text, _) = try await sent(subject, until: "body") {
          $0.method = .post
          $0.body = "body"
          $0.headers.append(HTTPField(name: .accept, value: "*/*"))
          $0.headers.append(HTTPField(name: .contentLength, value: "4"))
          $0.headers.append(HTTPField(name: .contentType, value: "text/plain"))
        }
        try expect(text.hasSuffix("\r\nAccept: */*\r\nContent-Length: 4\r\nContent-Type: text/plain\r\n\r\nbody"), text)
      },
      .init("an explicit Transfer-Encoding keeps its position", needs: [.exactHeaders, .streamedUpload, .duplex]) { subject in
        let (text, _) = try await sent(subject, until: "0\r\n\r\n") {
          $0.method = .post
          $0.body = .stream(
            AsyncStream {
              $0.yield(Data("body".utf8))
              $0.finish()
            })
          $0.headers.append(HTTPField(name: .accept, value: "*/*"))
          $0.headers.append(HTTPField(name: .transferEncoding, value: "chunked"))
          $0.headers.append(HTTPField(name: .contentType, value: "text/plain"))
        }
        let head = "\r\nAccept: */*\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n4\r\nbody\r\n"
        try expect(text.contains(head), text)
      },
      .init("Expect is sent with a large body and not with a small one", needs: [.expectContinue, .streamedUpload]) { subject in
        let policy = ExpectContinue(minimumBodySize: 10)
        let small = try await subject.connection.post("inspect") {
          $0.body = "small"
          $0.options.expectContinue = policy
        }
        try expect(!(try await small.body.utf8Text().lowercased().contains("expect")))
        let server = try RawServer { connection in
          let head = try connection.readHead()
          try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
          _ = try connection.read(exactly: 11)
          let hasExpect = head.lowercased().contains("\r\nexpect: 100-continue\r\n")
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(hasExpect ? 1 : 0)")
          connection.waitForClose()
        }
        defer { server.stop() }
        let large = try await subject.connection(to: server).post {
          $0.body = "large body."
          $0.options.expectContinue = policy
        }
        try expectEqual(try await large.body.utf8Text(), "1")
      },
    ])

  /// The bytes that a server receives, and the response.
  private static func sent(
    _ subject: AdapterConformance.Subject, until end: String = "\r\n\r\n", edit: (inout Request) throws -> Void
  ) async throws -> (String, Response) {
    let log = Log<String>()
    let server = try RawServer { connection in
      var text = ""
      while !text.hasSuffix(end) {
        let piece = try connection.readSome(upTo: 10_000)
        if piece.isEmpty { break }
        text += String(decoding: piece, as: UTF8.self)
      }
      log.append(text)
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      connection.waitForClose()
    }
    defer { server.stop() }
    var request = try Request(server.url + "/x")
    try edit(&request)
    let response = try await subject.adapter.send(request)
    return (try require(log.elements.first), response)
  }
}

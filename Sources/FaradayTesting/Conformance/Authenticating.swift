internal import FaradayCore

extension ConformanceGroup {
  static let authenticating: ConformanceGroup = .init(
    name: "authentication", needs: .authentication,
    cases: [
      .init("a challenge is resolved without showing it to the caller") { subject in
        let (response, heads) = try await exchange(
          subject, answers: [challenge, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        try expectEqual(try await response.body.utf8Text(), "ok")
        try expectEqual(response.status, .ok)
        try expect(!heads[0].contains("Authorization"), heads[0])
        try expect(
          heads[1].contains("\r\nAuthorization: Digest username=\"ada\", realm=\"r\", nonce=\"n\", uri=\"/x\""), heads[1])
      },
      .init("a second 401 is the response", needs: .streamedDownload) { subject in
        for delivery in [Delivery.buffered, .streamed] {
          let (response, heads) = try await exchange(subject, answers: [challenge, challenge]) { $0.options.delivery = delivery }
          try expectEqual(response.status, .unauthorized)
          try expectEqual(heads.count, 2)
        }
      },
      .init("an unsupported challenge is the response") { subject in
        let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Other\r\nContent-Length: 4\r\n\r\nbody"
        let (response, heads) = try await exchange(subject, answers: [answer])
        try expectEqual(response.status, .unauthorized)
        try expectEqual(try await response.body.utf8Text(), "body")
        try expectEqual(heads.count, 1)
      },
      .init("a body is sent with the credentials", needs: .streamedUpload) { subject in
        for (kind, schemes) in BodyKind.allCases.flatMap({ kind in [AuthenticationSchemes.digest, .any].map { (kind, $0) } }) {
          try await kind.with(Data("the body".utf8)) { body in
            // With several schemes the first request has the body, too.
            guard schemes == .digest || body.isReplayable else { return }
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            let bodies = Log<String>()
            let server = try RawServer { connection in
              while true {
                let head = try connection.readHead().lowercased()
                if head.contains("transfer-encoding") {
                  var text = ""
                  while !text.hasSuffix("0\r\n\r\n") {
                    text += String(decoding: try connection.readSome(upTo: 1000), as: UTF8.self)
                  }
                  bodies.append(
                    text.contains("the body") || text.filter { "thebody".contains($0) } == "thebody"
                      ? "the body" : text == "0\r\n\r\n" ? "" : text)
                } else {
                  let length =
                    head.split(separator: "content-length: ").dropFirst().first.flatMap { Int($0.prefix { $0 != "\r\n" }) } ?? 0
                  bodies.append(String(decoding: try connection.read(exactly: length), as: UTF8.self))
                }
                try connection.send(head.contains("authorization") ? ok : challenge)
              }
            }
            defer { server.stop() }
            var request = try Request(.post, server.url + "/x", body: body)
            request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
            let response = try await subject.adapter.send(request)
            try expectEqual(response.status, .ok)
            try expectEqual(bodies.elements.last, "the body")
          }
        }
      },
      .init("a request whose body waits for the challenge sends no Expect", needs: [.streamedUpload, .expectContinue]) {
        subject in
        // RFC 9110, section 10.1.1: no 100-continue without content.
        let heads = Log<String>()
        let server = try RawServer { connection in
          heads.append(try connection.readHead())
          try connection.send(challenge)
          let head = try connection.readHead().lowercased()
          heads.append(head)
          if head.contains("\r\nexpect: 100-continue\r\n") { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
          _ = try connection.read(exactly: 2 << 20)
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          connection.waitForClose()
        }
        defer { server.stop() }
        let body = Body.data(Data(repeating: 0x61, count: 2 << 20))
        var request = try Request(.put, server.url + "/x", body: body)
        request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
        request.options.expectContinue = ExpectContinue()
        try expectEqual(try await subject.adapter.send(request).status, .ok)
        try expectEqual(heads.elements.map { $0.lowercased().contains("\r\nexpect: 100-continue\r\n") }, [false, true])
      },
      .init("a response after the challenge needs a request") { subject in
        let poison = challenge + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let server = try RawServer { connection in
          while true {
            let head = try connection.readHead()
            let isAnswer = head.contains("Authorization")
            try connection.send(isAnswer ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine" : poison)
          }
        }
        defer { server.stop() }
        do {
          let response = try await subject.connection(to: server).get("x") {
            $0.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
          }
          try expectEqual(try await response.body.utf8Text(), "mine")
        } catch let error as TransportError {
          try expectEqual(error.code, .malformedResponse)
        }
      },
      .init("endless challenges end") { subject in
        let heads = Log<String>()
        let server = try RawServer { connection in
          while true {
            heads.append(try connection.readHead())
            try connection.send(challenge.replacing("nonce=\"n\"", with: "nonce=\"n\(heads.elements.count)\", stale=true"))
          }
        }
        defer { server.stop() }
        do {
          let response = try await subject.connection(to: server).get("x") {
            $0.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
          }
          try expectEqual(response.status, .unauthorized)
        } catch let error as TransportError {
          try expectEqual(error.code, .malformedResponse)
        }
        try expect(heads.elements.count < 50, "\(heads.elements.count) requests")
      },
      .init("a body is sent to a server that does not challenge", needs: .streamedUpload) { subject in
        for (kind, schemes) in BodyKind.allCases.flatMap({ kind in [AuthenticationSchemes.digest, .ntlm, .any].map { (kind, $0) }
        }) where try await isBuiltIn(schemes, subject) {
          try await kind.with(Data("the body".utf8)) { body in
            let requests = Log<String>()
            let server = try server(requests) { _ in "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone" }
            defer { server.stop() }
            for delivery in [Delivery.buffered, .streamed] {
              guard body.isReplayable || delivery == .buffered else { continue }
              var request = try Request(.post, server.url + "/x", body: body)
              request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
              request.options.delivery = delivery
              let response = try await subject.adapter.send(request)
              try expectEqual(try await response.body.utf8Text(), "done")
              try expectEqual(response.status, .ok)
              try expectEqual(requests.elements.last?.split(separator: "\r\n\r\n").last.map(String.init), "the body")
            }
          }
        }
      },
      .init("a body is sent to a server that does not challenge, even after a large first response", needs: .streamedUpload) {
        subject in
        for (kind, schemes) in BodyKind.allCases.flatMap({ kind in [AuthenticationSchemes.digest, .ntlm].map { (kind, $0) } })
        where try await isBuiltIn(schemes, subject) {
          try await kind.with(Data("the body".utf8)) { body in
            let requests = Log<String>()
            let server = try serverWithFirstResponse(of: 3 << 20, requests)
            defer { server.stop() }
            var request = try Request(.post, server.url + "/x", body: body)
            request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
            try expectEqual(try await subject.adapter.send(request).body.utf8Text(), "done")
            try expectEqual(requests.elements.last?.split(separator: "\r\n\r\n").last.map(String.init), "the body")
          }
        }
      },
      .init("a body is sent through a proxy that does not challenge", needs: [.streamedUpload, .proxies]) { subject in
        for (size, own) in [0, 10, 3 << 20].flatMap({ size in [nil, AuthenticationSchemes.basic, .digest].map { (size, $0) } }) {
          let requests = Log<String>()
          let server = try serverWithFirstResponse(of: size, requests)
          defer { server.stop() }
          var proxy = Proxy(.http, host: "127.0.0.1", port: server.port, user: "ada", password: "secret")
          proxy.authentication = .digest
          var request = try Request(.post, "http://anywhere.invalid/x", body: .stream(Pieces("the ", "body")))
          request.options.authentication = own.map { TransportAuthentication(user: "eve", password: "other", schemes: $0) }
          request.options.proxy = .proxy(proxy)
          try expectEqual(try await subject.adapter.send(request).body.utf8Text(), "done")
          let last = try require(requests.elements.last)
          try expect(last.hasSuffix("\r\n\r\nthe body"), last)
          try expectEqual(last.contains("\r\nAuthorization: Basic "), own == .basic)
        }
      },
      .init("the head is delivered before the body is sent with the credentials", needs: [.streamedUpload, .duplex]) { subject in
        for length in [nil, 8] as [Int64?] {
          let server = try RawServer { connection in
            while true {
              let head = try connection.readHead()
              guard head.contains("\r\nAuthorization: ") else {
                try connection.send(challenge)
                continue
              }
              try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
              var body = ""
              while !body.hasSuffix(length == nil ? "0\r\n\r\n" : "the body") {
                body += String(decoding: try connection.readSome(upTo: 1000), as: UTF8.self)
              }
              try connection.send("done")
            }
          }
          defer { server.stop() }
          let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
          let response = try await subject.connection(to: server).post(body: .stream(pieces, length: length)) {
            $0.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
            $0.options.onHead = { _ in
              continuation.yield(Data("the body".utf8))
              continuation.finish()
            }
            // Ends a deadlock of the source, which waits for the head, with the server, which waits for the body.
            $0.options.timeouts.total = .seconds(60)
          }
          try expectEqual(try await response.body.utf8Text(), "done")
        }
      },
      .init("a request without a body is sent once to a server that does not challenge") { subject in
        for (method, schemes) in [HTTPRequest.Method.post, .put, .delete, .get].flatMap({ method in
          [AuthenticationSchemes.digest, .ntlm].map { (method, $0) }
        }) where try await isBuiltIn(schemes, subject) {
          let requests = Log<String>()
          let server = try server(requests) { _ in "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone" }
          defer { server.stop() }
          var request = try Request(method, server.url + "/x")
          request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
          try expectEqual(try await subject.adapter.send(request).body.utf8Text(), "done")
          try expectEqual(requests.elements.count, 1)
          let head = try require(requests.elements.first).lowercased()
          try expectEqual(head.contains("\r\ncontent-length: 0\r\n"), method == .post || method == .put)
        }
      },
      .init("a request without content sends no Expect", needs: [.streamedUpload, .expectContinue]) { subject in
        // RFC 9110, section 10.1.1.
        let offersNTLM = try await isBuiltIn(.ntlm, subject)
        for schemes in [AuthenticationSchemes.ntlm, .digest, .any, [.ntlm, .basic]] where try await isBuiltIn(schemes, subject) {
          for size in [100, 2 << 20] {
            let heads = Log<String>()
            let server = try server(heads) { head in
              if head.lowercased().contains("authorization: ntlm tlrmtvntuaab") { return ntlmChallenge }
              return head.lowercased().contains("authorization:")
                ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                : offersNTLM && schemes.contains(.ntlm) ? ntlmOffer : challenge
            }
            defer { server.stop() }
            var request = try Request(.put, server.url + "/x", body: .data(Data(repeating: 0x61, count: size)))
            request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
            request.options.expectContinue = ExpectContinue()
            try expectEqual(try await subject.adapter.send(request).status, .ok)
            for text in heads.elements where text.hasSuffix("\r\n\r\n") {
              try expect(!text.lowercased().contains("\r\nexpect:"), text)
            }
          }
        }
      },
      .init("a chunked body is not sent to an HTTP/1.0 server", needs: .streamedUpload) { subject in
        let requests = Log<String>()
        let server = try server(requests) { head in
          head.contains("Authorization")
            ? "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n" : challenge.replacing("HTTP/1.1", with: "HTTP/1.0")
        }
        defer { server.stop() }
        for setsField in [false, true] {
          var request = try Request(.post, server.url + "/x", body: .stream(Pieces("the ", "body"), isReplayable: true))
          request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
          if setsField { request.headers[.transferEncoding] = "chunked" }
          _ = try? await subject.adapter.send(request)
        }
        for request in requests.elements where request.contains(" HTTP/1.0\r\n") {
          try expect(!request.lowercased().contains("transfer-encoding"), request)
        }
      },
      .init("a challenge with an endless body is abandoned") { subject in
        for (name, head, piece) in endless {
          let sent = Log<Int>()
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n" + head)
            while true {
              try connection.send(piece)
              sent.append(piece.utf8.count)
            }
          }
          defer { server.stop() }
          let error = try await expectFailure(.bodyTooLarge) {
            try await subject.connection(to: server).get("x") {
              $0.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
            }
          }
          try expect(!error.isTransient && error.partialResponse?.status == .unauthorized, "\(name): \(error)")
          let total = sent.elements.reduce(0, +)
          try expect(total < 64 << 20, "\(name): \(total) bytes")
        }
      },
      .init("the first-byte timeout includes the reading of a challenge", needs: .phaseTimeouts) { subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nTransfer-Encoding: chunked\r\n\r\n"
          )
          while true {
            try connection.send("1\r\nx\r\n")
            try connection.pause(milliseconds: 10)
          }
        }
        defer { server.stop() }
        try await expectFailure(.firstByteTimeout) {
          try await subject.connection(to: server).get("x") {
            $0.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
            $0.options.timeouts.firstByte = .milliseconds(200)
          }
        }
      },
      .init("Basic credentials are sent at once if no other scheme is allowed") { subject in
        let (_, heads) = try await exchange(subject, answers: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], schemes: .basic)
        try expect(heads[0].contains("\r\nAuthorization: Basic YWRhOnNlY3JldA==\r\n"), heads[0])
      },
      .init("a password with a NUL character is refused", needsWire: false) { subject in
        let error = try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") {
            $0.options.authentication = TransportAuthentication(user: "ada", password: "a\0b", schemes: .any)
          }
        }
        try expectEqual(error.phase, .building)
      },
    ])

  private static let challenge =
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 6\r\n\r\nrefuse"

  /// Endless bodies: the rest of the head, and the repeated piece.
  static let endless: [(name: String, head: String, piece: String)] = [
    ("a length", "Content-Length: 9000000000000000000\r\n\r\n", String(repeating: "x", count: 16 << 10)),
    (
      "chunks", "Transfer-Encoding: chunked\r\n\r\n",
      String(repeating: "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n", count: 4)
    ),
    ("a chunk extension", "Transfer-Encoding: chunked\r\n\r\n1;", String(repeating: "x", count: 16 << 10)),
  ]

  /// The challenge of NTLM: signature, message type 2, no target name, flags for Unicode and NTLM, eight bytes of challenge.
  private static let ntlmChallenge: String = {
    var bytes = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0x01, 0x82, 0, 0]
    bytes += [1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 0, count: 8)
    return "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM \(Data(bytes).base64EncodedString())\r\nContent-Length: 0\r\n\r\n"
  }()
  /// Whether the engine has one of the schemes: NTLM and Negotiate depend on how it was built. They are refused by name then, and
  /// nothing is sent.
  private static func isBuiltIn(_ schemes: AuthenticationSchemes, _ subject: AdapterConformance.Subject) async throws -> Bool {
    let sent = subject.server.requestCount
    var request = try Request(subject.server.url + "/hello")
    request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
    do {
      _ = try await subject.adapter.send(request)
      return true
    } catch let error as TransportError where error.code == .unsupported && !schemes.contains(.basic) {
      try expect(!schemes.contains(.ntlm) || error.message.contains("NTLM"), error.message)
      try expectEqual(subject.server.requestCount, sent)
      return false
    }
  }

  private static let ntlmOffer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n"

  /// A server whose response to a request without content has so many bytes. An adapter skips 1 MiB.
  private static func serverWithFirstResponse(of size: Int, _ requests: Log<String>) throws -> RawServer {
    try server(requests) { head in
      let isEmpty = head.lowercased().contains("\r\ncontent-length: 0\r\n")
      let body = isEmpty ? String(repeating: "x", count: size) : "done"
      return "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
  }

  /// A server that logs each request with its body, decoded, and answers by its head.
  private static func server(_ requests: Log<String>, _ answer: @escaping @Sendable (String) -> String) throws -> RawServer {
    try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let fields = head.lowercased()
        if fields.contains("\r\nexpect: 100-continue\r\n") { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        var body: [UInt8] = []
        if fields.contains("\r\ntransfer-encoding: chunked\r\n") {
          while true {
            var size = ""
            while !size.hasSuffix("\r\n") { size += String(decoding: try connection.read(exactly: 1), as: UTF8.self) }
            let count = Int(size.dropLast(), radix: 16) ?? 0
            let chunk = try connection.read(exactly: count + 2)
            if count == 0 { break }
            body += chunk.dropLast(2)
          }
        } else if let length = fields.firstMatch(of: #/content-length: ([0-9]+)/#).flatMap({ Int($0.output.1) }) {
          body = try connection.read(exactly: length)
        }
        requests.append(head + String(decoding: body, as: UTF8.self))
        try connection.send(answer(head))
      }
    }
  }

  /// The response, and the heads of the requests.
  private static func exchange(
    _ subject: AdapterConformance.Subject, answers: [String], schemes: AuthenticationSchemes = .digest,
    edit: (inout Request) -> Void = { _ in }
  ) async throws -> (Response, [String]) {
    let heads = Log<String>()
    let server = try RawServer { connection in
      while true {
        heads.append(try connection.readHead())
        try connection.send(answers[min(heads.elements.count, answers.count) - 1])
      }
    }
    defer { server.stop() }
    var request = try Request(server.url + "/x")
    request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: schemes)
    edit(&request)
    let response = try await subject.adapter.send(request)
    _ = try await response.body.collect(upTo: .max)
    return (response, heads.elements)
  }
}

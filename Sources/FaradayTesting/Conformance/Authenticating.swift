internal import FaradayCore

extension ConformanceGroup {
  static let authenticating: ConformanceGroup = .init(
    name: "authentication", needs: .authentication,
    cases: [
      .init("a challenge is answered, and its response is not the caller's") { subject in
        let (response, heads) = try await exchange(
          subject, answers: [challenge, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        try expectEqual(try await response.body.text(), "ok")
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
      .init("a challenge that cannot be answered is the response") { subject in
        let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Other\r\nContent-Length: 4\r\n\r\nbody"
        let (response, heads) = try await exchange(subject, answers: [answer])
        try expectEqual(response.status, .unauthorized)
        try expectEqual(try await response.body.text(), "body")
        try expectEqual(heads.count, 1)
      },
      .init("a body is sent with the answer", needs: .streamedUpload) { subject in
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
            request.options.authentication = Authentication(user: "ada", password: "secret", schemes: schemes)
            let response = try await subject.adapter.send(request)
            try expectEqual(response.status, .ok)
            try expectEqual(bodies.elements.last, "the body")
          }
        }
      },
      .init("a request whose body is held back does not ask to send it", needs: [.streamedUpload, .expectContinue]) { subject in
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
        request.options.authentication = Authentication(user: "ada", password: "secret", schemes: .digest)
        request.options.expectContinue = ExpectContinue()
        try expectEqual(try await subject.adapter.send(request).status, .ok)
        try expectEqual(heads.elements.map { $0.lowercased().contains("\r\nexpect: 100-continue\r\n") }, [false, true])
      },
      .init("what a server says after its challenge answers nothing") { subject in
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
            $0.options.authentication = Authentication(user: "ada", password: "secret", schemes: .digest)
          }
          try expectEqual(try await response.body.text(), "mine")
        } catch let error as TransportError {
          try expectEqual(error.code, .malformedResponse)
        }
      },
      .init("a server that challenges for ever is not asked for ever") { subject in
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
            $0.options.authentication = Authentication(user: "ada", password: "secret", schemes: .digest)
          }
          try expectEqual(response.status, .unauthorized)
        } catch let error as TransportError {
          try expectEqual(error.code, .malformedResponse)
        }
        try expect(heads.elements.count < 50, "\(heads.elements.count) requests")
      },
      .init("Basic is sent at once where no other is allowed") { subject in
        let (_, heads) = try await exchange(subject, answers: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], schemes: .basic)
        try expect(heads[0].contains("\r\nAuthorization: Basic YWRhOnNlY3JldA==\r\n"), heads[0])
      },
      .init("a password with a NUL character is refused", needsWire: false) { subject in
        let error = try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") {
            $0.options.authentication = Authentication(user: "ada", password: "a\0b", schemes: .any)
          }
        }
        try expectEqual(error.phase, .building)
      },
    ])

  private static let challenge =
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 6\r\n\r\nrefuse"

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
    request.options.authentication = Authentication(user: "ada", password: "secret", schemes: schemes)
    edit(&request)
    let response = try await subject.adapter.send(request)
    _ = try await response.body.collect(upTo: .max)
    return (response, heads.elements)
  }
}

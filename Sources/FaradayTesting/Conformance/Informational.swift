internal import FaradayCore

extension ConformanceGroup {
  static let informational: ConformanceGroup = .init(
    name: "informational responses",
    cases: [100, 102, 103, 199].map { code in
      Case("\(code) before the response is not the response") { subject in
        let response = try await subject.connection.get("status/\(code)")
        try expectEqual(response.status, .ok)
        try expectEqual(try await response.body.utf8Text(), "after status \(code)\n")
      }
    } + [
      .init("1xx responses are delivered before the final one", needs: .informational) { subject in
        let link = try require(HTTPField.Name("Link"))
        let hints = Log<HTTPResponse>()
        let response = try await subject.connection.get("early-hints") { $0.options.onInformational = { hints.append($0) } }
        try expectEqual(hints.elements.map(\.status.code), [103])
        try expect(hints.elements[0].headerFields[link] != nil, "the hint has no Link")
        try expectEqual(response.status, .ok)
        try expectEqual(response.headers[link], nil)
      },
      .init("each of several 1xx responses is delivered in order", needs: .informational) { subject in
        let answer =
          "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\n"
          + "HTTP/1.1 103 Early Hints\r\nA: 2\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await subject.withServer(answering: answer) { connection in
          let codes = Log<Int>()
          let response = try await connection.get { $0.options.onInformational = { codes.append($0.status.code) } }
          try expectEqual(codes.elements, [102, 103, 103])
          try expectEqual(try await response.body.utf8Text(), "ok")
        }
      },
      .init("a 1xx response is delivered before the server sends more", needs: .informational) { subject in
        let isSeen = Gate()
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
          guard isSeen.wait() else { return }
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          connection.waitForClose()
        }
        defer { server.stop() }
        let response = try await subject.connection(to: server).get {
          $0.options.onInformational = { _ in isSeen.open() }
        }
        try expectEqual(try await response.body.utf8Text(), "ok")
      },
      .init("endless 1xx responses are rejected", needs: .strictFraming) { subject in
        for head in [
          "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nA: \(String(repeating: "x", count: 8000))\r\n\r\n",
        ] {
          let server = try RawServer { connection in
            _ = try connection.readHead()
            while true { try connection.send(head) }
          }
          defer { server.stop() }
          try await expectFailure(.headTooLarge) { try await subject.connection(to: server).get() }
        }
      },
      .init("a streamed response is the final one", needs: .streamedDownload) { subject in
        let response = try await subject.connection.get("early-hints") { $0.options.delivery = .streamed }
        try expectEqual(response.status, .ok)
        try expectEqual(try await response.body.utf8Text(), "after the hints\n")
      },
    ])
}

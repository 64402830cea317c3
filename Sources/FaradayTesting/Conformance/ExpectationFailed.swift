internal import FaradayCore

extension ConformanceGroup {
  /// After a 417 (Expectation Failed) the request is sent again without `Expect`.
  static let expectationFailed: ConformanceGroup = .init(
    name: "417 Expectation Failed", needs: [.expectContinue, .expectationFailed],
    cases: BodyKind.allCases.filter { $0 != .chunked }.flatMap { kind in
      [
        Case("\(kind.rawValue) is sent again without Expect", needs: kind.needs) { subject in
          try await refusal(subject, kind, refusals: 1) { status, text, heads in
            try expectEqual(status.code, 200)
            try expectEqual(text, "content")
            try expectEqual(heads.map(asks), [true, false])
          }
        },
        Case("\(kind.rawValue) that is refused again fails", needs: kind.needs) { subject in
          try await refusal(subject, kind, refusals: 2) { status, text, heads in
            try expectEqual(status.code, 417)
            try expectEqual(text, "no")
            try expectEqual(heads.map(asks), [true, false])
          }
        },
      ]
    } + [
      .init("a request without Expect is not sent again") { subject in
        let heads = Log<String>()
        let server = try refusingServer(refusals: 1, heads)
        defer { server.stop() }
        let response = try await subject.connection(to: server).put(body: "content")
        try expectEqual(response.status.code, 417)
        try expectEqual(heads.elements.count, 1)
      }
    ])

  private static func asks(_ head: String) -> Bool { head.lowercased().contains("expect:") }

  private static func refusal(
    _ subject: AdapterConformance.Subject, _ kind: BodyKind, refusals: Int,
    _ look: (HTTPResponse.Status, String, [String]) throws -> Void
  ) async throws {
    let heads = Log<String>()
    let server = try refusingServer(refusals: refusals, heads)
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    try await kind.with(Data("content".utf8)) { body in
      let response = try await connection.put(body: body) {
        $0.headers[.expect] = "100-continue"
        $0.options.timeouts.idle = .seconds(10)
      }
      try look(response.status, try await response.body.utf8Text(), heads.elements)
    }
  }

  /// Responds with 417 to a number of requests, and reads the bodies of requests without `Expect`. Then returns the bytes read.
  private static func refusingServer(refusals: Int, _ heads: Log<String>) throws -> RawServer {
    try RawServer { connection in
      while true {
        let head = try connection.readHead()
        heads.append(head)
        let isRefused = heads.elements.count <= refusals
        if asks(head), !isRefused { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        let isRead = !asks(head) || !isRefused
        let body = isRead ? String(decoding: try connection.read(exactly: 7), as: UTF8.self) : ""
        let answer = isRefused ? "no" : body
        try connection.send(
          "HTTP/1.1 \(isRefused ? "417 Expectation Failed" : "200 OK")\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
      }
    }
  }
}

internal import FaradayCore

extension ConformanceGroup {
  static let expectContinue: ConformanceGroup = .init(
    name: "Expect: 100-continue", needs: .expectContinue,
    cases: BodyKind.allCases.flatMap { kind in
      [10, 100_000].flatMap { count in
        [
          Case("\(kind.rawValue) of \(count) bytes is sent after 100 Continue", needs: kind.needs) { subject in
            let data = pattern(count)
            try await kind.with(data) { body in
              let response = try await subject.connection.put("echo", body: body) { $0.headers[.expect] = "100-continue" }
              try expectEqual(try await response.body.collect(), data)
            }
          },
          Case("\(kind.rawValue) of \(count) bytes is not sent after a refusal", needs: kind.needs) { subject in
            try await kind.with(pattern(count)) { try await isRefused($0, over: subject) }
          },
        ]
      }
    } + [
      .init("an explicit Expect header is honored") { subject in
        let response = try await subject.connection.put("inspect", body: "hello") { $0.headers[.expect] = "100-continue" }
        try expectEqual(try await Inspected(response).values("expect"), ["100-continue"])
      },
      .init("a final response without 100 Continue is delivered") { subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
          connection.halfClose()
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        let response = try await connection.put(body: "hello") { $0.headers[.expect] = "100-continue" }
        try expectEqual(try await response.body.utf8Text(), "ok")
      },
    ])

  private static func isRefused(_ body: Body, over subject: AdapterConformance.Subject) async throws {
    let seen = Log<Int>()
    let hasEnded = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
      connection.halfClose()
      seen.append(try connection.readToEnd())
      hasEnded.open()
    }
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    let refused = try await connection.put(body: body) { $0.headers[.expect] = "100-continue" }
    try expectEqual(refused.status.code, 413)
    try expectEqual(try await refused.body.utf8Text(), "no")
    try expect(await hasEnded.opened(), "the connection was not closed")
    try expectEqual(seen.elements, [0])
  }
}

internal import FaradayCore

extension ConformanceGroup {
  /// A server may not support `Expect: 100-continue`: the client sends the body after a while (RFC 9110, section 10.1.1).
  static let unansweredExpect: ConformanceGroup = .init(
    name: "Expect: 100-continue without a response", needs: [.expectContinue, .idleTimeout],
    cases: [(BodyKind.bytes, 10), (.file, 100_000), (.stream, 100_000)].map { kind, count in
      Case("\(kind.rawValue) of \(count) bytes is sent without 100 Continue", needs: kind.needs) { subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          let body = try connection.read(exactly: count)
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
          try connection.send(body)
          connection.waitForClose()
        }
        defer { server.stop() }
        let data = pattern(count)
        try await kind.with(data) { body in
          let response = try await subject.connection(to: server).put(body: body) {
            $0.headers[.expect] = "100-continue"
            // The client waits for about a second. This timeout only ends a test that hangs.
            $0.options.timeouts.idle = .seconds(180)
          }
          try expectEqual(try await response.body.collect(), data)
        }
      }
    })
}

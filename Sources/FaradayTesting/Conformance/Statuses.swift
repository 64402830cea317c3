internal import FaradayCore

extension ConformanceGroup {
  /// An adapter returns every status: it follows no redirects and sends no credentials; middleware does.
  static let statuses: ConformanceGroup = .init(
    name: "statuses",
    cases: [200, 201, 204, 304, 400, 404, 408, 418, 429, 500, 503, 599, 999].map { code in
      Case("\(code) is a response", needsWire: false) { subject in
        try expectEqual(try await subject.connection.get("status/\(code)").status.code, code)
      }
    }
      + [301, 302, 303, 307, 308].map { code in
        Case("\(code) is not followed") { subject in
          let response = try await subject.connection.get("redirect-to?url=/hello&status=\(code)")
          try expectEqual(response.status.code, code)
          try expectEqual(response.headers[.location], "/hello")
          try expectEqual(subject.server.requestCount, 1)
        }
      } + [
        .init("a redirected POST is sent once") { subject in
          let response = try await subject.connection.post("redirect-to?url=/echo&status=307", body: "hello")
          try expectEqual(response.status.code, 307)
          try expectEqual(try await response.body.utf8Text(), "elsewhere\n")
          try expectEqual(subject.server.requestCount, 1)
        },
        .init("a challenge is returned") { subject in
          let response = try await subject.connection.get("basic-auth/a/b")
          try expectEqual(response.status, .unauthorized)
          try expectEqual(response.headers[.wwwAuthenticate], "Basic realm=\"faraday\"")
          try expectEqual(try await response.body.utf8Text(), "who are you?\n")
          try expectEqual(subject.server.requestCount, 1)
        },
        .init("cookies are not stored", needs: .exactHeaders) { subject in
          let connection = try subject.connection
          _ = try await connection.get("cookies")
          try expectEqual(try await Inspected(connection.get("inspect")).values("cookie"), [])
        },
        .init("responses are not cached") { subject in
          let connection = try subject.connection
          for _ in 0..<3 {
            _ = try await connection.get("headers?Cache-Control=max-age%3D3600&ETag=%22a%22")
          }
          try expectEqual(subject.server.requestCount, 3)
        },
        .init("an empty or long reason phrase is accepted") { subject in
          for reason in [" ", " " + String(repeating: "x", count: 1000)] {
            try await subject.withServer(answering: "HTTP/1.1 200\(reason)\r\nContent-Length: 2\r\n\r\nok") { connection in
              try expectEqual(try await connection.get().body.utf8Text(), "ok")
            }
          }
        },
      ])
}

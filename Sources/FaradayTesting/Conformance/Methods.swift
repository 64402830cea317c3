internal import FaradayCore

extension ConformanceGroup {
  static let methods = ConformanceGroup(
    name: "methods",
    cases: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map { arrives($0) }
      + ["PURGE", "X-cUsToM"].map { arrives($0, needs: .customMethods) } + [
        .init("HEAD has the head of GET and no body") { subject in
          let connection = try subject.connection
          let response = try await connection.head("bytes/1000")
          try expectEqual(response.status, .ok)
          try expectEqual(response.headers[.contentLength], "1000")
          try expect(response.body.isEmpty)
          try expectEqual(try await connection.get("hello").body.text(), "Hello, world!")
          try expectEqual(subject.server.connectionCount, 1)
        },
        .init("HEAD with a body is refused") { subject in
          try await expectFailure(.invalidBody) { try await subject.connection.run(.head, "hello", body: "text") }
          try expectEqual(subject.server.requestCount, 0)
        },
      ])

  private static func arrives(_ name: String, needs: Capabilities = []) -> AdapterConformance.Case {
    .init("\(name) arrives as it was written", needs: needs) { subject in
      let method = try require(HTTPRequest.Method(name))
      try expectEqual(try await Inspected(subject.connection.run(method, "inspect")).method, name)
    }
  }
}

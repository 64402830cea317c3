internal import FaradayCore

extension ConformanceGroup {
  static let responseHeaders: ConformanceGroup = .init(
    name: "response headers",
    cases: [
      .init("fields are delivered with their values", needsWire: false) { subject in
        let headers = try await subject.connection.get("headers?X-One=1&X-Two=two%20words").headers
        try expectEqual(headers[try require(.init("X-One"))], "1")
        try expectEqual(headers[try require(.init("x-two"))], "two words")
      },
      .init("repeated fields stay repeated, in order", needs: .repeatedHeaders, needsWire: false) { subject in
        try expectEqual(try await subject.connection.get("cookies").headers[values: .setCookie], ["a=1", "b=2"])
      },
      .init(
        "repeated fields stay repeated in a streamed response", needs: [.repeatedHeaders, .streamedDownload], needsWire: false
      ) {
        let response = try await $0.connection.get("cookies") { $0.options.delivery = .streamed }
        try expectEqual(response.headers[values: .setCookie], ["a=1", "b=2"])
        _ = try await response.body.collect()
      },
      .init("field names are case-insensitive", needs: .repeatedHeaders) { subject in
        try expectEqual(try await values(of: "X-Same: 1\r\nx-same: 2", subject).joined(separator: ", "), "1, 2")
      },
      .init("whitespace around a value is trimmed") { subject in
        try expectEqual(try await values(of: "X-Same: \t a  b \t ", subject), ["a  b"])
      },
      .init("an empty value is delivered") { subject in
        try expectEqual(try await values(of: "X-Same:", subject), [""])
      },
      .init("a value of 60000 bytes is delivered") { subject in
        let value = String(repeating: "v", count: 60_000)
        try expectEqual(try await values(of: "X-Same: \(value)", subject), [value])
      },
      .init("two hundred fields are delivered") { subject in
        let fields = (0..<200).map { "X-Field-\($0): \($0)" }.joined(separator: "\r\n")
        try await subject.withServer(answering: "HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: 0\r\n\r\n") { connection in
          let headers = try await connection.get().headers
          for index in 0..<200 { try expectEqual(headers[try require(.init("X-Field-\(index)"))], "\(index)") }
        }
      },
      .init("the response has the request's URL", needsWire: false) { subject in
        try expectEqual(try await subject.connection.get("hello").url.absoluteString, subject.server.url + "/hello")
      },
      .init("the version HTTP/1.1 is reported", needs: .responseVersion) { subject in
        try expectEqual(try await subject.connection.get("hello").version, .http1_1)
      },
      .init("the version HTTP/1.0 is reported", needs: .responseVersion) { subject in
        try await subject.withServer(answering: "HTTP/1.0 200 OK\r\n\r\nold") { connection in
          let response = try await connection.get()
          try expectEqual(response.version, .http1_0)
          try expectEqual(try await response.body.utf8Text(), "old")
        }
      },
    ])

  /// The values of `X-Same` in a response with these header lines.
  private static func values(of lines: String, _ subject: AdapterConformance.Subject) async throws -> [String] {
    try await subject.withServer(answering: "HTTP/1.1 200 OK\r\n\(lines)\r\nContent-Length: 0\r\n\r\n") { connection in
      let headers = try await connection.get().headers
      return headers[values: try require(.init("X-Same"))]
    }
  }
}

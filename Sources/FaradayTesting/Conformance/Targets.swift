internal import FaradayCore

extension ConformanceGroup {
  static let targets: ConformanceGroup = .init(
    name: "path and query",
    cases: [
      ("/%2F%20?a=%2F&b=%20+c", []), ("/?q=a%2Fb%3F;x=(1)", []), ("//double//slash/", []), ("/?", .dotSegments), ("/;p=1", []),
      ("/%C3%A9?%E2%98%83", []), ("/a?b?c=d", []), ("/a%00b", []), ("/:@!$&'()*+,;=-._~", []), ("/%7euser/%7E", []),
      ("/a/../b/./c", .dotSegments), ("/..", .dotSegments),
    ].map { target, needs in keeps(target, needs) } + [
      .init("a URL without a path requests the root") { subject in
        try expectEqual(try await lines(subject, ""), ["GET / HTTP/1.1"])
      },
      .init("a URL with a query and no path requests the root") { subject in
        try expectEqual(try await lines(subject, "?a=1"), ["GET /?a=1 HTTP/1.1"])
      },
      .init("OPTIONS can be in asterisk form", needs: .asteriskTarget) { subject in
        for target in ["", "/", "/path?a=1#fragment"] {
          let line = try await lines(subject, target) {
            $0.method = .options
            $0.options.requestTarget = .asterisk
          }
          try expectEqual(line, ["OPTIONS * HTTP/1.1"])
        }
      },
      .init("other methods in asterisk form are refused", needsWire: false) { subject in
        for method in [HTTPRequest.Method.get, .head, .post, .put, .delete, .trace] {
          let error = try await expectFailure(.invalidMethod) {
            try await subject.connection.send(method, "hello") { $0.options.requestTarget = .asterisk }
          }
          try expectEqual(error.phase, .building)
        }
        try expectEqual(subject.server.requestCount, 0)
      },
      .init("a host with an ambiguous ASCII form is refused", needsWire: false) { subject in
        for host in ["bank%E3%80%82invalid", "ba%C2%ADnk.invalid", "%EF%BD%82ank.invalid", "b%FCcher.invalid"] {
          let url = try require(URL(string: "http://\(host)/"))
          let error = try await expectFailure(.invalidURL) { try await subject.adapter.send(Request(.get, url: url)) }
          try expectEqual(error.phase, .building)
        }
      },
      .init("a target of 8000 bytes is sent completely", needsWire: false) { subject in
        let target = "/inspect?" + String(repeating: "a=b&", count: 2000) + "end"
        try expectEqual(try await Inspected(subject.connection.get(target)).target, target)
      },
    ])

  private static func keeps(_ target: String, _ needs: Capabilities) -> Case {
    Case("\(target) is sent unchanged without the fragment", needs: needs) { subject in
      try expectEqual(try await lines(subject, target + "#fragment"), ["GET \(target) HTTP/1.1"])
    }
  }

  /// The request lines that the server gets for a GET with this URL.
  private static func lines(
    _ subject: AdapterConformance.Subject, _ target: String, edit: (inout Request) -> Void = { _ in }
  ) async throws -> [String] {
    let lines = Log<String>()
    let server = try RawServer { connection in
      lines.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      connection.waitForClose()
    }
    defer { server.stop() }
    var request = try Request(server.url + target)
    edit(&request)
    _ = try await subject.connection.send(request)
    return lines.elements
  }
}

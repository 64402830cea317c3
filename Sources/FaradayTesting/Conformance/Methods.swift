internal import FaradayCore

extension ConformanceGroup {
  static let methods: ConformanceGroup = .init(
    name: "methods",
    cases: arriving + lengths + bodies + [
      .init("HEAD has the head of GET and no body") { subject in
        let connection = try subject.connection
        let response = try await connection.head("bytes/1000")
        try expectEqual(response.status, .ok)
        try expectEqual(response.headers[.contentLength], "1000")
        try expect(response.body.isEmpty)
        try expectEqual(try await connection.get("hello").body.utf8Text(), "Hello, world!")
        try expectEqual(subject.server.connectionCount, 1)
      }
    ] + refused)

  /// Requests that no adapter may send.
  private static let refused: [Case] =
    ["HEAD", "TRACE"].map { name in
      Case("\(name) with a body is refused", needsWire: false) { subject in
        let method = try require(HTTPRequest.Method(name))
        let error = try await expectFailure(.invalidBody) { try await subject.connection.send(method, "hello", body: "text") }
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.requestCount, 0)
      }
    }
    + ["", "hello"].map { path in
      Case("CONNECT /\(path) is refused: adapters send it to proxies only", needsWire: false) { subject in
        let error = try await expectFailure(.invalidMethod) { try await subject.connection.send(.connect, path) }
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.connectionCount, 0)
      }
    }

  private static let arriving: [Case] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PURGE", "X-cUsToM"].map { name in
      Case("the method \(name) is sent unchanged", needs: needs(of: name), needsWire: false) { subject in
        let method = try require(HTTPRequest.Method(name))
        try expectEqual(try await Inspected(subject.connection.send(method, "inspect")).method, name)
      }
    }

  private static let lengths: [Case] =
    ["POST", "PUT", "PATCH", "QUERY"].map { name in
      Case("\(name) without a body has a length of zero", needs: needs(of: name)) { subject in
        let request = try await Inspected(subject.connection.send(try require(.init(name)), "inspect"))
        try expectEqual(request.values("content-length"), ["0"])
        try expectEqual(request.values("expect"), [])
      }
    }
    + ["GET", "DELETE", "OPTIONS", "PURGE"].map { name in
      Case("\(name) without a body has no length", needs: needs(of: name)) { subject in
        let request = try await Inspected(subject.connection.send(try require(.init(name)), "inspect"))
        try expectEqual(request.framing, "none")
        try expectEqual(request.values("content-length"), [])
      }
    }

  private static let bodies: [Case] =
    ["GET", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "QUERY", "PURGE"].flatMap { name in
      let needs = needs(of: name).union(name == "GET" ? .bodyOnGet : [])
      return [
        Case("\(name) sends a small body", needs: needs) { try await sends("hello", as: name, over: $0) },
        Case("\(name) sends a large body", needs: needs) { try await sends(.data(pattern(200_000)), as: name, over: $0) },
        Case("\(name) sends a body of unknown length", needs: needs.union(.streamedUpload)) {
          try await sends(.stream(Pieces("a", "b")), as: name, over: $0)
        },
      ]
    }

  private static func sends(_ body: Body, as name: String, over subject: AdapterConformance.Subject) async throws {
    let method = try require(HTTPRequest.Method(name))
    let request = try await Inspected(subject.connection.send(method, "inspect", body: body))
    try expectEqual(request.method, name)
    try expectEqual(Int64(request.bodyLength), body.length ?? 2)
    if body.length != nil { try expectEqual(request.framing, "length") }
  }

  private static func needs(of name: String) -> Capabilities {
    ["QUERY", "PURGE", "X-cUsToM"].contains(name) ? .customMethods : []
  }
}

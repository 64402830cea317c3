internal import FaradayCore

extension ConformanceGroup {
  static let headers: ConformanceGroup = .init(
    name: "request headers",
    cases: given + framing + [
      .init("fields are sent in their order", needs: .exactHeaders, needsWire: false) { subject in
        let request = try await inspected(subject, [("X-One", "1"), ("X-Three", "3"), ("X-Two", "2")])
        try expectEqual(request.headers.map { $0[0] }.filter { $0.hasPrefix("X-") }, ["X-One", "X-Three", "X-Two"])
      },
      .init("a repeated field is sent as often as set", needs: .repeatedHeaders, needsWire: false) { subject in
        let request = try await inspected(subject, [("X-Twice", "1"), ("X-Other", "x"), ("X-Twice", "2")])
        try expectEqual(request.values("x-twice"), ["1", "2"])
      },
      .init("cookies are sent in one field") { subject in
        let seen = try await Inspected(subject.connection.get("inspect") { $0.headers[.cookie] = "a=1; b=2; c=3" })
        try expectEqual(seen.values("Cookie"), ["a=1; b=2; c=3"])
      },
      .init("an empty value is sent", needs: .exactHeaders, needsWire: false) { subject in
        try expectEqual(try await inspected(subject, [("X-Empty", "")]).values("x-empty"), [""])
      },
      .init("a value beyond ASCII is sent byte by byte", needs: .exactHeaders, needsWire: false) { subject in
        try expectEqual(try await inspected(subject, [("X-Text", "é ☃")]).values("x-text"), ["é ☃"])
      },
      .init("the letter case of a name is kept", needs: .exactHeaders, needsWire: false) { subject in
        let names = try await inspected(subject, [("x-LoUd", "1")]).headers.map { $0[0] }
        try expect(names.contains("x-LoUd"), "\(names)")
      },
      .init("a value of 30000 bytes is sent completely", needsWire: false) { subject in
        let value = String(repeating: "value ", count: 5000) + "."
        try expectEqual(try await inspected(subject, [("X-Long", value)]).values("x-long"), [value])
      },
      .init("two hundred fields are sent", needsWire: false) { subject in
        let request = try await inspected(subject, (0..<200).map { ("X-Field-\($0)", "\($0)") })
        for index in 0..<200 { try expectEqual(request.values("x-field-\(index)"), ["\(index)"]) }
      },
      .init("only Host is added to a request", needs: .exactHeaders) { subject in
        try expectEqual(try await inspected(subject, []).headers.map { $0[0].lowercased() }, ["host"])
      },
      .init("only the length is added for a body", needs: .exactHeaders) { subject in
        let request = try await Inspected(subject.connection.post("inspect", body: "hello"))
        try expectEqual(request.headers.map { $0[0].lowercased() }.sorted(), ["content-length", "host"])
      },
      .init("only the length is added for a large body", needs: .exactHeaders) { subject in
        let request = try await Inspected(subject.connection.put("inspect", body: .data(pattern(2_000_000))))
        try expectEqual(request.headers.map { $0[0].lowercased() }.sorted(), ["content-length", "host"])
      },
      .init("only the framing is added for a body of unknown length", needs: [.exactHeaders, .streamedUpload]) { subject in
        let request = try await Inspected(subject.connection.put("inspect", body: .stream(Pieces("a"))))
        try expectEqual(request.headers.map { $0[0].lowercased() }.sorted(), ["host", "transfer-encoding"])
      },
      .init("User-Agent is sent once") { subject in
        var connection = try subject.connection
        connection.userAgent = Connection.standardUserAgent
        try expectEqual(try await Inspected(connection.get("inspect")).values("User-Agent"), [Connection.standardUserAgent])
      },
      .init("Host is the URL's host and port") { subject in
        try expectEqual(try await inspected(subject, []).values("host"), ["127.0.0.1:\(subject.server.port)"])
      },
      .init("user and password of the URL are sent as Basic credentials") { subject in
        let url = subject.server.url.replacing("http://", with: "http://user:pass@") + "/basic-auth/user/pass"
        try expectEqual(try await subject.connection.send(try Request(url)).status, .ok)
      },
    ])

  /// Fields that many libraries set or change themselves.
  private static let given: [Case] = [
    ("Accept", "text/x-mine"), ("User-Agent", "mine/1"), ("Cookie", "a=1; b=2"), ("Authorization", "Bearer mine"),
    ("Accept-Encoding", "identity"), ("Accept-Language", "x-mine"), ("Cache-Control", "no-store"), ("Referer", "http://h/"),
    ("If-None-Match", "\"mine\""), ("Range", "bytes=0-"),
  ].map { name, value in
    Case("\(name) is sent as set", needsWire: false) { subject in
      try expectEqual(try await inspected(subject, [(name, value)]).values(name), [value])
    }
  }

  /// `Content-Length` and `Transfer-Encoding` follow from the body.
  private static let framing: [Case] =
    [
      .init("Content-Type is sent as set", needsWire: false) { subject in
        let response = try await subject.connection.post("inspect", body: "{}") { $0.headers[.contentType] = "text/x-mine" }
        try expectEqual(try await Inspected(response).values("content-type"), ["text/x-mine"])
      },
      .init("a correct Content-Length is sent once", needsWire: false) { subject in
        let response = try await subject.connection.post("inspect", body: "hello") { $0.headers[.contentLength] = "5" }
        try expectEqual(try await Inspected(response).values("content-length"), ["5"])
      },
      .init("a correct Transfer-Encoding is sent once", needs: [.streamedUpload, .duplex]) { subject in
        let response = try await subject.connection.post("inspect", body: .stream(Pieces("a"))) {
          $0.headers[.transferEncoding] = "chunked"
        }
        try expectEqual(try await Inspected(response).values("transfer-encoding"), ["chunked"])
      },
    ]
    + [(HTTPField.Name.contentLength, "6"), (.contentLength, "x"), (.transferEncoding, "chunked")].map { name, value in
      Case("\(name): \(value) with a body of five bytes is refused", needsWire: false) { subject in
        try await expectFailure(.invalidHeader) {
          try await subject.connection.post("inspect", body: "hello") { $0.headers[name] = value }
        }
        try expectEqual(subject.server.requestCount, 0)
      }
    }

  private static func inspected(
    _ subject: AdapterConformance.Subject, _ fields: [(String, String)]
  ) async throws -> Inspected {
    let response = try await subject.connection.get("inspect") { request in
      for (name, value) in fields { try request.headers.append(name: name, value: value) }
    }
    return try await Inspected(response)
  }
}

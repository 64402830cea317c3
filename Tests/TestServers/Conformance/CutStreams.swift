internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// Truncated HTTP/2 streams and protocol violations are errors, and never complete responses.
  static let cutStreams: ConformanceGroup = .init(
    name: "truncated HTTP/2 streams", needs: [.http2, .customCA],
    cases: goAways + resets + broken + ended)

  /// Runs exchanges with a server that does this on each connection.
  private static func withServer(
    _ subject: AdapterConformance.Subject, _ serve: @escaping @Sendable (RawConnection) throws -> Void,
    _ body: (Connection) async throws -> Void
  ) async throws {
    let server = try Security.tls(choosing: "h2").server(onConnection: serve)
    defer { server.stop() }
    var connection = try subject.connection(to: server, over: .tls)
    connection.defaults.httpVersion = .http2
    // No exchange takes long: a hang fails as an idle timeout.
    connection.defaults.timeouts.idle = .seconds(10)
    try await body(connection)
  }

  /// When a body is truncated: together with its first bytes, or when the client has seen them.
  private enum Moment: String, CaseIterable {
    case atOnce = "at once"
    case later = "after the first bytes"

    /// Whether the adapter uses HTTP/2 for such requests. It can use HTTP/1.1 with libcurls whose HTTP/2 is not safe.
    func hasHTTP2(_ subject: AdapterConformance.Subject, _ method: HTTPRequest.Method = .get) async throws -> Bool {
      try await subject.usesHTTP2 { request in
        request.method = method
        if method == .post { request.body = "content" }
        if self == .later { request.options.onChunk = { _ in .continue } }
      }
    }
  }

  /// The last stream of a GOAWAY, selected from the open ones.
  private static let lasts: [(name: String, last: @Sendable ([UInt32]) -> UInt32)] = [
    ("a GOAWAY", { $0.max() ?? 0 }), ("a GOAWAY with only the first stream", { $0.min() ?? 0 }),
    ("a GOAWAY with no stream", { _ in 0 }), ("a GOAWAY with future streams", { _ in .max >> 1 }),
  ]

  private static let goAways: [Case] = Moment.allCases.flatMap { moment in
    [1, 2, 40].flatMap { count in
      lasts.map { name, last in
        Case("\(name) within \(count) bodies without a length is an error, \(moment.rawValue)") { subject in
          guard try await moment.hasHTTP2(subject) else { return }
          for isPolite in [true, false] {
            let areSeen = Gate()
            try await withServer(subject) { connection in
              guard connection.index == 0 else { return }
              try connection.beginHTTP2()
              var streams: [UInt32] = []
              while streams.count < count { streams.append(try connection.readRequest()) }
              let answers: [HTTP2Frame] = streams.flatMap { [.head($0), .data($0, "half of it")] }
              if moment == .later {
                try connection.send(answers)
                areSeen.wait()
                try connection.send([.goAway(last: last(streams))])
              } else {
                try connection.send(answers + [.goAway(last: last(streams))])
              }
              if isPolite { try connection.sendCloseNotify() }
              connection.halfClose()
              connection.waitForClose()
            } _: { connection in
              try await areCut(connection, count, moment == .later ? areSeen : nil)
            }
          }
        }
      }
    }
  }

  /// Expects so many requests to fail. The gate, if there is one, opens when a part of each response was seen.
  private static func areCut(_ connection: Connection, _ count: Int, _ areSeen: Gate?) async throws {
    let seen = Log<Int>()
    let failures = try await withThrowingTaskGroup(of: TransportError.self) { group in
      for index in 0..<count {
        group.addTask {
          try await expectFailure {
            try await connection.get { request in
              guard let areSeen else { return }
              request.options.onChunk = { _ in
                seen.append(index)
                if Set(seen.elements).count == count { areSeen.open() }
                return .continue
              }
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try expect(failures.allSatisfy { $0.code != .idleTimeout }, "\(failures)")
  }

  private static let resets: [Case] = Moment.allCases.flatMap { moment in
    [("no error", 0 as UInt32), ("an internal error", 2), ("refusal", 7), ("cancellation", 8)].flatMap { name, code in
      // Without a length a reset with no error looks like the end: libcurl does not tell the two apart.
      (code == 0 ? [[("content-length", "100")]] : [[], [("content-length", "100")]]).map { fields in
        Case(
          "a reset with \(name) in a body \(fields.isEmpty ? "without" : "with") a length is an error, \(moment.rawValue)"
        ) { subject in
          try await isCut(subject, moment, .get, by: code, fields)
        }
      }
    } + [
      Case(
        "a POST reset with HTTP_1_1_REQUIRED within its response is not retried, \(moment.rawValue)"
      ) { subject in
        try await isCut(subject, moment, .post, by: 13)
      }
    ]
  }

  /// Expects the request to fail, and to have been sent once. If it is safe, and nothing of the response was delivered, the adapter
  /// may send it again over HTTP/1.1.
  private static func isCut(
    _ subject: AdapterConformance.Subject, _ moment: Moment, _ method: HTTPRequest.Method, by code: UInt32,
    _ fields: [(String, String)] = []
  ) async throws {
    guard try await moment.hasHTTP2(subject, method) else { return }
    let isSeen = Gate()
    let requests = Log<Int>()
    try await withServer(subject) { connection in
      guard connection.index == 0 else {
        _ = try connection.readHead()
        requests.append(connection.index)
        return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
      }
      try connection.beginHTTP2()
      while true {
        let stream = try connection.readRequest()
        requests.append(connection.index)
        try connection.send([.head(stream, fields), .data(stream, "hel")])
        if moment == .later { isSeen.wait() }
        try connection.send([.reset(stream, code: code)])
      }
    } _: { connection in
      let seen = Log<[UInt8]>()
      let outcome = await Result {
        try await connection.send(method, body: method == .post ? "content" : .empty) { request in
          guard moment == .later else { return }
          request.options.onChunk = { bytes in
            seen.append(bytes.withUnsafeBytes { Array($0) })
            isSeen.open()
            return .continue
          }
        }
      }
      if moment == .atOnce, method == .get, case .success(let response) = outcome, requests.elements.count == 2 {
        return try expectEqual(try await response.body.utf8Text(), "second")
      }
      try await isCut { try outcome.get() }
      if moment == .later { try expectEqual(Array(seen.elements.joined()), Array("hel".utf8)) }
      try expectEqual(requests.elements, [0])
    }
  }

  @discardableResult
  private static func isCut(_ exchange: () async throws -> Response) async throws -> TransportError {
    try await expectFailure(
      in: [.truncatedResponse, .http2Error, .connectionClosed, .receiveFailed, .sendFailed, .malformedResponse], exchange)
  }

  private static let broken: [Case] =
    [
      .init("a frame that is too long is an error") { subject in
        try await isBroken(subject) {
          [.head($0), .data($0, String(repeating: "x", count: 20_000), flags: HTTP2Frame.endOfStream)]
        }
      },
      .init("a frame that is too long and a GOAWAY is an error") { subject in
        try await isBroken(subject) {
          [.head($0), .data($0, "some"), .data($0, String(repeating: "x", count: 20_000)), .goAway(last: $0)]
        }
      },
      .init("padding longer than its frame is an error") { subject in
        try await isBroken(subject) {
          // 8 is PADDED.
          [.head($0), HTTP2Frame(type: 0, flags: 8 | HTTP2Frame.endOfStream, stream: $0, payload: [200, 0x61, 0x62])]
        }
      },
      .init("padding without its length is an error") { subject in
        try await isBroken(subject) {
          [.head($0), .data($0, "some"), HTTP2Frame(type: 0, flags: 8 | HTTP2Frame.endOfStream, stream: $0)]
        }
      },
      .init("a frame that is too long in a body with a length is an error") { subject in
        try await isBroken(subject) {
          [.head($0, [("content-length", "30000")]), .data($0, "some"), .data($0, String(repeating: "x", count: 20_000))]
        }
      },
      .init("padding longer than its frame in a body with a length is an error") { subject in
        try await isBroken(subject) {
          [.head($0, [("content-length", "100")]), HTTP2Frame(type: 0, flags: 8, stream: $0, payload: [200, 0x61, 0x62])]
        }
      },
      .init("bytes that are not a frame are errors") { subject in
        try await isBroken(subject) { _ in [HTTP2Frame(type: 4, stream: 77, payload: Array(repeating: 0xFF, count: 100))] }
      },
      .init("a head that cannot be decompressed is an error") { subject in
        // An index beyond the tables.
        try await isBroken(subject) { [HTTP2Frame(type: 1, flags: 4, stream: $0, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F])] }
      },
      .init("trailers that cannot be decompressed are errors") { subject in
        try await isBroken(subject) {
          [
            .head($0, [("content-length", "100")]), .data($0, "some"),
            HTTP2Frame(type: 1, flags: 5, stream: $0, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
          ]
        }
      },
      .init("a body before its head is an error") { subject in
        try await isBroken(subject) { [.data($0, "some", flags: HTTP2Frame.endOfStream)] }
      },
      .init("a body on stream 0 is an error") { subject in
        try await isBroken(subject) { _ in [.data(0, "some")] }
      },
      .init("a head on stream 0 is an error") { subject in
        try await isBroken(subject) { _ in [.head(0)] }
      },
      .init("a body on an unopened stream is an error") { subject in
        try await isBroken(subject) { [.data($0 + 100, "some")] }
      },
      .init("a head continued by another frame type is an error") { subject in
        // Without END_HEADERS a CONTINUATION must follow.
        try await isBroken(subject) { [HTTP2Frame(type: 1, stream: $0, payload: [0x88]), .data($0, "some")] }
      },
      .init("a window that overflows is an error") { subject in
        try await isBroken(subject) { _ in [HTTP2Frame(type: 8, payload: [0x7F, 0xFF, 0xFF, 0xFF])] }
      },
      .init("settings of the wrong size are errors") { subject in
        try await isBroken(subject) { _ in [HTTP2Frame(type: 4, payload: [0, 1, 2])] }
      },
      .init("an unrequested PUSH_PROMISE is an error") { subject in
        try await isBroken(subject) { [HTTP2Frame(type: 5, flags: 4, stream: $0, payload: [0, 0, 0, 2, 0x82])] }
      },
      .init("a body shorter than its length is an error") { subject in
        try await isBroken(subject) {
          [.head($0, [("content-length", "100")]), .data($0, "some", flags: HTTP2Frame.endOfStream)]
        }
      },
      .init("a body longer than its length is an error") { subject in
        try await isBroken(subject) {
          [.head($0, [("content-length", "2")]), .data($0, "more", flags: HTTP2Frame.endOfStream)]
        }
      },
    ]
    + ["000", "099", "99", "2000", "+20", "20x", ""].map { status in
      Case("the status \(status.isEmpty ? "without digits" : status) is an error") { subject in
        try await isBroken(subject) { [.head($0, status: status), .data($0, "some", flags: HTTP2Frame.endOfStream)] }
      }
    }

  private static let ended: [Case] =
    [
      .init("a GET whose connection ends within its body is retried if nothing was delivered") { subject in
        try await withServer(subject, endsInSecondBody) { connection in
          for _ in 0..<2 { try expectEqual(try await connection.get().body.utf8Text(), "hello") }
        }
      },
      .init("a GET whose connection ends within its body is not retried if a part was delivered") { subject in
        guard try await Moment.later.hasHTTP2(subject) else { return }
        try await withServer(subject, endsInSecondBody) { connection in
          try expectEqual(try await connection.get().body.utf8Text(), "hello")
          try await isCut { try await connection.get { $0.options.onChunk = { _ in .continue } } }
        }
      },
      .init("a POST whose connection ends within its response is not retried") { subject in
        guard try await Moment.atOnce.hasHTTP2(subject, .post) else { return }
        try await withServer(subject, endsInSecondBody) { connection in
          try expectEqual(try await connection.get().body.utf8Text(), "hello")
          try await isCut { try await connection.post(body: "content") }
        }
      },
      .init("a GET whose connection ends within its body twice is an error") { subject in
        try await withServer(subject, { try cutFirstBody(of: 10, $0) }) { connection in
          try await isCut { try await connection.get() }
        }
      },
    ]
    + [10, 300_000].flatMap { first in
      [10, 300_000].map { second in
        Case("a retried GET has only the second response: \(first) bytes, then \(second)") { subject in
          let serve: @Sendable (RawConnection) throws -> Void = { connection in
            guard connection.index > 0 else { return try cutFirstBody(of: first, connection) }
            try connection.beginHTTP2()
            let stream = try connection.readRequest()
            try connection.send([HTTP2Frame.head(stream, [("content-length", "\(second)")])])
            for start in stride(from: 0, to: second, by: 10_000) {
              let piece = String(repeating: "b", count: min(10_000, second - start))
              try connection.send([.data(stream, piece, flags: start + 10_000 < second ? 0 : HTTP2Frame.endOfStream)])
            }
            connection.waitForClose()
          }
          try await withServer(subject, serve) { connection in
            let answer: Response
            do { answer = try await connection.get() } catch let error as TransportError where first > 10 {
              // The head of a large response may be delivered before its connection ends.
              return try expect(error.phase == .receiving, "\(error)")
            }
            try expectEqual(answer.status, .ok)
            try expect(answer.body.data == Data(repeating: UInt8(ascii: "b"), count: second), "the bytes are others")
          }
        }
      }
    }

  /// Ends the connection within the body of the response to the first request.
  private static func cutFirstBody(of length: Int, _ connection: RawConnection) throws {
    try connection.beginHTTP2()
    let stream = try connection.readRequest()
    try connection.send([
      HTTP2Frame.head(stream, [("content-length", "\(length)")]), .data(stream, "AAAAA"), .goAway(last: stream),
    ])
    try connection.sendCloseNotify()
    connection.halfClose()
    connection.waitForClose()
  }

  /// Answers all requests but the second of the first connection, which it ends within its body.
  private static func endsInSecondBody(_ connection: RawConnection) throws {
    try connection.beginHTTP2()
    while true {
      let stream = try connection.readRequest()
      let head = HTTP2Frame.head(stream, [("content-length", "5")])
      guard connection.index > 0 || stream == 1 else {
        try connection.send([head, .data(stream, "he"), .goAway(last: stream)])
        try connection.sendCloseNotify()
        connection.halfClose()
        return connection.waitForClose()
      }
      try connection.send([head, .data(stream, "hello", flags: HTTP2Frame.endOfStream)])
    }
  }

  private static func isBroken(
    _ subject: AdapterConformance.Subject, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) async throws {
    for delivery in DeliveryKind.allCases where subject.adapter.capabilities.contains(delivery.needs) {
      for closes in [false, true] {
        try await withServer(subject) { connection in
          try connection.beginHTTP2()
          try connection.send(frames(connection.readRequest()))
          if closes { connection.halfClose() }
          connection.waitForClose()
        } _: { connection in
          try await isCut { try await delivery.get(connection) }
        }
      }
    }
  }
}

extension Result where Success == Response, Failure == any Error {
  /// How an exchange has ended.
  fileprivate init(_ exchange: () async throws -> Response) async {
    do { self = .success(try await exchange()) } catch { self = .failure(error) }
  }
}

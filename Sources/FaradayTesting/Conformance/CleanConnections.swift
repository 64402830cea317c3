internal import FaradayCore

extension ConformanceGroup {
  /// Unsolicited bytes never become a response: a connection on which they have arrived is not reused.
  package static func cleanConnections(over security: Security) -> ConformanceGroup {
    .init(
      name: "clean connections", needs: .cleanConnections,
      cases: late(security) + inOne(security)
        + TalkativeServer.Answer.all.map { answer in
          Case("a second response after \(answer.name) is discarded, \(security.name)", needs: security.needs) { subject in
            try await isNobodysAnswer(poison, after: answer, security, subject, then: .get)
          }
        })
  }

  private static let poison = "HTTP/1.1 200 OK\r\nX-Target: poison\r\nContent-Length: 6\r\n\r\npoison"

  /// The unsolicited bytes, and the bytes after them if the connection is reused.
  private static func late(_ security: Security) -> [Case] {
    let things: [(name: String, late: String, more: @Sendable (RawConnection) throws -> Void)] = [
      ("a late response", "", { try $0.send(poison) }),
      ("a late response in pieces", String(poison.dropFirst(20)), { try $0.send(String(poison.prefix(20))) }),
      ("a late empty line", "", { try $0.send("\r\n") }),
      ("a late byte", "", { try $0.send("x") }),
      (
        "a late 408 and the end", "",
        {
          try $0.send("HTTP/1.1 408 Request Timeout\r\nX-Target: poison\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
          try $0.sendCloseNotify()
          $0.halfClose()
        }
      ),
      (
        "a late end", "",
        {
          try $0.sendCloseNotify()
          $0.halfClose()
        }
      ),
      ("a late end without close_notify", "", { $0.halfClose() }),
      ("a late reset", "", { $0.reset() }),
    ]
    return things.flatMap { thing in
      [HTTPRequest.Method.get, .post].map { method in
        Case("\(thing.name) before a \(method) is discarded, \(security.name)", needs: security.needs) { subject in
          try await isNobodysAnswer(after: .length, security, subject, then: method, late: thing.late, more: thing.more)
        }
      }
    } + [
      Case("late responses on many connections are discarded, \(security.name)", needs: security.needs) { subject in
        let server = try TalkativeServer(security, connections: 6) { try $0.send(poison) }
        defer { server.server.stop() }
        let connection = try subject.connection(to: server.server, over: security)
        try await askAll(connection, .get, "first", count: 6)
        await server.sayMore()
        try await askAll(connection, .post, "second", count: 12)
        for index in 0..<12 {
          try expectEqual(server.requests.elements.count { $0 == "POST /second\(index)" }, 1)
        }
      }
    ]
  }

  private static func isNobodysAnswer(
    _ text: String, after answer: TalkativeServer.Answer, _ security: Security, _ subject: AdapterConformance.Subject,
    then method: HTTPRequest.Method
  ) async throws {
    try await isNobodysAnswer(after: answer, security, subject, then: method) { try $0.send(text) }
  }

  private static func isNobodysAnswer(
    after answer: TalkativeServer.Answer, _ security: Security, _ subject: AdapterConformance.Subject,
    then method: HTTPRequest.Method, late: String = "", more: @escaping @Sendable (RawConnection) throws -> Void
  ) async throws {
    let server = try TalkativeServer(security, answer, late: late, more: more)
    defer { server.server.stop() }
    let connection = try subject.connection(to: server.server, over: security)
    try await connection.ask(answer.method, "first")
    await server.sayMore()
    for target in ["second", "third", "fourth"] { try await connection.ask(method, target) }
    // Each request arrived once, and none over the first connection.
    let first = "\(answer.method) /first"
    try expectEqual(server.requests.elements, [first] + ["second", "third", "fourth"].map { "\(method) /\($0)" })
    try expectConnections(server.server.connectionCount, requests: 4, security)
  }

  private static func askAll(
    _ connection: Connection, _ method: HTTPRequest.Method, _ target: String, count: Int
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count { group.addTask { try await connection.ask(method, "\(target)\(index)") } }
      try await group.waitForAll()
    }
  }

  /// Excess bytes that arrive together with the end of the response: the connection is not reused, because more of them may arrive
  /// after the next request.
  private static func inOne(_ security: Security) -> [Case] {
    let answers: [(name: String, method: HTTPRequest.Method, status: String, head: String, end: String)] = [
      ("a body of known length", .get, "200 OK", "Content-Length: 6", "/first"),
      ("a chunked body", .get, "200 OK", "Transfer-Encoding: chunked", "6\r\n/first\r\n0\r\n\r\n"),
      ("a chunked body with trailers", .get, "200 OK", "Transfer-Encoding: chunked", "6\r\n/first\r\n0\r\nX: y\r\n\r\n"),
      ("an empty body", .get, "200 OK", "Content-Length: 0", ""),
      ("204", .get, "204 No Content", "X: y", ""),
      ("304", .get, "304 Not Modified", "X: y", ""),
      ("HEAD", .head, "200 OK", "Content-Length: 6", ""),
      ("a HEAD response without a length", .head, "200 OK", "X: y", ""),
      ("a HEAD response with chunked framing", .head, "200 OK", "Transfer-Encoding: chunked", ""),
    ]
    return answers.flatMap { answer in
      let head = "HTTP/1.1 \(answer.status)\r\nX-Target: /first\r\n\(answer.head)\r\n\r\n"
      let body = answer.end.isEmpty ? "" : "/first"
      let allInOne = [("a response", poison), ("a byte", "x")].map { name, more in
        Case("\(name) after \(answer.name) in one segment is discarded, \(security.name)", needs: [security.needs]) {
          subject in
          try await isNotRead(answer.method, [head + answer.end + more], body: body, security, subject)
        }
      }
      // Without a body the response ends with its head. Rules for late bytes apply to later bytes.
      guard !answer.end.isEmpty else { return allInOne }
      return allInOne + [
        Case(
          "bytes after \(answer.name), whose head came earlier, are discarded, \(security.name)", needs: [security.needs]
        ) { subject in
          try await isNotRead(answer.method, [head, answer.end + poison], body: body, security, subject)
        },
        Case(
          "bytes after \(answer.name), which can be compressed, are discarded, \(security.name)",
          needs: [.encodedBodies, security.needs]
        ) { subject in
          try await isNotRead(answer.method, [head + answer.end + poison], body: body, decompresses: true, security, subject)
        },
      ]
    }
  }

  /// On the first connection the server sends these bytes with its first response, the second part when the client has seen the
  /// head; and a wrong response to a further request there.
  private static func isNotRead(
    _ method: HTTPRequest.Method, _ pieces: [String], body: String, decompresses: Bool = false, _ security: Security,
    _ subject: AdapterConformance.Subject
  ) async throws {
    let hasHead = Gate()
    let server = try security.server { connection in
      for round in 0... {
        let target = try connection.readHead().split(separator: " ")[1]
        guard connection.index == 0 else {
          try connection.send(TalkativeServer.Answer.length.text(for: String(target)))
          continue
        }
        guard round == 0 else { return try connection.send(poison) }
        try connection.send(pieces[0])
        guard hasHead.wait() else { return }
        for piece in pieces.dropFirst() { try connection.send(piece) }
      }
    }
    defer { server.stop() }
    let connection = try subject.connection(to: server, over: security)
    let first = try await connection.send(method, "first") {
      if decompresses { $0.options.decompression = Decompression() }
      $0.options.onHead = { _ in hasHead.open() }
    }
    try expectEqual(try await first.body.utf8Text(), body)
    for target in ["second", "third"] { try await connection.ask(.get, target) }
    try expectConnections(server.connectionCount, requests: 3, security)
  }

  /// The second connection is kept. Over TLS an engine that cannot see the bytes buffered by its TLS library closes each
  /// connection.
  private static func expectConnections(_ count: Int, requests: Int, _ security: Security) throws {
    try expect(count == 2 || security.usesTLS && count == requests, "\(count) connections")
  }
}

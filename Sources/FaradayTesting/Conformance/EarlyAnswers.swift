internal import FaradayCore

extension ConformanceGroup {
  /// Early responses: the server may respond before the request's body was sent.
  static let earlyAnswers: ConformanceGroup = .init(
    name: "early responses",
    cases: [
      .init("a complete response succeeds if the source stalls and the server closes", needs: [.streamedUpload, .duplex]) {
        subject in
        try await isWhole(.stream(StalledSource()), subject)
      },
      .init("a complete response succeeds if the source continues and the server closes", needs: [.streamedUpload, .duplex]) {
        subject in
        try await isWhole(.stream(EndlessSource()), subject)
      },
      .init(
        "a complete response succeeds if the source continues and the server resets",
        needs: [.streamedUpload, .duplex]
      ) { subject in
        let isSeen = Gate()
        let server = try RawServer { connection in
          _ = try connection.readHead()
          _ = try connection.readSome(upTo: 1)
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          isSeen.wait()
          connection.reset()
        }
        defer { server.stop() }
        let response = try await subject.connection(to: server).post(body: .stream(EndlessSource())) {
          $0.options.onHead = { _ in isSeen.open() }
        }
        try expectEqual(try await response.body.utf8Text(), "ok")
      },
      .init(
        "an error response succeeds if the source fails before its end", needs: [.streamedUpload, .duplex]
      ) { subject in
        let isSeen = Gate()
        let source = FailingOnceOpened(gate: isSeen)
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 413 No\r\nContent-Length: 4\r\n\r\nno")
          source.hasFailed.wait()
          try connection.send("!!")
          connection.waitForClose()
        }
        defer { server.stop() }
        let response = try await subject.connection(to: server).post(body: .stream(source)) {
          $0.options.onHead = { _ in isSeen.open() }
        }
        try expectEqual(response.status.code, 413)
        try expectEqual(try await response.body.utf8Text(), "no!!")
      },
      .init(
        "a stalled error response reaches the idle timeout, even beside busy requests",
        needs: [.streamedUpload, .duplex, .idleTimeout]
      ) { subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 413 No\r\nContent-Length: 4\r\n\r\nno")
          connection.waitForClose()
        }
        defer { server.stop() }
        let busy = try subject.connection
        let others = Task { while !Task.isCancelled { _ = try? await busy.get("hello") } }
        defer { others.cancel() }
        try await expectFailure(.idleTimeout) {
          try await subject.connection(to: server).post(body: .stream(StalledSource())) {
            $0.options.timeouts.idle = .seconds(1)
            $0.options.timeouts.total = .seconds(30)
          }
        }
      },
      .init(
        "an error response that ends with the connection succeeds if the source continues", needs: [.streamedUpload, .duplex]
      ) {
        subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 500 No\r\nConnection: close\r\n\r\nno")
          connection.halfClose()
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        let response = try await connection.post(body: .stream(StalledSource())) { $0.options.timeouts.idle = .seconds(10) }
        try expectEqual(response.status.code, 500)
        try expectEqual(try await response.body.utf8Text(), "no")
      },
    ])

  private static func isWhole(_ body: Body, _ subject: AdapterConformance.Subject) async throws {
    for answer in ["Content-Length: 2\r\n\r\nok", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"] {
      let server = try RawServer { connection in
        _ = try connection.readHead()
        // The source has started: its first chunk arrives.
        _ = try connection.readSome(upTo: 1)
        try connection.send("HTTP/1.1 200 OK\r\n" + answer)
        connection.halfClose()
        connection.waitForClose()
      }
      defer { server.stop() }
      let response = try await subject.connection(to: server).post(body: body) { $0.options.timeouts.idle = .seconds(10) }
      try expectEqual(response.status, .ok)
      try expectEqual(try await response.body.utf8Text(), "ok")
    }
  }

  /// Yields a piece now and then, until it is cancelled.
  private struct EndlessSource: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Data
    private var isFirst = true

    mutating func next() async -> Data? {
      if !isFirst { try? await Task.sleep(for: .milliseconds(10)) }
      isFirst = false
      return Task.isCancelled ? nil : Data("piece".utf8)
    }
    func makeAsyncIterator() -> EndlessSource { self }
  }

  /// Yields a piece, waits for the gate, and throws.
  private struct FailingOnceOpened: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct Mine: Error {}
    typealias Element = Data
    let gate: Gate
    let hasFailed = Gate()
    private var isFirst = true

    init(gate: Gate) { self.gate = gate }

    mutating func next() async throws -> Data? {
      defer { isFirst = false }
      if isFirst { return Data("piece".utf8) }
      await gate.opened()
      hasFailed.open()
      throw Mine()
    }
    func makeAsyncIterator() -> FailingOnceOpened { self }
  }
}

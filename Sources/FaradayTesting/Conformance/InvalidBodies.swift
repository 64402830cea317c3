internal import FaradayCore

extension ConformanceGroup {
  /// Bodies that fail, or do not have their stated length: no server must receive one as complete.
  static let invalidBodies: ConformanceGroup = .init(
    name: "invalid bodies", needs: .streamedUpload,
    cases: shorter + longer + hidden + [
      .init("a file path with a NUL character is refused", needsWire: false) { subject in
        let file = try TemporaryFile(pattern(1000))
        try await expectThrows(BodyError.self) {
          _ = try await subject.connection.put("echo", body: .file(file.path + "\0.png"))
        }
        try expectEqual(subject.server.requestCount, 0)
      },
      .init("a file that disappears before it is sent is an error", needsWire: false) { subject in
        let file = try TemporaryFile(pattern(100_000))
        let body = try Body.file(file.path)
        try FileManager.default.removeItem(atPath: file.path)
        let error = try await expectFailure(.bodyUnreadable) { try await subject.connection.put("echo", body: body) }
        try expect(error.message.contains(file.path), "the message does not name the file: \(error.message)")
        try expect((error.underlying as? BodyError)?.isUnreadable == true)
      },
      .init("a file that shrinks before it is sent is an error", needsWire: false) { subject in
        let file = try TemporaryFile(pattern(1_000_000))
        let body = try Body.file(file.path)
        try pattern(500_000).write(to: URL(filePath: file.path))
        try await expectFailure(.bodyLengthMismatch) { try await subject.connection.put("echo", body: body) }
      },
      .init("a file that shrinks into its range before it is sent is an error", needsWire: false) { subject in
        for range in [100_000..<900_000, 600_000..<700_000] as [Range<Int64>] {
          let file = try TemporaryFile(pattern(1_000_000))
          let body = try Body.file(file.path, range: range)
          try pattern(500_000).write(to: URL(filePath: file.path))
          try await expectFailure(.bodyLengthMismatch) { try await subject.connection.put("echo", body: body) }
        }
      },
      .init("a file that grows is sent with its first length", needsWire: false) { subject in
        let file = try TemporaryFile(pattern(100_000))
        let body = try Body.file(file.path)
        try pattern(200_000).write(to: URL(filePath: file.path))
        try expectEqual(try await subject.connection.put("echo", body: body).body.collect(), pattern(100_000))
      },
      .init("a failing sequence is an error with the sequence's error", needsWire: false) { subject in
        let error = try await expectFailure(.bodyUnreadable) {
          try await subject.connection.post("echo", body: .stream(Failing()))
        }
        try expect(error.underlying is Failing.Mine, "\(String(describing: error.underlying))")
        try expectEqual(try await subject.connection.get("hello").body.utf8Text(), "Hello, world!")
      },
      .init("a failing sequence is not sent as complete") { subject in
        try await expectCut(.stream(Failing(), length: 15), below: 15, .bodyUnreadable, subject)
      },
    ])

  #if os(Linux)
  private static let hidden: [Case] = [
    .init("a file with a hidden length is not sent as empty", needsWire: false) { subject in
      try await expectThrows(BodyError.self) {
        _ = try await subject.connection.put("echo", body: .file("/proc/self/status"))
      }
      try expectEqual(subject.server.requestCount, 0)
    }
  ]
  #else
  private static let hidden: [Case] = []
  #endif

  private static let shorter: [Case] = [3, 5, 100_000].map { length in
    Case("a sequence of 2 bytes with a length of \(length) fails", needsWire: false) { subject in
      let body = Body.stream(Pieces("ab"), length: Int64(length))
      try await expectFailure(.bodyLengthMismatch) { try await subject.connection.post("echo", body: body) }
    }
  }

  private static let longer: [Case] = [0, 1, 3, 65_536].map { length in
    Case("a sequence longer than its length of \(length) is not sent as complete") { subject in
      let body = Body.stream(Pieces([pattern(length), Data("more".utf8)]), length: Int64(length))
      try await expectCut(body, below: max(1, length), .bodyLengthMismatch, subject)
    }
  }

  /// Expects sending the body to fail with that code, and the server to receive fewer than so many bytes before the connection is
  /// closed.
  private static func expectCut(
    _ body: Body, below limit: Int, _ code: TransportError.Code, _ subject: AdapterConformance.Subject
  ) async throws {
    let count = Log<Int>()
    let hasCounted = Gate()
    let server = try RawServer { connection in
      // It may end before its head has left.
      defer { hasCounted.open() }
      _ = try connection.readHead()
      count.append(try connection.readToEnd())
    }
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    try await expectFailure(code) { try await connection.post(body: body) }
    guard server.connectionCount > 0 else { return }
    try expect(await hasCounted.opened(), "the connection was not closed")
    try expect(count.elements.allSatisfy { $0 < limit }, "\(count.elements)")
  }
}

/// Yields three pieces of five bytes, and throws.
private struct Failing: AsyncSequence, AsyncIteratorProtocol, Sendable {
  struct Mine: Error {}
  typealias Element = Data
  private var count = 0

  mutating func next() async throws -> Data? {
    count += 1
    if count > 3 { throw Mine() }
    return Data("piece".utf8)
  }
  func makeAsyncIterator() -> Failing { self }
}

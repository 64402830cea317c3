internal import FaradayCore

extension ConformanceGroup {
  static let cancellation: ConformanceGroup = .init(
    name: "cancellation",
    cases: [
      .init("a task that is cancelled before sending sends nothing", needsWire: false) { subject in
        let connection = try subject.connection
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await connection.get("hello")
        }
        try await expectThrows(CancellationError.self) { _ = try await task.value }
        try expectEqual(subject.server.requestCount, 0)
      },
      .init("a cancellation while waiting for the response ends the exchange") { try await ends($0, answering: "") },
      .init("a cancellation within the head ends the exchange") {
        try await ends($0, answering: "HTTP/1.1 200 OK\r\nContent-Le")
      },
      .init("a cancellation within the body ends the exchange") { try await ends($0, answering: Stalling.someOfABody) },
      .init("a cancellation while waiting for the head of a streamed response ends the exchange", needs: .streamedDownload) {
        subject in
        try await ends(subject, answering: "") { $0.options.delivery = .streamed }
      },
      .init("a cancellation between chunks ends the exchange") { subject in
        try await ends(subject, answering: Stalling.someOfABody) { $0.options.onChunk = { _ in .continue } }
      },
      .init("a cancellation while a streamed body is read ends the exchange", needs: .streamedDownload) { subject in
        try await Stalling.run(subject, answering: Stalling.someOfABody) { _, connection in
          let hasRead = Gate()
          let task = Task {
            let response = try await connection.get { $0.options.delivery = .streamed }
            for try await _ in response.body { hasRead.open() }
          }
          try expect(await hasRead.opened())
          task.cancel()
          try await expectThrows(CancellationError.self) { try await task.value }
        }
      },
      .init("the chunk callback can cancel the exchange") { subject in
        try await Stalling.run(subject, answering: Stalling.someOfABody) { _, connection in
          try await expectThrows(CancellationError.self) {
            _ = try await connection.get { $0.options.onChunk = { _ in .cancel } }
          }
        }
      },
      .init("the chunk callback can cancel the exchange with more chunks buffered", needsWire: false) { subject in
        try await expectThrows(CancellationError.self) {
          _ = try await subject.connection.get("hello") { $0.options.onChunk = { _ in .cancel } }
        }
      },
      .init("an error of the head callback cancels") { subject in
        try await Stalling.run(subject, answering: Stalling.someOfABody) { _, connection in
          try await expectThrows(CancellationError.self) {
            _ = try await connection.get { $0.options.onHead = { _ in throw CancellationError() } }
          }
        }
      },
      .init("dropping an unread streamed body cancels", needs: .streamedDownload) { subject in
        try await Stalling.run(subject, answering: Stalling.someOfABody) { _, connection in
          var response: Response? = try await connection.get { $0.options.delivery = .streamed }
          try expectEqual(response?.status, .ok)
          response = nil
        }
      },
      .init("leaving the loop over a streamed body cancels, even if the response is retained", needs: .streamedDownload) {
        subject in
        let stalling = try Stalling(answering: Stalling.someOfABody)
        defer { stalling.server.stop() }
        let connection = try subject.connection(to: stalling.server)
        let response = try await connection.get { $0.options.delivery = .streamed }
        for try await _ in response.body { break }
        try expect(await stalling.hasClosed.opened(), "the connection is still open")
        try expectEqual(response.status, .ok)
        try expectEqual(try await connection.get("next").body.utf8Text(), "next")
      },
      .init("an error in the loop over a streamed body cancels", needs: .streamedDownload) { subject in
        struct Mine: Error {}
        try await Stalling.run(subject, answering: Stalling.someOfABody) { _, connection in
          try await expectThrows(Mine.self) {
            for try await _ in try await connection.get(edit: { $0.options.delivery = .streamed }).body { throw Mine() }
          }
        }
      },
      .init("a cancellation of an upload whose source stalls ends the exchange", needs: [.streamedUpload, .duplex]) { subject in
        let dry = StalledSource()
        try await cancelsUpload(of: .stream(dry), over: subject, after: dry.hasBegun)
        try expect(await dry.hasGone.opened(), "the source is still read")
      },
      .init("a cancellation of an upload that the server does not read ends the exchange") { subject in
        try await cancelsUpload(of: .data(pattern(20_000_000)), over: subject)
      },
      .init("bodies dropped half-way one after the other are cancelled", needs: .streamedDownload) { subject in
        let connection = try subject.connection
        for _ in 0..<20 {
          let response = try await connection.get("bytes/50000000") { $0.options.delivery = .streamed }
          var iterator = response.body.makeAsyncIterator()
          try expect(try await iterator.next() != nil)
        }
        try expectEqual(try await connection.get("hello").body.utf8Text(), "Hello, world!")
      },
      .init("cancelling one request does not affect another") { subject in
        try await Stalling.run(subject) { stalling, connection in
          let cancelled = Task { try await connection.get() }
          try expect(await stalling.hasRequest.opened())
          async let other = connection.get("next")
          cancelled.cancel()
          try await expectThrows(CancellationError.self) { _ = try await cancelled.value }
          try expectEqual(try await other.body.utf8Text(), "next")
        }
      },
      .init("cancelling after the end has no effect") { subject in
        let connection = try subject.connection
        for _ in 0..<10 {
          let task = Task { try await connection.get("hello") }
          try expectEqual(try await task.value.body.utf8Text(), "Hello, world!")
          task.cancel()
        }
        try expectEqual(subject.server.connectionCount, 1)
      },
    ])

  private static func ends(
    _ subject: AdapterConformance.Subject, answering text: String, edit: @escaping @Sendable (inout Request) -> Void = { _ in }
  ) async throws {
    try await Stalling.run(subject, answering: text) { stalling, connection in
      let task = Task { try await connection.get(edit: edit) }
      try expect(await stalling.hasRequest.opened())
      task.cancel()
      try await expectThrows(CancellationError.self) { _ = try await task.value }
    }
  }

  /// - Parameter hasBegun: whether the source is being read when the task is cancelled; otherwise it must never be read.
  private static func cancelsUpload(
    of body: Body, over subject: AdapterConformance.Subject, after hasBegun: Gate? = nil
  ) async throws {
    // The server does not read the body until the task has ended.
    let hasRequest = Gate()
    let hasEnded = Gate()
    let hasClosed = Gate()
    let server = try RawServer { connection in
      guard try connection.readHead().hasPrefix("POST") else {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
        return connection.waitForClose()
      }
      hasRequest.open()
      guard hasEnded.wait() else { return }
      connection.waitForClose()
      hasClosed.open()
    }
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    let task = Task { try await connection.post(body: body) }
    try expect(await hasRequest.opened())
    if let hasBegun { try expect(await hasBegun.opened(), "the source is not read") }
    task.cancel()
    try await expectThrows(CancellationError.self) { _ = try await task.value }
    hasEnded.open()
    try expect(await hasClosed.opened(), "the connection is still open")
    try expectEqual(try await connection.get().body.utf8Text(), "next")
  }
}

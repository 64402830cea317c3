internal import FaradayCore

extension ConformanceGroup {
  /// The request queue: requests that wait while the connection pool is exhausted. A hundred is more than any adapter allows by
  /// default.
  static let queueing: ConformanceGroup = .init(
    name: "queueing",
    cases: [
      .init("queued requests are sent once each when others have ended") { subject in
        let (answers, arrived) = try await crowd(subject) { $0 }
        try expectEqual(answers.count, 100)
        for answer in answers { try expectEqual(try answer.get().status, .ok) }
        try expectEqual(arrived, 100)
      },
      .init("requests that wait too long fail and are not sent", needs: .queueTimeout) { subject in
        let (answers, arrived) = try await crowd(subject) { options in
          var options = options
          options.timeouts.queue = .milliseconds(50)
          return options
        }
        let failures = answers.compactMap { answer -> (any Error)? in
          if case .failure(let error) = answer { error } else { nil }
        }
        try expect(!failures.isEmpty, "none of a hundred had to wait")
        for failure in failures {
          let error = try require(failure as? TransportError, "\(failure) is no transport error")
          try expectEqual(error.code, .queueTimeout)
          try expect(error.partialResponse == nil)
        }
        try expectEqual(arrived, 100 - failures.count)
      },
      .init("the idle timeout does not count in the queue", needs: .idleTimeout) { subject in
        guard #available(macOS 26, *) else { return }
        let mayAnswer = Gate()
        let failed = Log<String>()
        let server = try holding(until: mayAnswer)
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
          // Immediate tasks: all of them are in front of the last request.
          for _ in 0..<99 {
            group.addImmediateTask { _ = try? await connection.get { $0.options.timeouts.idle = nil } }
          }
          await until { server.connectionCount > 0 }
          // Once it has its turn this is more than enough of silence; whether it is then answered is another matter.
          let last = Task {
            do { _ = try await connection.get("last") { $0.options.timeouts.idle = .milliseconds(20) } } catch {
              failed.append("\(error)")
            }
          }
          try await Task.sleep(for: .milliseconds(300))
          try expectEqual(failed.elements, [])
          mayAnswer.open()
          await last.value
          try await group.waitForAll()
        }
      },
      .init("a queued request can be cancelled and is not sent") { subject in
        let mayAnswer = Gate()
        let paths = Log<String>()
        let server = try holding(until: mayAnswer) { paths.append($0) }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<99 { group.addTask { _ = try await connection.get("kept") } }
          await until { server.connectionCount > 0 }
          let unwanted = Task { try await connection.get("unwanted") }
          unwanted.cancel()
          try await expectThrows(CancellationError.self) { _ = try await unwanted.value }
          mayAnswer.open()
          try await group.waitForAll()
        }
        try expectEqual(paths.elements.count(where: { $0.hasPrefix("GET /kept ") }), 99)
      },
    ])

  /// Sends a hundred requests to a server that responds only after the queued ones had time to fail. Returns their results, and how
  /// many arrived.
  private static func crowd(
    _ subject: AdapterConformance.Subject, options: @escaping @Sendable (Options) -> Options
  ) async throws -> ([Result<Response, any Error>], Int) {
    let mayAnswer = Gate()
    let arrived = Log<String>()
    let failed = Log<Int>()
    let server = try holding(until: mayAnswer) { arrived.append($0) }
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    let isLimited = options(Options()).timeouts.queue != nil
    let answers = await withTaskGroup(of: Result<Response, any Error>.self) { group in
      for index in 0..<100 {
        group.addTask {
          do {
            return .success(try await connection.get { $0.options = options($0.options) })
          } catch {
            failed.append(index)
            return .failure(error)
          }
        }
      }
      await until { !arrived.elements.isEmpty && (!isLimited || !failed.elements.isEmpty) }
      mayAnswer.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    return (answers, arrived.elements.count)
  }

  /// A server that sends no response until the gate is open, and records the first line of each request.
  private static func holding(
    until gate: Gate, note: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> RawServer {
    try RawServer { connection in
      while true {
        note(String(try connection.readHead().prefix { $0 != "\r\n" }))
        gate.wait()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }
}

internal import FaradayCore

extension ConformanceGroup {
  static let concurrency: ConformanceGroup = .init(
    name: "concurrency",
    cases: [
      .init("a hundred concurrent requests get their own responses", needsWire: false) { subject in
        let connection = try subject.connection
        try await each(of: 100) { index in
          let text = try await connection.post("echo", body: .text("request \(index)")).body.utf8Text()
          try expectEqual(text, "request \(index)")
        }
      },
      .init("large bodies are transferred both ways concurrently") { subject in
        let connection = try subject.connection
        try await each(of: 12) { index in
          let data = pattern(300_000 + index)
          let response = try await connection.post("echo", body: .data(data))
          try expectEqual(response.body.data, data)
        }
      },
      .init("twenty streamed downloads run concurrently", needs: .streamedDownload, needsWire: false) { subject in
        let connection = try subject.connection
        try await each(of: 20) { index in
          let response = try await connection.get("bytes/\(500_000 + index)") { $0.options.delivery = .streamed }
          let whole = try await response.body.collect()
          try expectEqual(whole, pattern(500_000 + index))
        }
      },
      .init("twenty streamed uploads run concurrently", needs: .streamedUpload) { subject in
        let connection = try subject.connection
        try await each(of: 20) { index in
          let response = try await connection.post("echo", body: .stream(Pieces([pattern(100_000 + index)])))
          let whole = try await response.body.collect()
          try expectEqual(whole, pattern(100_000 + index))
        }
      },
      .init("requests to several servers run concurrently") { subject in
        let servers = try (0..<5).map { _ in try LocalServer() }
        try await each(of: 40) { index in
          let server = servers[index % 5]
          let status = try await subject.adapter.send(try Request(server.url + "/hello")).status
          try expectEqual(status, .ok)
        }
        for server in servers { try expectEqual(server.requestCount, 8) }
      },
      .init("a pending response does not delay others") { subject in
        let connection = try subject.connection
        let stalled = Task { try await connection.get("stall") }
        for _ in 0..<10 { try expectEqual(try await connection.get("hello").status, .ok) }
        stalled.cancel()
        try await expectThrows(CancellationError.self) { _ = try await stalled.value }
      },
      .init("a slow source does not delay others", needs: .streamedUpload) { subject in
        let connection = try subject.connection
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        async let slow = connection.post("echo", body: .stream(pieces))
        for _ in 0..<10 { try expectEqual(try await connection.get("hello").status, .ok) }
        continuation.yield(Data("late".utf8))
        continuation.finish()
        try expectEqual(try await slow.body.utf8Text(), "late")
      },
      .init("an unread body does not delay others", needs: .streamedDownload) { subject in
        let connection = try subject.connection
        let unread = try await connection.get("bytes/20000000") { $0.options.delivery = .streamed }
        for _ in 0..<10 { try expectEqual(try await connection.get("hello").status, .ok) }
        try expectEqual(try await unread.body.collect().count, 20_000_000)
      },
      .init("cancelled requests do not affect others") { subject in
        // These requests fill all connections. The others get their responses when these have ended.
        let arrived = Log<String>()
        let mayAnswer = Gate()
        let servers = try (0..<8).map { _ in
          try RawServer { connection in
            let head = try connection.readHead()
            let isGet = head.hasPrefix("GET")
            let body = isGet ? [] : try connection.read(exactly: 2)
            arrived.append(isGet ? "GET" : "POST")
            guard !isGet, mayAnswer.wait() else { return connection.waitForClose() }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            try connection.send(body)
            connection.waitForClose()
          }
        }
        defer { for server in servers { server.stop() } }
        let connections = try servers.map { try subject.connection(to: $0) }
        let others = (0..<16).map { index in
          Task { try await connections[index / 2].post(body: .text("\(10 + index)")).body.utf8Text() }
        }
        let cancelled = (0..<16).map { index in Task { try await connections[index / 2].get() } }
        await until { arrived.elements.count == 32 }
        for task in cancelled { task.cancel() }
        for task in cancelled { try await expectThrows(CancellationError.self) { _ = try await task.value } }
        mayAnswer.open()
        for (index, task) in others.enumerated() { try expectEqual(try await task.value, "\(10 + index)") }
        try expectEqual(arrived.elements.count, 32)
      },
      .init("a body can be read after the adapter's task has ended", needs: .streamedDownload) { subject in
        let connection = try subject.connection
        let response = try await Task {
          try await connection.get("bytes/5000000") { $0.options.delivery = .streamed }
        }.value
        try expectEqual(try await response.body.collect(), pattern(5_000_000))
      },
    ])

  private static func each(of count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count { group.addTask { try await body(index) } }
      try await group.waitForAll()
    }
  }
}

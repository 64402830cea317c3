internal import FaradayCore

extension ConformanceGroup {
  /// The idle timeout ends exchanges that would never end.
  static let idleTimeout: ConformanceGroup = .init(
    name: "idle timeout", needs: .idleTimeout,
    cases: [
      .init("no response is a timeout") { subject in
        try await patiently(from: limit) { limit in
          let error = try await expectFailure(.idleTimeout) {
            try await subject.connection.get("stall") { $0.options.timeouts.idle = limit }
          }
          try expectPhase(.waiting, of: error)
          try expect(error.partialResponse == nil)
        }
      },
      .init("a stalled body is a timeout with the received bytes") { subject in
        try await patiently(from: limit) { limit in
          let error = try await expectFailure(.idleTimeout) {
            try await subject.connection.get("stall/body") { $0.options.timeouts.idle = limit }
          }
          try expectPhase(.receiving, of: error)
          try expectEqual(error.partialResponse?.body.length, 10)
        }
      },
      .init("a stalled streamed body is a timeout", needs: .streamedDownload) { subject in
        try await patiently(from: limit) { limit in
          let error = try await expectFailure(.idleTimeout) {
            try await subject.connection.get("stall/body") {
              $0.options.timeouts.idle = limit
              $0.options.delivery = .streamed
            }
          }
          try expectPhase(.receiving, of: error)
        }
      },
      .init("a stall after the status line is a timeout", needs: .truncatedHeads) { subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 200 OK\r\n")
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        try await expectFailure(.idleTimeout) { try await connection.get { $0.options.timeouts.idle = limit } }
      },
      .init("a server that does not read the body is a timeout", needs: .streamedUpload) { subject in
        let hasEnded = Gate()
        let server = try RawServer { connection in
          _ = try connection.readHead()
          _ = hasEnded.wait()
        }
        defer { server.stop() }
        defer { hasEnded.open() }
        let connection = try subject.connection(to: server)
        try await expectFailure(.idleTimeout) {
          try await connection.post(body: .stream(Pieces(size: 64 << 20))) { $0.options.timeouts.idle = limit }
        }
      },
      .init("the timeout does not expire while bytes arrive") { subject in
        try await patiently(from: limit, repeating: .idleTimeout) { limit in
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            for _ in 0..<20 {
              try connection.pause(milliseconds: limit.inMilliseconds / 6)
              try connection.send("x")
            }
            connection.waitForClose()
          }
          defer { server.stop() }
          let connection = try subject.connection(to: server)
          let response = try await connection.get { $0.options.timeouts.idle = limit }
          try expectEqual(response.body.length, 20)
        }
      },
      .init("the timeout does not expire while the reader pauses", needs: [.streamedDownload, .backpressure]) { subject in
        // The kernel buffers an unknown part of the body, so the time without bytes is not known.
        try await patiently(from: limit, repeating: .idleTimeout) { limit in
          let response = try await subject.connection.get("bytes/20000000") {
            $0.options.delivery = .streamed
            $0.options.timeouts.idle = limit
          }
          var iterator = response.body.makeAsyncIterator()
          var count = try await iterator.next()?.count ?? 0
          try await pass(twice: limit, over: subject)
          while let piece = try await iterator.next() { count += piece.count }
          try expectEqual(count, 20_000_000)
        }
      },
      .init("the timeout does not expire while the source pauses", needs: .streamedUpload) { subject in
        // The time of connecting and that until the response count, and are the machine's.
        try await patiently(from: limit, repeating: .idleTimeout) { limit in
          let connection = try subject.connection
          let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
          async let upload = connection.post("upload", body: .stream(pieces)) { $0.options.timeouts.idle = limit }
          try await pass(twice: limit, over: subject)
          continuation.finish()
          try expectEqual(try await upload.status, .ok)
        }
      },
    ])

  private static let limit = Duration.milliseconds(300)

  /// Another exchange that takes twice the timeout, by the server's clock.
  private static func pass(twice limit: Duration, over subject: AdapterConformance.Subject) async throws {
    _ = try await subject.connection.get("drip?count=2&interval=\(2 * limit.inMilliseconds)&size=1")
  }
}

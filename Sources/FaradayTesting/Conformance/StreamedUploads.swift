internal import FaradayCore

extension ConformanceGroup {
  static let streamedUploads: ConformanceGroup = .init(
    name: "streaming upload", needs: .streamedUpload,
    cases: arriving + [
      .init("a file is sent with its length") { subject in
        try await BodyKind.file.with(pattern(5000)) { body in
          let request = try await Inspected(subject.connection.put("inspect", body: body))
          try expectEqual(request.values("content-length"), ["5000"])
        }
      },
      .init("a range of a file is sent with its length") { subject in
        let file = try TemporaryFile(pattern(600_000))
        for range in [0..<5000, 1000..<599_000, 595_000..<600_000] as [Range<Int64>] {
          let body = try Body.file(file.path, range: range)
          let response = try await subject.connection.put("echo", body: body)
          try expectEqual(try await response.body.collect(), pattern(600_000)[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let request = try await Inspected(subject.connection.put("inspect", body: .file(file.path, range: 595_000...)))
        try expectEqual(request.values("content-length"), ["5000"])
      },
      .init("a sequence of known length is sent with its length") { subject in
        let body = Body.stream(Pieces("ab", "c"), length: 3)
        let request = try await Inspected(subject.connection.put("inspect", body: body))
        try expectEqual(request.values("content-length"), ["3"])
        try expectEqual(request.bodyText, "abc")
      },
      .init("a sequence of unknown length is chunked", needs: .duplex) { subject in
        let request = try await Inspected(subject.connection.put("inspect", body: .stream(Pieces("ab", "c"))))
        try expectEqual(request.values("transfer-encoding"), ["chunked"])
        try expectEqual(request.values("content-length"), [])
        try expectEqual(request.bodyText, "abc")
      },
      .init("an empty file is sent", needsWire: false) { subject in
        try await BodyKind.file.with(Data()) { body in
          try expectEqual(try await Inspected(subject.connection.put("inspect", body: body)).bodyLength, 0)
        }
      },
      .init("an empty sequence is sent", needsWire: false) { subject in
        for body in [Body.stream(Pieces()), .stream(Pieces(), length: 0)] {
          try expectEqual(try await Inspected(subject.connection.put("inspect", body: body)).bodyLength, 0)
        }
      },
      .init("empty pieces do not end the body", needsWire: false) { subject in
        let body = Body.stream(Pieces("", "a", "", "", "b", ""))
        try expectEqual(try await subject.connection.put("echo", body: body).body.utf8Text(), "ab")
      },
      .init("ten thousand pieces of one byte are sent", needsWire: false) { subject in
        let body = Body.stream(Pieces(Array(repeating: Data([0x61]), count: 10_000)))
        let request = try await Inspected(subject.connection.put("inspect", body: body))
        try expectEqual(request.bodyText, String(repeating: "a", count: 10_000))
      },
      .init("one piece of five million bytes is sent", needsWire: false) { subject in
        let data = pattern(5_000_000)
        let response = try await subject.connection.put("echo", body: .stream(Pieces([data])))
        try expectEqual(try await response.body.collect(), data)
      },
      .init("a source is read once, and not before the request is sent", needsWire: false) { subject in
        let reads = Log<Int>()
        let body = Body.stream(Counted(pieces: Pieces("a", "b"), reads: reads))
        try expectEqual(reads.elements.count, 0)
        try expectEqual(try await subject.connection.put("echo", body: body).body.utf8Text(), "ab")
        try expectEqual(reads.elements.count, 1)
        let empty = Body.stream(Counted(pieces: Pieces(), reads: reads), length: 0)
        try expectEqual(try await Inspected(subject.connection.put("inspect", body: empty)).bodyLength, 0)
        try expectEqual(reads.elements.count, 2)
      },
      .init("pieces are sent as they come", needs: .duplex) { subject in
        let came = (0..<5).map { _ in Gate() }
        let server = try RawServer { connection in
          _ = try connection.readHead()
          for index in 0..<5 {
            _ = try connection.read(exactly: 1)
            came[index].open()
          }
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        async let response = connection.put(body: .stream(pieces, length: 5))
        for index in 0..<5 {
          continuation.yield(Data([0x61]))
          // An adapter can hold the last byte back until the source has ended.
          if index == 4 { continuation.finish() }
          try expect(await came[index].opened(), "byte \(index) did not arrive")
        }
        try expectEqual(try await response.status, .ok)
      },
      .init("a body that is not replayable is sent once", needs: .neverResends) { subject in
        let posts = Log<Int>()
        let server = try RawServer { connection in
          while true {
            guard try connection.readHead().hasPrefix("POST") else {
              try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
              continue
            }
            posts.append(connection.index)
            _ = try connection.read(exactly: 1000)
            return connection.reset()
          }
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        _ = try await connection.get()
        try await expectFailure(.bodyNotReplayable, .sendFailed, .connectionClosed, .receiveFailed) {
          try await connection.post(body: .stream(Pieces([pattern(150_000)]), length: 150_000))
        }
        try expectEqual(posts.elements.count, 1)
      },
    ])

  private static let arriving: [Case] = BodyKind.streamed.flatMap { kind in
    [1, 1000, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_048_576, 3_000_000].map { count in
      Case("\(kind.rawValue): \(count) bytes arrive unchanged", needsWire: false) { subject in
        let data = pattern(count)
        try await kind.with(data) { body in
          try expectEqual(try await subject.connection.post("echo", body: body).body.collect(), data)
        }
      }
    }
  }
}

/// An async sequence that counts its iterations.
private struct Counted: AsyncSequence, Sendable {
  typealias Element = Data
  let pieces: Pieces
  let reads: Log<Int>

  func makeAsyncIterator() -> Pieces.AsyncIterator {
    reads.append(1)
    return pieces.makeAsyncIterator()
  }
}

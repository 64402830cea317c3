internal import FaradayCore

extension ConformanceGroup {
  static let streamedDownloads: ConformanceGroup = .init(
    name: "streaming download", needs: .streamedDownload,
    cases: [0, 1, 13, 16_384, 65_536, 65_537, 3_000_001].map { count in
      Case("\(count) bytes arrive unchanged", needsWire: false) { subject in
        let response = try await streamed("bytes/\(count)", subject)
        try expect(response.body.data == nil, "the body is in memory already")
        try expectEqual(try await response.body.collect(), pattern(count))
      }
    }
      + ["bytes/6000000", "bytes/6000000?chunked=1000", "bytes/6000000?chunked=100000"].map { path in
        Case("a slow reader gets every byte of \(path)") { subject in
          try expectEqual(try await slowly(streamed(path, subject)), pattern(6_000_000))
        }
      } + [
        .init("a slow reader gets every decoded byte", needs: .encodedBodies) { subject in
          let response = try await subject.connection.get("gzip?size=20000000") {
            $0.options.delivery = .streamed
            $0.options.decompression = Decompression(maximumRatio: 2000)
          }
          try expectEqual(try await slowly(response), Data(count: 20_000_000))
        },
        .init("the response is delivered at its head, before the body") { subject in
          let gate = Gate()
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            _ = gate.wait()
            try connection.send("hello")
            connection.waitForClose()
          }
          defer { server.stop() }
          let response = try await subject.connection(to: server).get { $0.options.delivery = .streamed }
          try expectEqual(response.status, .ok)
          gate.open()
          try expectEqual(try await response.body.utf8Text(), "hello")
        },
        .init("a body can be read once", needsWire: false) { subject in
          let response = try await streamed("hello", subject)
          try expectEqual(try await response.body.utf8Text(), "Hello, world!")
          try await expectThrows((any Error).self) { _ = try await response.body.utf8Text() }
        },
        .init("a partially read body cannot be read again", needsWire: false) { subject in
          let response = try await streamed("bytes/100000", subject)
          var iterator = response.body.makeAsyncIterator()
          try expect(try await iterator.next() != nil)
          try await expectThrows((any Error).self) { _ = try await response.body.utf8Text() }
        },
        .init("after its end a body delivers nothing", needsWire: false) { subject in
          var iterator = try await streamed("hello", subject).body.makeAsyncIterator()
          while try await iterator.next() != nil {}
          try expect(try await iterator.next() == nil)
        },
        .init("a body can be larger than the buffer limit", needsWire: false) { subject in
          let response = try await subject.connection.get("bytes/100000") {
            $0.options.delivery = .streamed
            $0.options.maximumBodySize = 10
          }
          try expectEqual(try await response.body.collect(), pattern(100_000))
        },
        .init("collecting stops at its limit") { subject in
          let response = try await streamed("bytes/1000000", subject)
          try await expectThrows(BodyError.self) { _ = try await response.body.collect(upTo: 1000) }
          try expectEqual(try await subject.connection.get("hello").status, .ok)
        },
        .init("a HEAD, a 204 and a 304 have no body") { subject in
          for path in ["status/204", "status/304"] {
            try expectEqual(try await streamed(path, subject).body.collect(), Data())
          }
          let head = try await subject.connection.head("bytes/1000") { $0.options.delivery = .streamed }
          try expectEqual(try await head.body.collect(), Data())
          try expectEqual(subject.server.connectionCount, 1)
        },
        .init("an error's body is streamed", needsWire: false) { subject in
          let response = try await streamed("status/500", subject)
          try expectEqual(response.status.code, 500)
          try expectEqual(try await response.body.utf8Text(), "status 500\n")
        },
        .init("the length is known from the head") { subject in
          for count in [0, 1, 100_000] {
            let response = try await streamed("bytes/\(count)", subject)
            try expectEqual(response.body.length, Int64(count))
            try expectEqual(try await response.body.collect().count, count)
          }
        },
        .init("a HEAD, a 204 and a 304 have a length of zero, whatever the head says") { subject in
          let head = try await subject.connection.head("bytes/1000") { $0.options.delivery = .streamed }
          try expectEqual(head.body.length, 0)
          for status in ["204 No Content", "304 Not Modified"] {
            let answer = "HTTP/1.1 \(status)" + (status.hasPrefix("304") ? "\r\nContent-Length: 9" : "") + "\r\n\r\n"
            try await subject.withServer(answering: answer) { connection in
              let response = try await connection.get { $0.options.delivery = .streamed }
              try expectEqual(response.body.length, 0)
              try expectEqual(try await response.body.collect(), Data())
            }
          }
        },
        .init("the length of a chunked or connection-delimited body is unknown") { subject in
          let chunked = try await streamed("bytes/6000?chunked=1000", subject)
          try expectEqual(chunked.body.length, nil)
          try expectEqual(try await chunked.body.collect().count, 6000)
          try await subject.withServer(answering: "HTTP/1.1 200 OK\r\n\r\nto the end") { connection in
            let response = try await connection.get { $0.options.delivery = .streamed }
            try expectEqual(response.body.length, nil)
            try expectEqual(try await response.body.collect().count, 10)
          }
        },
        .init("the length of a decoded body is unknown", needs: .encodedBodies) { subject in
          let response = try await subject.connection.get("gzip?size=5000") {
            $0.options.delivery = .streamed
            $0.options.decompression = .standard
          }
          try expectEqual(response.body.length, nil)
          try expectEqual(try await response.body.collect().count, 5000)
        },
        .init("the length of an encoded body is its length on the wire", needs: .encodedBodies) { subject in
          let response = try await subject.connection.get("gzip?size=5000") {
            $0.options.delivery = .streamed
            $0.headers[.acceptEncoding] = "gzip"
          }
          let length = try require(response.headers[.contentLength].flatMap { Int64($0) })
          try expectEqual(response.body.length, length)
          try expectEqual(try await response.body.collect().count, Int(length))
        },
        .init("a body can end with the connection") { subject in
          try await subject.withServer(answering: "HTTP/1.1 200 OK\r\n\r\nto the end") { connection in
            let response = try await connection.get { $0.options.delivery = .streamed }
            try expectEqual(try await response.body.utf8Text(), "to the end")
          }
        },
      ])

  private static func streamed(_ path: String, _ subject: AdapterConformance.Subject) async throws -> Response {
    try await subject.connection.get(path) { $0.options.delivery = .streamed }
  }

  /// Reads slowly, so that the buffer is full again and again: between two pieces the engine has time to fill it.
  private static func slowly(_ response: Response) async throws -> Data {
    var whole = Data()
    for try await piece in response.body {
      whole.append(piece)
      for _ in 0..<20 { await Task.yield() }
    }
    return whole
  }
}

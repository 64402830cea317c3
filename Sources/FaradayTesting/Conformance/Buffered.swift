internal import FaradayCore

extension ConformanceGroup {
  static let buffered: ConformanceGroup = .init(
    name: "buffered download",
    cases: [0, 1, 13, 16_384, 65_536, 65_537, 3_000_001].map { count in
      Case("\(count) bytes arrive unchanged", needsWire: false) { subject in
        let response = try await subject.connection.get("bytes/\(count)")
        try expectEqual(try require(response.body.data), pattern(count))
      }
    } + [
      .init("chunks are joined") { subject in
        try expectEqual(try await subject.connection.get("bytes/300000?chunked=777").body.collect(), pattern(300_000))
      },
      .init("a body can end with the connection") { subject in
        try await subject.withServer(answering: "HTTP/1.1 200 OK\r\n\r\nto the end") { connection in
          try expectEqual(try await connection.get().body.utf8Text(), "to the end")
        }
      },
      .init("a body can be read again", needsWire: false) { subject in
        let response = try await subject.connection.get("hello")
        for _ in 0..<2 { try expectEqual(try await response.body.utf8Text(), "Hello, world!") }
      },
      .init("a body of exactly the limit is accepted", needsWire: false) { subject in
        let response = try await subject.connection.get("bytes/100000") { $0.options.maximumBodySize = 100_000 }
        try expectEqual(response.body.length, 100_000)
      },
      .init("a body over the limit fails and keeps the received bytes", needsWire: false) { subject in
        let error = try await expectFailure(.bodyTooLarge) {
          try await subject.connection.get("bytes/100001") { $0.options.maximumBodySize = 100_000 }
        }
        try expectEqual(error.phase, .receiving)
        try expectEqual(error.partialResponse?.status, .ok)
        try expect(error.partialResponse?.body.length ?? .max <= 100_000)
      },
      .init("a chunked body over the limit fails") { subject in
        try await expectFailure(.bodyTooLarge) {
          try await subject.connection.get("bytes/1000000?chunked=1000") { $0.options.maximumBodySize = 100_000 }
        }
        try expectEqual(try await subject.connection.get("hello").status, .ok)
      },
    ])
}

internal import FaradayCore

extension ConformanceGroup {
  static let chunkCallback: ConformanceGroup = .init(
    name: "chunk callback",
    cases: [0, 1, 13, 16_384, 65_536, 65_537, 3_000_001].map { count in
      Case("\(count) bytes arrive unchanged, and the response has no body", needsWire: false) { subject in
        let (response, bytes) = try await chunks(of: "bytes/\(count)", subject.connection)
        try expectEqual(response.status, .ok)
        try expect(response.body.isEmpty)
        try expectEqual(bytes.reduce(into: Data()) { $0.append(contentsOf: $1) }, pattern(count))
      }
    } + [
      .init("chunks are not merged") { subject in
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n"
        try await subject.withServer(answering: answer) { connection in
          let (_, bytes) = try await chunks(of: "", connection)
          try expectEqual(bytes.map { String(decoding: $0, as: UTF8.self) }, ["a", "bc", "def"])
        }
      },
      .init("a thousand chunks are a thousand calls") { subject in
        let (_, bytes) = try await chunks(of: "bytes/10000?chunked=10", subject.connection)
        try expectEqual(bytes.count, 1000)
        try expect(bytes.allSatisfy { $0.count == 10 })
      },
      .init("the callback takes precedence over streaming and the buffer limit", needsWire: false) { subject in
        let (response, bytes) = try await chunks(of: "bytes/100000", subject.connection) {
          $0.options.delivery = .streamed
          $0.options.maximumBodySize = 10
        }
        try expect(response.body.isEmpty)
        try expectEqual(bytes.reduce(into: Data()) { $0.append(contentsOf: $1) }, pattern(100_000))
      },
      .init("an error's body is delivered to the callback", needsWire: false) { subject in
        let (response, bytes) = try await chunks(of: "status/404", subject.connection)
        try expectEqual(response.status, .notFound)
        try expectEqual(String(decoding: bytes.reduce(into: Data()) { $0.append(contentsOf: $1) }, as: UTF8.self), "status 404\n")
      },
      .init("the callback is not called without a body") { subject in
        for path in ["status/204", "status/304"] {
          try expectEqual(try await chunks(of: path, subject.connection).bytes, [])
        }
        let seen = Log<Int>()
        _ = try await subject.connection.head("bytes/1000") {
          $0.options.onChunk = { bytes in
            seen.append(bytes.byteCount)
            return .continue
          }
        }
        try expectEqual(seen.elements, [])
      },
      .init("the callback's error is thrown by send", needsWire: false) { subject in
        let connection = try subject.connection
        try await expectThrows(Mine.self) {
          _ = try await connection.get("bytes/1000000") { $0.options.onChunk = { _ in throw Mine() } }
        }
        try expectEqual(try await connection.get("hello").status, .ok)
      },
      .init("the callback is not called again after it has thrown", needsWire: false) { subject in
        let seen = Log<Int>()
        try await expectThrows(Mine.self) {
          _ = try await subject.connection.get("bytes/3000000") {
            $0.options.onChunk = { _ in
              seen.append(1)
              throw Mine()
            }
          }
        }
        try expectEqual(seen.elements.count, 1)
      },
      .init("a truncated body fails after its chunks") { subject in
        try await subject.withServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") { connection in
          let seen = Log<Int>()
          try await expectFailure(.truncatedResponse) {
            try await connection.get {
              $0.options.onChunk = { bytes in
                seen.append(bytes.byteCount)
                return .continue
              }
            }
          }
          try expectEqual(seen.elements.reduce(0, +), 5)
        }
      },
    ])

  private struct Mine: Error {}

  private static func chunks(
    of path: String, _ connection: Connection, edit: (inout Request) -> Void = { _ in }
  ) async throws -> (response: Response, bytes: [[UInt8]]) {
    let seen = Log<[UInt8]>()
    let response = try await connection.get(path) {
      edit(&$0)
      $0.options.onChunk = { bytes in
        seen.append(bytes.withUnsafeBytes { Array($0) })
        return .continue
      }
    }
    return (response, seen.elements)
  }
}

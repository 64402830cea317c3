@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// The total that counts from the start leaves out the wait for a slot, and nothing else.
@Suite struct StartedTotalTests {
  /// The wait is over when another request that waits as long has had its own total, which is longer and counts it.
  @Test func `the total timeout excludes the wait for a slot`() async throws {
    try await patiently(from: .milliseconds(500)) { limit in
      let (heads, mayAnswer) = (Log<String>(), Gate())
      let server = try RawServer { connection in
        while true {
          heads.append(try connection.readHead())
          mayAnswer.wait()
          try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
      }
      let connection = try server.connection(CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: 1))
      let first = Task { try await connection.get("first") }
      await until { heads.elements.count == 1 }
      let waiting = Task.immediate { try await connection.get("second") { $0.options.timeouts.totalExcludingQueue = limit } }
      try await expectFailure(.totalTimeout) {
        try await connection.get("third") { $0.options.timeouts.total = limit + .milliseconds(200) }
      }
      mayAnswer.open()
      try expectEqual(try await first.value.status, .noContent)
      do {
        try expectEqual(try await waiting.value.status, .noContent)
      } catch let error as TransportError where error.code == .totalTimeout && error.metrics != nil {
        // It has had its slot.
        throw TooSlow()
      }
      try expectEqual(heads.elements.count, 2)
    }
  }
}

import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// The total that counts from the start leaves out the wait for a slot, and nothing else.
@Suite struct StartedTotalTests {
  private static let limit = Duration.seconds(2)

  /// The wait is over when another request that waits as long has had its own total, which is longer and counts it.
  @Test(.timeLimit(.minutes(1))) func `the wait for a slot does not count`() async throws {
    let (heads, mayAnswer) = (Log<String>(), Gate())
    let server = try RawServer { connection in
      while true {
        heads.append(try connection.readHead())
        mayAnswer.wait()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let connection = try server.connection(CurlAdapter.Configuration(connectionsPerOrigin: 1))
    let first = Task { try await connection.get("first") }
    await until { heads.elements.count == 1 }
    let waiting = Task.immediate { try await connection.get("second") { $0.options.timeouts.totalFromStart = Self.limit } }
    let error = try await transportError {
      try await connection.get("third") { $0.options.timeouts.total = Self.limit + .milliseconds(200) }
    }
    #expect(error.code == .totalTimeout)
    mayAnswer.open()
    #expect(try await first.value.status == .noContent)
    #expect(try await waiting.value.status == .noContent)
    #expect(heads.elements.count == 2)
  }
}

@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// A callback that is slower than its server: libcurl then always finds something to read.
@Suite struct SlowCallbackTests {
  private func endless() throws -> RawServer {
    try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      let piece = [UInt8](repeating: 0x61, count: 1 << 20)
      while true { try connection.send(piece) }
    }
  }

  /// Keeps the engine's thread busy, as a callback that writes to a disk does.
  private static func work() {
    let end = ContinuousClock.now + .microseconds(500)
    while ContinuousClock.now < end {}
  }

  @Test func `a cancelled task ends during a slow callback, and other requests are served`() async throws {
    let server = try endless()
    defer { server.stop() }
    let connection = try server.connection()
    let hasBegun = Gate()
    let task = Task {
      try await connection.get {
        $0.options.onChunk = { _ in
          hasBegun.open()
          Self.work()
          return .continue
        }
      }
    }
    #expect(await hasBegun.opened())
    let other = try LocalServer()
    let response = try await Connection(other.url + "/", adapter: connection.stack).get("hello")
    #expect(response.status == .ok)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

@_spi(Adapters) import FaradayCore
import FaradayTesting
import Glibc
import Synchronization
import Testing

/// A server that sends a byte every so often, and knows whether it was in time: where the machine was too slow for that, nothing
/// follows from what a client made of it.
final class PacedServer: Sendable {
  private struct State {
    var hasBegun = false
    var isLate = false
  }

  private let state = Mutex(State())
  private let mayBegin = Gate()
  private let hasEnded = Gate()

  /// Runs `body` with its URL, a limit, and a closure that the client calls when it has the head. After that the server sends
  /// `count` bytes, one each `interval`. An attempt in which the limit or more passed between two of them, or from the head to the
  /// first, does not count. The next one has twice the interval and twice the limit. There are five at most.
  static func run(
    count: Int, interval: Duration, limit: Duration,
    _ body: (_ url: String, _ limit: Duration, _ begin: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws {
    for attempt in 1...5 {
      let (interval, limit) = (interval * (1 << (attempt - 1)), limit * (1 << (attempt - 1)))
      let paced = PacedServer()
      let server = try RawServer { connection in
        defer { paced.hasEnded.open() }
        try paced.serve(connection, count, interval, limit)
      }
      defer { server.stop() }
      func end() async -> Bool {
        paced.mayBegin.open()
        await paced.hasEnded.opened()
        return paced.state.withLock { $0.hasBegun && !$0.isLate }
      }
      do {
        try await body(server.url, limit) {
          paced.state.withLock { $0.hasBegun = true }
          paced.mayBegin.open()
        }
        guard await !end() else { return }
      } catch {
        let wasInTime = await end()
        if wasInTime || attempt == 5 { throw error }
      }
    }
    Issue.record("the machine is too slow to send a byte each \(interval)")
  }

  private func serve(_ connection: RawConnection, _ count: Int, _ interval: Duration, _ limit: Duration) throws {
    _ = try connection.readHead()
    let clock = ContinuousClock()
    // The client counts from the head, whenever it begins.
    var last = clock.now
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
    mayBegin.wait()
    var due = clock.now
    for _ in 0..<count {
      due += interval
      while clock.now < due { usleep(1000) }
      let before = clock.now
      // Also if the client is gone by now.
      defer {
        if clock.now - last >= limit { state.withLock { $0.isLate = true } }
        (last, due) = (before, before)
      }
      try connection.send("x")
    }
  }
}

import Faraday
import FaradayCurl
import FoundationEssentials
import Glibc
import Synchronization

/// A chunk every 100 ms: how long after it was sent it is in the callback, and with the reader of the sequence.
struct Latency {
  let chunks: Int

  func run() async throws {
    let child = try Child()
    let connection = try Connection(child.url, adapter: CurlAdapter())
    let path = "drip?count=\(chunks)&interval=100&size=64"

    let callback = Delays()
    _ = try await connection.get(path) {
      $0.options.onChunk = { bytes in
        callback.add(String(decoding: bytes.withUnsafeBytes { Array($0) }, as: UTF8.self))
        return .continue
      }
    }
    try report("callback", callback.all)

    let sequence = Delays()
    let response = try await connection.get(path) { $0.options.delivery = .streamed }
    for try await piece in response.body { sequence.add(String(decoding: piece, as: UTF8.self)) }
    try report("sequence", sequence.all)
  }

  private func report(_ what: String, _ delays: [Int]) throws {
    try check(delays.count == chunks, "\(delays.count) pieces came, not \(chunks)")
    let sorted = delays.sorted()
    print(
      "latency: \(what): median \(sorted[chunks / 2] / 1000) µs, largest \(sorted[chunks - 1] / 1000) µs, of \(chunks) chunks")
    try check(sorted[chunks - 1] < 10_000_000, "a chunk took more than 10 ms")
  }

  /// Nanoseconds from the time that a chunk names to now.
  private final class Delays: Sendable {
    private let state = Mutex<[Int]>([])
    var all: [Int] { state.withLock { $0 } }

    func add(_ chunk: String) {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let sent = chunk.split(whereSeparator: { $0 == " " || $0 == "\n" }).dropFirst().first.flatMap { Int($0) } ?? 0
      state.withLock { $0.append(now.tv_sec * 1_000_000_000 + now.tv_nsec - sent) }
    }
  }
}

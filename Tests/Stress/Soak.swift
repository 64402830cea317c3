import Faraday
import FaradayCurl
import FoundationEssentials
import Synchronization

/// So many seconds of requests, from 32 tasks and in every delivery, to a server that says too much, too late and too
/// little, compresses and stalls: every response must belong to its request and be whole, or the request fail, as the server
/// gave it cause to; and nothing may pile up. The same seed gives the same requests, though not the same order of events.
struct Soak {
  let seconds: Int
  let seed: UInt64
  private static let tasks = 32
  /// Fewer connections than tasks, so that some requests wait for one.
  private static let connections = 24
  /// Of the runtime's threads, which come as it likes.
  private static let spareThreads = 2
  /// Idle connections that may be kept; with those in use and a few of the engine's own, more descriptors are a leak.
  private static let kept = 48
  /// KiB that memory may have grown by since the warm-up.
  private static let memoryLimit = 6 << 10

  func run() async throws {
    print("soak: \(seconds) seconds, seed \(seed)")
    let child = try Child(["soak-server", "\(seed)"])
    // Once through everything, so that what is made once for the process is there.
    try await life(child, for: 2, from: -1_000_000, tally: Tally())
    try await quiet(nil)
    let before = Figures.descriptors
    let tally = Tally()
    try await life(child, for: seconds, from: 0, tally: tally)
    print(tally.table)
    try check(
      tally.wrong.isEmpty, "\(tally.wrong.count) wrong of \(tally.count):\n  " + tally.wrong.prefix(20).joined(separator: "\n  "))
    try await quiet(before)
    try check(tally.count > 20 * seconds, "only \(tally.count) requests in \(seconds) seconds")
  }

  /// Waits for what the adapter leaves to end by itself: nothing tells when. Ten seconds are enough for ever.
  private func quiet(_ descriptors: Int?) async throws {
    for _ in 0..<1000 {
      if Figures.threads(named: "faraday-curl") == 0, descriptors.map({ $0 == Figures.descriptors }) ?? true { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Wrong(
      "\(Figures.threads(named: "faraday-curl")) threads and \(Figures.descriptors) descriptors are left, not 0 and "
        + "\(descriptors ?? 0): \(Figures.openFiles)"
    )
  }

  /// An adapter's whole life.
  private func life(_ child: Child, for seconds: Int, from first: Int, tally: Tally) async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnectionsPerOrigin = Self.connections
    configuration.maximumPooledConnections = Self.kept
    configuration.streamBufferSize = 64 << 10
    let adapter = CurlAdapter(configuration)
    let requests = try SoakRequests(url: child.url, adapter: adapter, seed: seed, tally: tally)
    let numbers = Numbers(first)
    let base = Figures.descriptors
    let clock = ContinuousClock()
    let warm = min(20, seconds / 4)

    try await Self.turn(requests, numbers, until: clock.now + .seconds(warm))
    let mark = (Figures.status("VmRSS"), Figures.status("Threads"), Figures.descriptors)
    let peak = try await Self.turn(requests, numbers, until: clock.now + .seconds(seconds - warm))
    let end = (Figures.status("VmRSS"), Figures.status("Threads"), Figures.descriptors)
    guard first >= 0 else { return }
    print(
      "soak: after \(warm) s and at the end: \(mark.0) and \(end.0) KiB, \(mark.1) and \(end.1) threads, \(mark.2) and \(end.2) descriptors; at most \(peak), \(base) of them before the first request"
    )
    tally.expect(end.0 - mark.0 < Self.memoryLimit, "memory grew by \(end.0 - mark.0) KiB, over \(Self.memoryLimit)")
    tally.expect(end.1 <= mark.1 + Self.spareThreads, "\(end.1) threads, \(mark.1) after the warm-up")
    let most = base + Self.kept + Self.connections + 16
    tally.expect(peak <= most, "\(peak) descriptors at a time, over \(most)")
  }

  /// Requests from all tasks until then, or until enough is wrong; the most descriptors that there were.
  @discardableResult
  private static func turn(
    _ requests: SoakRequests, _ numbers: Numbers, until end: ContinuousClock.Instant
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          while ContinuousClock.now < end, requests.tally.wrong.count < 20 { try await requests.send(numbers.next()) }
          return 0
        }
      }
      group.addTask {
        var most = 0
        while ContinuousClock.now < end, requests.tally.wrong.count < 20 {
          most = max(most, Figures.descriptors)
          try await Task.sleep(for: .milliseconds(200))
        }
        return most
      }
      return try await group.reduce(0, max)
    }
  }
}

/// Counts up.
final class Numbers: Sendable {
  private let value: Atomic<Int>
  init(_ first: Int) { value = Atomic(first) }
  func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}

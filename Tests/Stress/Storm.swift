import Faraday
import FaradayCurl
import FoundationEssentials
import Synchronization

/// Many requests, 500 in flight, a third of them cancelled at random moments, in every delivery and over every kind of
/// body. Each must end exactly once, and nothing be left when the adapter has gone.
struct Storm {
  let requests: Int

  private enum Outcome: Hashable { case complete, cancelled, dropped, late }

  func run() async throws {
    let child = try Child()
    // Once through everything, so that what is made once for the process is there.
    try await storm(20, child.url)
    try await quiet(nil)
    let before = Figures.descriptors
    let counts = try await storm(requests, child.url)
    try check(counts.values.reduce(0, +) == requests, "\(counts) of \(requests)")
    try check((counts[.cancelled] ?? 0) > requests / 20, "hardly any was cancelled: \(counts)")
    try await quiet(before)
    print(
      "storm: \(requests) requests, \(counts.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")); no thread and no descriptor left"
    )
  }

  /// Waits for what the adapter leaves to end by itself: nothing tells when. Ten seconds are enough for ever.
  private func quiet(_ descriptors: Int?) async throws {
    for _ in 0..<1000 {
      if Figures.threads(named: "faraday-curl") == 0, descriptors.map({ $0 == Figures.descriptors }) ?? true { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    let threads = Figures.threads(named: "faraday-curl")
    throw Wrong("\(threads) threads and \(Figures.descriptors) descriptors are left, not 0 and \(descriptors ?? 0)")
  }

  @discardableResult
  private func storm(_ count: Int, _ url: String) async throws -> [Outcome: Int] {
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnectionsPerOrigin = 200
    let adapter = CurlAdapter(configuration)
    let connection = try Connection(url, adapter: adapter)
    return try await withThrowingTaskGroup(of: Outcome.self) { group in
      var counts: [Outcome: Int] = [:]
      for index in 0..<count {
        if index >= 500, let outcome = try await group.next() { counts[outcome, default: 0] += 1 }
        // Every fifth on the engine's thread.
        let executor = index % 5 == 0 ? adapter.taskExecutor : nil
        group.addTask { try await one(index, connection, executor) }
      }
      for try await outcome in group { counts[outcome, default: 0] += 1 }
      return counts
    }
  }

  /// One request, and whether it was cancelled, dropped by its reader, or done before the cancellation came.
  private func one(_ index: Int, _ connection: Connection, _ executor: (any TaskExecutor)?) async throws -> Outcome {
    let ends = Ends()
    let task = Task(executorPreference: executor) {
      defer { ends.add() }
      return try await exchange(index, connection)
    }
    let isUnwanted = index % 3 == 0
    if isUnwanted {
      if index % 2 == 0 { try await Task.sleep(for: .microseconds(.random(in: 0..<20_000))) }
      task.cancel()
    }
    let result = await task.result
    try check(ends.count == 1, "request \(index) ended \(ends.count) times")
    switch result {
    case .success(let isWhole): return !isWhole ? .dropped : isUnwanted ? .late : .complete
    case .failure(is CancellationError):
      try check(isUnwanted, "request \(index) was cancelled by nobody")
      return .cancelled
    case .failure(let error): throw error
    }
  }

  /// Returns false if it left the body half-read.
  private func exchange(_ index: Int, _ connection: Connection) async throws -> Bool {
    switch index % 7 {
    case 0: try same(try await connection.get("hello").body.length, 13)
    case 1: try same(try await connection.get("bytes/300000").body.length, 300_000)
    case 2:
      let sum = Ends()
      _ = try await connection.get("bytes/300000") {
        $0.options.onChunk = {
          sum.add($0.byteCount)
          return .continue
        }
      }
      try same(Int64(sum.count), 300_000)
    case 3:
      let response = try await connection.get("bytes/2000000") { $0.options.delivery = .streamed }
      var count = 0
      for try await piece in response.body {
        count += piece.count
        if index % 2 == 0, count > 500_000 { return false }
      }
      try Task.checkCancellation()
      try same(Int64(count), 2_000_000)
    case 4: try same(try await connection.post("echo", body: .data(Data(count: 200_000))).body.length, 200_000)
    case 5: try same(try await connection.put("echo", body: .stream(Blocks(count: 20, size: 10_000))).body.length, 200_000)
    default: try same(try await connection.get("drip?count=3&interval=2&size=10").body.length, 30)
    }
    return true
  }

  private func same(_ count: Int64?, _ expected: Int64) throws {
    try check(count == expected, "\(count ?? -1) bytes came, not \(expected)")
  }
}

/// A number that several threads add to.
final class Ends: Sendable {
  private let value = Atomic<Int>(0)
  func add(_ more: Int = 1) { value.wrappingAdd(more, ordering: .relaxed) }
  var count: Int { value.load(ordering: .relaxed) }
}

/// So many pieces of that size, all the same one.
struct Blocks: AsyncSequence, Sendable {
  let count: Int
  let size: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    var left: Int
    let block: Data
    mutating func next() async -> Data? {
      guard left > 0 else { return nil }
      left -= 1
      return block
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: count, block: Data(count: size)) }
}

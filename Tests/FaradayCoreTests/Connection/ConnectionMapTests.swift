import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct ConnectionMapTests {
  private let connection: Connection

  init() throws { connection = try Connection("http://host/", adapter: MockAdapter(isStrict: false)) }

  /// Counts calls in flight.
  private final class Counter: Sendable {
    private let state = Mutex((now: 0, most: 0, all: 0))

    var most: Int { state.withLock { $0.most } }
    var all: Int { state.withLock { $0.all } }

    func begin() {
      state.withLock {
        $0.now += 1
        $0.all += 1
        $0.most = max($0.most, $0.now)
      }
    }

    func end() { state.withLock { $0.now -= 1 } }
  }

  /// Waits until the task is cancelled.
  private static func waitForCancellation() async throws { try await Task.sleep(for: .seconds(3600)) }

  @Test(arguments: [true, false]) func `of 10,000 elements, at most 8 are in flight`(inOrder: Bool) async throws {
    let counter = Counter()
    var results: [Int] = []
    let map = connection.map(0..<10_000, concurrency: 8, inOrder: inOrder) { connection, number in
      counter.begin()
      defer { counter.end() }
      let response = try await connection.get("\(number)")
      for _ in 0..<(number % 5) { await Task.yield() }
      return Int(response.url.lastPathComponent) ?? -1
    }
    for try await number in map { results.append(number) }
    #expect(inOrder ? results == Array(0..<10_000) : results.sorted() == Array(0..<10_000))
    #expect(counter.all == 10_000)
    #expect((1...8).contains(counter.most))
  }

  @Test(arguments: [true, false]) func `no element and one element`(inOrder: Bool) async throws {
    for count in 0...1 {
      let map = connection.map(0..<count, concurrency: -1, inOrder: inOrder) { $1 }
      #expect(try await map.reduce(into: []) { $0.append($1) } == Array(0..<count))
    }
  }

  @Test func `an endless sequence is taken only as far as results are read`() async throws {
    let taken = Counter()
    let endless = (1...).lazy.map { @Sendable number in
      taken.begin()
      return number
    }
    var read = 0
    for try await number in connection.map(endless, concurrency: 4, { $1 }) {
      read += 1
      #expect(number == read)
      #expect(taken.all <= read + 4)
      if read == 1000 { break }
    }
  }

  @Test(arguments: [true, false]) func `a sequence that has ended is not asked for another element`(inOrder: Bool) async throws {
    let asked = Counter()
    let elements = AnySequence<Int> {
      AnyIterator {
        asked.begin()
        return asked.all == 3 ? nil : asked.all
      }
    }
    var results: [Int] = []
    for try await number in connection.map(elements, concurrency: 8, inOrder: inOrder, { $1 }) {
      results.append(number)
      if results.count > 2 { break }
    }
    #expect(results.sorted() == [1, 2])
    #expect(asked.all == 3)
  }

  @Test func `in order, results that wait for a slow call count as unread`() async throws {
    let started = Counter()
    let map = connection.map(0..<1000, concurrency: 4) { _, number in
      started.begin()
      guard number == 0 else { return number }
      for _ in 0..<1000 where started.all <= 4 { await Task.yield() }
      return started.all
    }
    var iterator = map.makeAsyncIterator()
    #expect((1...4).contains(try await iterator.next() ?? 0))
  }

  @Test func `without an order, a slow call does not delay the results of others`() async throws {
    let slow = Gate()
    let map = connection.map(0..<20, concurrency: 2, inOrder: false) { _, number in
      if number == 0 { await slow.opened() }
      return number
    }
    var results: [Int] = []
    for try await number in map {
      results.append(number)
      if results.count == 19 { slow.open() }
    }
    #expect(results == Array(1..<20) + [0])
  }

  @Test(arguments: [true, false]) func `the first error is thrown at once and cancels the other calls`(
    inOrder: Bool
  ) async throws {
    struct Failure: Error {}
    let ended = (0..<4).map { _ in Gate() }
    let started = Counter()
    let map = connection.map(0..., concurrency: 4, inOrder: inOrder) { _, number -> Int in
      started.begin()
      if number == 3 { throw Failure() }
      defer { ended[number].open() }
      try await Self.waitForCancellation()
      return number
    }
    var iterator = map.makeAsyncIterator()
    do {
      _ = try await iterator.next()
      Issue.record("no error")
    } catch {
      #expect(error is Failure)
    }
    for number in 0..<3 { #expect(await ended[number].opened()) }
    #expect(try await iterator.next() == nil)
    #expect(started.all <= 4)
  }

  @Test func `errors as values do not end the results`() async throws {
    struct Failure: Error {}
    let map = connection.map(0..<10, concurrency: 3) { _, number in
      Result { () throws(Failure) in
        guard number % 2 == 0 else { throw Failure() }
        return number
      }
    }
    let results = try await map.reduce(into: []) { $0.append($1) }
    #expect(results.map { try? $0.get() } == [0, nil, 2, nil, 4, nil, 6, nil, 8, nil])
  }

  @Test func `calls are cancelled with the task that reads their results`() async throws {
    let (started, ended) = (Gate(), Gate())
    let task = Task { [connection] in
      for try await _ in connection.map(
        0..., concurrency: 1,
        { _, number in
          started.open()
          defer { ended.open() }
          try await Self.waitForCancellation()
        })
      {}
    }
    #expect(await started.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await ended.opened())
  }

  @Test func `a cancelled task gets an error and not the end of the results`() async throws {
    let task = Task { [connection] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await connection.map(0..<3) { $1 }.reduce(0, +)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `calls are cancelled if the reader stops early`() async throws {
    let ended = Gate()
    for try await number in connection.map(
      0..., concurrency: 2, inOrder: false,
      { _, number in
        guard number > 0 else { return 0 }
        defer { ended.open() }
        try await Self.waitForCancellation()
        return number
      })
    {
      #expect(number == 0)
      break
    }
    #expect(await ended.opened())
  }
}

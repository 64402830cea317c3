import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct SharedRateTests {
  private func limit(_ store: any LimitStore, _ policy: RateLimit.Policy, errors: Log<String>? = nil) -> RateLimit {
    RateLimit(
      policy, store: store, clock: ManualClock(), date: { Date(timeIntervalSince1970: 1_700_000_000) },
      onStoreError: { errors?.append("\($0)") })
  }

  @Test func `machines that share a store take exactly the bucket's tokens concurrently`() async throws {
    /// Others come between reading and replacing.
    struct Slow: LimitStore {
      let store = InMemoryLimitStore()

      func value(for key: String) async -> String? {
        let value = await store.value(for: key)
        await Task.yield()
        return value
      }

      func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async -> Bool {
        await store.replace(old, with: new, for: key, lifetime: lifetime)
      }
    }
    let store = Slow()
    let mock = mock(.ok)
    let policy = RateLimit.Policy(100, per: .seconds(60), maximumWait: .zero)
    let connections = try (1...4).map { _ in
      try Connection("https://host/", adapter: mock, middleware: [limit(store, policy)])
    }
    let taken = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 { group.addTask { (try? await connections[number % 4].get()) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(taken == 100 && mock.recorded.count == 100)
  }

  @Test func `a server delay applies to all machines`() async throws {
    let store = InMemoryLimitStore()
    let mock = mock(.tooManyRequests, headers: [.retryAfter: "9"])
    let policy = RateLimit.Policy(maximumWait: .zero)
    _ = try await Connection("https://host/", adapter: mock, middleware: [limit(store, policy)]).get()
    let other = try Connection("https://host/", adapter: mock, middleware: [limit(store, policy)])
    #expect(await #expect(throws: RefusedRequestError.self) { try await other.get() }?.retryAfter == .seconds(9))
  }

  @Test func `a store that fails or never agrees stops no request`() async throws {
    struct Stubborn: LimitStore {
      func value(for key: String) async -> String? { nil }
      func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async -> Bool { false }
    }
    for store in [BrokenStore(), Stubborn()] as [any LimitStore] {
      let errors = Log<String>()
      let connection = try Connection(
        "https://host/", adapter: mock(.ok),
        middleware: [limit(store, RateLimit.Policy(1, maximumWait: .zero), errors: errors)])
      _ = try await connection.get()
      #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get() }?.isRateLimited == true)
      #expect(errors.elements.count == 2)
      guard store is Stubborn else { continue }
      #expect(
        errors.elements[0]
          == "limit store: rate:https://host:443 was changed concurrently 100 times: the request was counted in memory")
    }
  }

  @Test func `different sets of tags are different keys, and equal sets are one key`() throws {
    let sets: [Set<String>] = [
      [], [""], ["a"], ["b"], ["a", "b"], ["a,b"], ["a\", \"b"], ["a\",\"b"], ["a\\", "b"], ["a,", "b"], ["a", ",b"], [",", ""],
    ]
    let keys = try sets.map { tags in
      var request = try Connection("https://host/", adapter: MockAdapter()).request(.get, "")
      request.options.tags = tags
      return LimitKey.tags.name(request)
    }
    #expect(Set(keys).count == sets.count)
    #expect(keys[4] == #""a","b""#)
  }

  /// A store that responds only when the test lets it, even after cancellations.
  private final class HangingStore: LimitStore {
    private let store = InMemoryLimitStore()
    private let state = Mutex<[CheckedContinuation<Void, Never>]?>([])
    var isAsked: Bool { state.withLock { $0?.isEmpty == false } }
    let maximumWait = Duration.seconds(3)

    func value(for key: String) async -> String? {
      await withCheckedContinuation { continuation in
        let isHealed = state.withLock { state in
          state?.append(continuation)
          return state == nil
        }
        if isHealed { continuation.resume() }
      }
      return await store.value(for: key)
    }

    func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async -> Bool {
      await store.replace(old, with: new, for: key, lifetime: lifetime)
    }

    func heal() {
      let waiting = state.withLock { state in
        defer { state = nil }
        return state ?? []
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  @Test func `a request that is cancelled while the store takes its token gives the token back`() async throws {
    let store = SlowStore()
    let mock = mock(.ok)
    let connection = try Connection(
      "https://host/", adapter: mock, middleware: [limit(store, RateLimit.Policy(1, per: .seconds(60), maximumWait: .zero))])
    let cancelled = Task { try await connection.get() }
    await until { store.replacements == 1 }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    store.open()
    await until { store.replacements == 2 }
    #expect(try await connection.get().status == .ok && mock.recorded.count == 1)
  }

  @Test func `a store that hangs delays a request by at most its wait and blocks no key`() async throws {
    let (store, clock, errors) = (HangingStore(), ManualClock(), Log<String>())
    let limit = RateLimit(
      RateLimit.Policy(2, per: .seconds(60), maximumWait: .zero), store: store, clock: clock,
      onStoreError: { errors.append("\($0), \($0.countsAsTimeout) \($0.countsAsTransient)") })
    let mock = mock(.ok)
    let connection = try Connection("https://host/", adapter: mock, middleware: [limit])
    let tasks = (1...3).map { _ in Task { try? await connection.get() } }
    await clock.sleepers(3)
    clock.advance(by: .seconds(3))
    // Counted in memory: two have a place.
    var sent = 0
    for task in tasks where await task.value != nil { sent += 1 }
    #expect(sent == 2 && mock.recorded.count == 2)
    #expect(
      errors.elements
        == Array(
          repeating:
            "limit store: no response about rate:https://host:443 within 3.0 seconds: the request was counted in memory, true true",
          count: 3))
    store.heal()
    clock.advance(by: .seconds(30))
    _ = try await connection.get()
    #expect(errors.elements.count == 3)
  }

  @Test func `a store that timed out is not called for a while`() async throws {
    let (store, clock, errors) = (HangingStore(), ManualClock(), Log<String>())
    let limit = RateLimit(
      RateLimit.Policy(1000, per: .seconds(60)), store: store, clock: clock, onStoreError: { errors.append("\($0)") })
    let connection = try Connection("https://host/", adapter: mock(.ok), middleware: [limit])
    let tasks = (1...20).map { _ in Task { try await connection.get() } }
    await until { store.isAsked }
    await until { clock.asleep > 0 }
    clock.advance(by: .seconds(3))
    // The requests behind it do not wait as long each.
    for task in tasks { #expect(try await task.value.status == .ok) }
    #expect(errors.elements.count == 1)
    store.heal()
    _ = try await connection.get()
    #expect(await store.value(for: "rate:https://host:443") == nil)
    clock.advance(by: .seconds(30))
    _ = try await connection.get()
    #expect(await store.value(for: "rate:https://host:443") != nil)
  }

  @Test func `after a timeout the store is not called for ten times its wait`() async throws {
    let (store, clock) = (HangingStore(), ManualClock())
    let states = CountedStates<TokenBucket>(
      store, prefix: "", lifetime: .seconds(1), clock: clock, date: nil, onStoreError: nil)
    let isDone = Log<Int>()
    func update(_ number: Int) {
      Task {
        _ = try? await states.update("a") { bucket, _ in bucket.full = .seconds(number) }
        isDone.append(number)
      }
    }
    update(1)
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    await until { isDone.elements == [1] }
    clock.advance(by: .seconds(29))
    update(2)
    // It does not wait for the store, or it would sleep.
    await until { isDone.elements.count == 2 || clock.asleep > 0 }
    #expect(isDone.elements == [1, 2])
    clock.advance(by: .seconds(3))
    update(3)
    await until { isDone.elements.count == 3 || clock.asleep > 0 }
    #expect(isDone.elements == [1, 2] && clock.asleep > 0)
    store.heal()
    await until { isDone.elements.count == 3 }
  }

  @Test func `a cancelled request does not wait for a hanging store`() async throws {
    let store = HangingStore()
    let clock = ManualClock()
    let limit = RateLimit(RateLimit.Policy(2, maximumWait: .zero), store: store, clock: clock)
    let connection = try Connection("https://host/", adapter: mock(.ok), middleware: [limit])
    let task = Task { try await connection.get() }
    await until { store.isAsked }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    store.heal()
  }

  @Test func `a CancellationError of the store cancels no request`() async throws {
    struct Cancelled: LimitStore {
      func value(for key: String) async throws -> String? { throw CancellationError() }
      func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool { false }
    }
    let errors = Log<String>()
    let connection = try Connection(
      "https://host/", adapter: mock(.ok), middleware: [limit(Cancelled(), RateLimit.Policy(), errors: errors)])
    #expect(try await connection.get().status == .ok)
    #expect(errors.elements.count == 1)
  }

  @Test(arguments: ["", "1", "1 1 1 1", "1 -1 1 1 1", "1 1 1 x 1", "1 1 1 1 99999999999999999999", "2 1 1 1 1", "1 1 1 -5 1"])
  func `an invalid stored state is treated as missing`(text: String) {
    #expect(TokenBucket(text: text) == nil)
  }

  @Test func `a state survives the round trip through a store`() throws {
    for allowance in [nil, 0, 42] {
      let bucket = TokenBucket(
        full: .nanoseconds(1_700_000_000_000_000_001), blockedUntil: .seconds(3), allowance: allowance, allowanceEnds: .seconds(4)
      )
      #expect(try #require(TokenBucket(text: bucket.text)) == bucket)
    }
  }

  @Test func `a time written by a wrong clock delays requests no longer than the bucket can be empty`() {
    let policy = RateLimit.Policy(1, per: .seconds(10), maximumServerDelay: .seconds(60))
    var bucket = TokenBucket(full: .seconds(1_000_000))
    #expect(bucket.take(at: .seconds(5), policy) == .seconds(10))
    bucket = TokenBucket(blockedUntil: .seconds(1_000_000))
    #expect(bucket.take(at: .seconds(5), policy) == .seconds(60))
  }
}

internal import FaradayCore
internal import FaradaySupport
private import Synchronization

/// A state that can be stored in a ``LimitStore``.
protocol CountedState: Sendable {
  /// Creates the state before the first request.
  init()
  /// Returns nil if the text is not a valid state.
  init?(text: String)
  var text: String { get }
}

/// The states of a limit by key: the most recently used ones in memory, or all in a ``LimitStore``.
final class CountedStates<State: CountedState>: Sendable {
  private let local: Mutex<LeastRecentlyUsed<String, State>>
  private let store: (any LimitStore)?
  private let prefix: String
  private let lifetime: Duration
  private let elapsed: @Sendable () -> Duration
  private let date: @Sendable () -> Date
  private let onStoreError: (@Sendable (any Error) -> Void)?
  /// One replacement in the store at a time for each key. The remaining conflicts come from other machines.
  private let turns: Places
  private let clock: any Clock<Duration>
  /// The time until which a store that timed out is not called.
  private let restsUntil = Mutex(Duration.zero)

  /// - Parameters:
  ///   - prefix: the prefix of the keys in the store.
  ///   - lifetime: the time for which a state in the store is valid.
  ///   - clock: the time of states in memory, from now on, and of the wait for the store.
  ///   - date: the time of states in the store, and of dates in responses.
  init(
    _ store: (any LimitStore)?, prefix: String, capacity: Int = 1000, lifetime: Duration, clock: any Clock<Duration>,
    date: (@Sendable () -> Date)?, onStoreError: (@Sendable (any Error) -> Void)?
  ) {
    self.store = store
    self.prefix = prefix
    self.lifetime = lifetime.withinClocks
    self.onStoreError = onStoreError
    self.date = date ?? { Date.now }
    self.clock = clock
    turns = Places(maximumWaiting: .max, clock: clock)
    elapsed = clock.stopwatch()
    local = Mutex(LeastRecentlyUsed(capacity: capacity))
  }

  /// The time in seconds since 1970.
  var unixTime: Double { date().timeIntervalSince1970 }
  var isShared: Bool { store != nil }
  var keyCount: Int { local.withLock { $0.count } }

  /// Changes the state of a key as one atomic step. The closure is called with the time, and may be called several times.
  ///
  /// - Parameter undo: returns what undoes a change in the store whose result the caller does not get, because it was cancelled
  ///   or the store took too long; nil if nothing must be undone.
  func update<Result: Sendable>(
    _ key: String, undo: @escaping @Sendable (Result) -> (@Sendable (inout State, Duration) -> Void)? = { _ in nil },
    _ change: @escaping @Sendable (inout State, Duration) -> Result
  ) async throws -> Result {
    guard let store, restsUntil.withLock({ $0 <= elapsed() }) else { return updateLocally(key, change) }
    let handover = Handover<Result> { [self] lost in
      guard let undo = undo(lost) else { return }
      Task { try? await update(prefix + key, in: store) { undo(&$0, $1) } }
    }
    do {
      return try await update(prefix + key, in: store, handover, change)
    } catch {
      handover.leave()
      // A cancellation inside the store does not cancel the caller.
      try Task.checkCancellation()
      // Otherwise every queued request would time out too, and each would leave another call in the store.
      if (error as? StoreError)?.isTimeout == true { restsUntil.withLock { $0 = elapsed() + store.restAfterTimeout } }
      onStoreError?(error)
      return updateLocally(key, change)
    }
  }

  /// Calls ``update(_:_:)``; if the task is cancelled, records the change without waiting for the store.
  func settle(_ key: String, _ change: @escaping @Sendable (inout State, Duration) -> Void) async {
    guard isShared, !Task.isCancelled else { return record(key, change) }
    // Throws only if the task is cancelled in the meantime.
    do { try await update(key, change) } catch { record(key, change) }
  }

  /// Calls ``update(_:_:)`` for callers that cannot wait: at once in memory, otherwise in a separate task.
  func record(_ key: String, _ change: @escaping @Sendable (inout State, Duration) -> Void) {
    guard isShared else { return updateLocally(key, change) }
    Task { try? await update(key, change) }
  }

  private func updateLocally<Result>(_ key: String, _ change: (inout State, Duration) -> Result) -> Result {
    local.withLock { states in
      var state = states[key] ?? State()
      // One clock for the state of a store and its substitute: a state is only ever read with the clock that it was written
      // with.
      let result = change(&state, elapsed().withinClocks)
      states[key] = state
      return result
    }
  }

  private func update<Result: Sendable>(
    _ key: String, in store: any LimitStore, _ handover: Handover<Result> = Handover { _ in },
    _ change: @escaping @Sendable (inout State, Duration) -> Result
  ) async throws -> Result {
    let limit = store.maximumWait
    let deadline = Deadline(after: limit, on: clock) { StoreError(.timeout(limit), key: key) }
    return try await deadline.value { [self] in
      let turn = try await turns.take(key, limit: 1, priority: .normal, number: turns.number(), maximumWait: nil)
      defer { turn.giveBack() }
      // In a task that can be abandoned: a store may hang and ignore cancellation.
      return try await SingleFlight<Result>().value { [self] in
        let result = try await replace(key, in: store, change)
        handover.arrive(result)
        return result
      }
    }
  }

  private func replace<Result: Sendable>(
    _ key: String, in store: any LimitStore, _ change: @Sendable (inout State, Duration) -> Result
  ) async throws -> Result {
    let attempts = 100
    for _ in 0..<attempts {
      let old = try await store.value(for: key)
      // A request that timed out and was counted in memory must not be counted twice.
      try Task.checkCancellation()
      // An invalid text, for instance of another version, is replaced.
      var state = old.flatMap { State(text: $0) } ?? State()
      let result = change(&state, .clamped(seconds: unixTime))
      let new = state.text
      if new == old { return result }
      if try await store.replace(old, with: new, for: key, lifetime: lifetime) { return result }
    }
    throw StoreError(.contention(attempts: attempts), key: key)
  }
}

/// The result of a change in a store. If its caller leaves before it has the result, the result is lost.
private final class Handover<Result: Sendable>: Sendable {
  private enum State {
    case waiting
    case arrived(Result)
    case left
  }

  private let state = Mutex(State.waiting)
  private let onLost: @Sendable (Result) -> Void

  init(onLost: @escaping @Sendable (Result) -> Void) { self.onLost = onLost }

  func arrive(_ result: Result) {
    let isLost = state.withLock { state in
      if case .left = state { return true }
      state = .arrived(result)
      return false
    }
    if isLost { onLost(result) }
  }

  func leave() {
    let lost: Result? = state.withLock { state in
      defer { state = .left }
      if case .arrived(let result) = state { return result }
      return nil
    }
    if let lost { onLost(lost) }
  }
}

extension Duration {
  /// The form for a state in a store: nanoseconds, clamped to two centuries.
  var storedNanoseconds: Int64 {
    let (seconds, attoseconds) = min(max(.zero, self), .seconds(6_311_520_000)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Returns nil if the text is not a number, or out of range.
  init?(storedNanoseconds text: some StringProtocol) {
    guard let count = Int64(text), (0...6_311_520_000_000_000_000).contains(count) else { return nil }
    self = .nanoseconds(count)
  }
}

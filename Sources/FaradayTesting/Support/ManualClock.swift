private import Synchronization

/// A clock for tests whose time a test controls, so that retries with backoff and timeouts run without delay.
///
///     let clock = ManualClock()
///     let task = Task { try await connection.get("flaky") }
///     await clock.sleepers(1)
///     clock.advance(by: .seconds(2))
///
/// Thread-safe.
public final class ManualClock: Clock {
  /// A point in time of the clock.
  public struct Instant: InstantProtocol {
    let offset: Duration
    /// Returns the instant later by this duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the time from this instant to the other.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var slept: [Duration] = []
  }

  private let state = Mutex(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The clock's current time.
  public var now: Instant { state.withLock { $0.now } }
  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The requested durations of all sleeps, in the order in which they began.
  public var slept: [Duration] { state.withLock { $0.slept } }

  /// The number of tasks that sleep at the moment.
  public var asleep: Int { state.withLock { $0.sleepers.count } }

  /// Advances the clock, and wakes the tasks whose deadlines have passed.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits until this number of tasks sleep at the same time.
  public func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count < count { state.watchers.append((count, continuation)) }
        return state.sleepers.count >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Sleeps until ``advance(by:)`` reaches the deadline. Throws `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isOver, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
          state.slept.append(state.now.duration(to: deadline))
          guard deadline > state.now, !Task.isCancelled else { return (true, []) }
          state.sleepers[id] = (deadline, continuation)
          let ready = state.watchers.filter { $0.count <= state.sleepers.count }.map(\.continuation)
          state.watchers.removeAll { $0.count <= state.sleepers.count }
          return (false, ready)
        }
        for watcher in watchers { watcher.resume() }
        if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
    }
  }
}

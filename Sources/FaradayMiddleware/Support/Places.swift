internal import FaradayCore
private import Synchronization

/// A semaphore for requests, by key: a limited number of places, and a queue by priority for the requests that wait for one.
/// Thread-safe.
///
/// An unused key is removed, so that memory is bounded by the requests in flight.
final class Places: Sendable {
  /// The reason why no place was given.
  enum Refusal: Error {
    /// The maximum number of requests waits already.
    case full(waiting: Int)
    /// The maximum wait is over.
    case expired
  }

  private struct Waiter {
    let continuation: CheckedContinuation<Void, any Error>
    /// The task that ends the wait.
    let timer: Task<Void, Never>?
  }

  private struct Line {
    var limit: Int
    var used = 0
    var waiting = WaitingLine<Waiter>()

    /// Gives the free places to the waiting requests.
    mutating func grant() -> [Waiter] {
      var granted: [Waiter] = []
      while used < limit, let waiter = waiting.popFirst() {
        used += 1
        granted.append(waiter)
      }
      return granted
    }
  }

  private struct State {
    var lines: [String: Line] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())
  private let maximumWaiting: Int
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - maximumWaiting: the maximum number of requests that wait with one key.
  ///   - clock: measures the maximum wait.
  init(maximumWaiting: Int, clock: any Clock<Duration>) {
    self.maximumWaiting = maximumWaiting
    self.clock = clock
  }

  /// Returns the next number in the order of arrival.
  func number() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  func waitingCount(_ key: String) -> Int { state.withLock { $0.lines[key]?.waiting.count ?? 0 } }
  func usedCount(_ key: String) -> Int { state.withLock { $0.lines[key]?.used ?? 0 } }
  var keyCount: Int { state.withLock { $0.lines.count } }
  var waitingCount: Int { state.withLock { $0.lines.values.reduce(0) { $0 + $1.waiting.count } } }

  /// Whether a waiter must be served before this position.
  func isPreceded(_ key: String, _ position: WaitingPosition) -> Bool {
    state.withLock { state in
      guard let first = state.lines[key]?.waiting.first else { return false }
      return first < position
    }
  }

  /// Waits for a place. Throws ``Refusal``, and `CancellationError` at once when the task is cancelled.
  ///
  /// - Parameters:
  ///   - limit: the number of places of this key from now on.
  ///   - number: the order of arrival, from ``number()``.
  ///   - maximumWait: nil waits without limit; zero or less does not wait.
  ///   - isBack: whether the request has had a place and returns to the queue, which is never full for it.
  func take(
    _ key: String, limit: Int, priority: RequestPriority, number: Int, maximumWait: Duration?, isBack: Bool = false
  ) async throws -> Place {
    if try takeNow(key, limit: limit, maximumWait: maximumWait) { return Place(self, key) }
    let position = WaitingPosition(priority: priority, number: number)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait(continuation, key, limit: limit, at: position, maximumWait: maximumWait, isBack: isBack)
      }
    } onCancel: {
      leave(key, position, CancellationError())
    }
    return Place(self, key)
  }

  /// Sets the number of places.
  func setLimit(_ limit: Int, of key: String) {
    let granted = state.withLock { state in
      state.lines[key]?.limit = limit
      return state.lines[key]?.grant() ?? []
    }
    resume(granted)
  }

  private func takeNow(_ key: String, limit: Int, maximumWait: Duration?) throws -> Bool {
    try Task.checkCancellation()
    return try state.withLock { state in
      var line = state.lines[key] ?? Line(limit: limit)
      line.limit = limit
      let isFree = line.used < limit && line.waiting.isEmpty
      if isFree { line.used += 1 }
      if isFree || state.lines[key] != nil { state.lines[key] = line }
      guard !isFree else { return true }
      if let maximumWait, maximumWait <= .zero { throw Refusal.full(waiting: line.waiting.count) }
      return false
    }
  }

  private func wait(
    _ continuation: CheckedContinuation<Void, any Error>, _ key: String, limit: Int, at position: WaitingPosition,
    maximumWait: Duration?, isBack: Bool
  ) {
    let outcome: Result<[Waiter], any Error> = state.withLock { state in
      // Checked under the lock: a later cancellation finds the waiter.
      guard !Task.isCancelled else { return .failure(CancellationError()) }
      var line = state.lines[key] ?? Line(limit: limit)
      guard isBack || line.waiting.count < maximumWaiting else { return .failure(Refusal.full(waiting: line.waiting.count)) }
      let timer = maximumWait.map { wait in
        Task { [weak self, clock] in
          guard (try? await clock.sleep(for: wait.withinClocks)) != nil else { return }
          self?.leave(key, position, Refusal.expired)
        }
      }
      line.waiting.add(Waiter(continuation: continuation, timer: timer), at: position)
      // A place may have become free since the first check.
      let granted = line.grant()
      state.lines[key] = line
      return .success(granted)
    }
    switch outcome {
    case .success(let granted): resume(granted)
    case .failure(let error): continuation.resume(throwing: error)
    }
  }

  private func leave(_ key: String, _ position: WaitingPosition, _ error: any Error) {
    let waiter = state.withLock { $0.lines[key]?.waiting.remove(position) }
    waiter?.timer?.cancel()
    waiter?.continuation.resume(throwing: error)
  }

  fileprivate func giveBack(_ key: String) {
    let granted = state.withLock { state in
      guard var line = state.lines[key] else { return [Waiter]() }
      line.used -= 1
      let granted = line.grant()
      state.lines[key] = line.used == 0 && line.waiting.isEmpty ? nil : line
      return granted
    }
    resume(granted)
  }

  private func resume(_ granted: [Waiter]) {
    for waiter in granted {
      waiter.timer?.cancel()
      waiter.continuation.resume()
    }
  }
}

/// A place of ``Places``. It is given back once: explicitly, or when it is released.
final class Place: Sendable {
  private let places: Places
  private let key: String
  private let isGivenBack = Atomic(false)

  init(_ places: Places, _ key: String) {
    self.places = places
    self.key = key
  }

  deinit { giveBack() }

  func giveBack() {
    if !isGivenBack.exchange(true, ordering: .acquiringAndReleasing) { places.giveBack(key) }
  }
}

private import Synchronization

/// Coalesces concurrent calls: the work runs once at a time, and all callers get its result.
///
/// A cancelled caller stops waiting at once. When no caller waits any longer, the work is cancelled. The next caller then
/// starts new work, which begins after the old work has ended: work that ignores cancellation delays it.
package final class SingleFlight<Value: Sendable>: Sendable {
  private struct Flight {
    let number: Int
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
  }

  private struct State {
    /// The work that callers can join; nil if there is none or it was abandoned.
    var flight: Flight?
    /// The task that was started last, abandoned or not. It ends after all earlier tasks.
    var last: Task<Void, Never>?
    var nextNumber = 0
    var nextWaiter = 0
  }

  private let state = Mutex(State())
  private let executor: (any TaskExecutor)?

  /// - Parameter executor: the executor of the work. Tests pass an executor that runs on demand.
  package init(on executor: (any TaskExecutor)? = nil) { self.executor = executor }

  /// The number of waiting callers.
  package var waiterCount: Int { state.withLock { $0.flight?.waiters.count ?? 0 } }

  /// Joins the work in flight, or starts it.
  package func value(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait($0, as: waiter, for: work) }
    } onCancel: {
      leave(waiter)
    }
  }

  private func wait(
    _ continuation: CheckedContinuation<Value, any Error>, as waiter: Int, for work: @escaping @Sendable () async throws -> Value
  ) {
    let isCancelled = state.withLock { state in
      // Checked under the lock: a cancellation from now on finds the waiter.
      guard !Task.isCancelled else { return true }
      if state.flight == nil {
        state.nextNumber += 1
        let number = state.nextNumber
        state.flight = Flight(number: number)
        state.last = Task(executorPreference: executor) { [self, last = state.last] in
          await last?.value
          do {
            try Task.checkCancellation()
            end(number, .success(try await work()))
          } catch {
            end(number, .failure(error))
          }
        }
      }
      state.flight?.waiters[waiter] = continuation
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  private func leave(_ waiter: Int) {
    let (continuation, abandoned) = state.withLock { state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
      guard let continuation = state.flight?.waiters.removeValue(forKey: waiter) else { return (nil, nil) }
      guard state.flight?.waiters.isEmpty == true else { return (continuation, nil) }
      state.flight = nil
      return (continuation, state.last)
    }
    abandoned?.cancel()
    continuation?.resume(throwing: CancellationError())
  }

  private func end(_ number: Int, _ outcome: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      // The work was abandoned, and another caller may have started new work.
      guard state.flight?.number == number else { return [CheckedContinuation<Value, any Error>]() }
      defer { state.flight = nil }
      return state.flight.map { Array($0.waiters.values) } ?? []
    }
    for waiter in waiters { waiter.resume(with: outcome) }
  }
}

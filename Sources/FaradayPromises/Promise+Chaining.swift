internal import Synchronization

/// Methods that derive new promises from this promise. Errors propagate to the derived promises. Cancelling a derived promise
/// releases this promise, see ``cancel()``.
extension Promise {
  /// Transforms the value with a closure. An error that the closure throws becomes the outcome.
  public func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) -> Promise<New> {
    derive { outcome, derived in
      derived.beginSettling(outcome.flatMap { value in Result { try transform(value) } })
    }
  }

  /// Continues with an asynchronous closure, which gets the value. The closure's result or error becomes the outcome.
  public func then<New>(_ next: @escaping @Sendable @concurrent (Value) async throws -> New) -> Promise<New> {
    derive { outcome, derived in
      switch outcome {
      case .success(let value):
        derived.run { try await next(value) }
        return []
      case .failure(let error):
        return derived.beginSettling(.failure(error))
      }
    }
  }

  /// Continues with the promise that the closure returns. A function whose closure calls the function again is a loop. The loop
  /// does not overflow the stack, whatever its length, and wherever its promises are settled. Until it ends, it keeps one
  /// promise of each turn: for a loop without an end, use a task with an `async` loop.
  public func flatMap<New>(_ next: @escaping @Sendable (Value) throws -> Promise<New>) -> Promise<New> {
    derive { outcome, derived in
      Trampoline.current.run {
        // Cancelled while the step waited.
        guard !derived.isCancelled else { return [] }
        do {
          return derived.observeUntilCancelled(try next(outcome.get())) { derived.beginSettling($0) ?? [] }
        } catch {
          return derived.beginSettling(.failure(error)) ?? []
        }
      }
    }
  }

  /// Replaces an error by the result or error of the asynchronous closure. The closure is not called for a `CancellationError`.
  public func recover(_ recovery: @escaping @Sendable @concurrent (any Error) async throws -> Value) -> Promise {
    derive { outcome, derived in
      switch outcome {
      case .failure(let error) where !(error is CancellationError):
        derived.run { try await recovery(error) }
        return []
      default:
        return derived.beginSettling(outcome)
      }
    }
  }

  /// Calls the closure with the value, before the returned promise settles with this promise's outcome.
  public func tap(_ look: @escaping @Sendable (Value) -> Void) -> Promise {
    derive { outcome, derived in
      if case .success(let value) = outcome { look(value) }
      return derived.beginSettling(outcome)
    }
  }

  /// Calls the closure before the returned promise settles, for every outcome, including cancellation (`finally`). Cancelled
  /// work may still be running then: do not release its resources in the closure.
  public func ensure(_ cleanUp: @escaping @Sendable () -> Void) -> Promise {
    let ensured = Promise(reports: reports)
    ensured.state.withLock { $0.cleanUp = cleanUp }
    Step.runAll(ensured.observeUntilCancelled(self) { ensured.beginSettling($0) ?? [] })
    return ensured
  }
}

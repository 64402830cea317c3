internal import Synchronization

/// Promises derived from this one. Errors propagate through them; cancelling one releases this one, see ``cancel()``.
extension Promise {
  /// Transforms the value with a closure; an error that it throws is the outcome.
  public func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) -> Promise<New> {
    derive { outcome, derived in
      derived.beginSettling(outcome.flatMap { value in Result { try transform(value) } })
    }
  }

  /// Continues with an asynchronous closure, which is called with the value; what it returns or throws is the outcome.
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

  /// Continues with the promise that the closure returns. A function whose closure calls it again is a loop: it does not
  /// overflow the stack, however long it is and wherever its promises are settled.
  public func flatMap<New>(_ next: @escaping @Sendable (Value) throws -> Promise<New>) -> Promise<New> {
    derive { outcome, derived in
      Trampoline.current.run {
        // Cancelled while it waited.
        guard !derived.isCancelled else { return [] }
        do {
          return derived.observeUntilCancelled(try next(outcome.get())) { derived.beginSettling($0) ?? [] }
        } catch {
          return derived.beginSettling(.failure(error)) ?? []
        }
      }
    }
  }

  /// Replaces an error by what the asynchronous closure returns or throws. Not called for a `CancellationError`.
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

  /// Calls the closure with the value, before the returned promise is settled with the same outcome.
  public func tap(_ look: @escaping @Sendable (Value) -> Void) -> Promise {
    derive { outcome, derived in
      if case .success(let value) = outcome { look(value) }
      return derived.beginSettling(outcome)
    }
  }

  /// Calls the closure before the returned promise is settled with the same outcome, whatever it is, cancellation included, as
  /// `finally` does. Cancelled work may still be ending then: do not release what it uses.
  public func ensure(_ cleanUp: @escaping @Sendable () -> Void) -> Promise {
    let ensured = Promise()
    ensured.state.withLock { $0.cleanUp = cleanUp }
    Step.runAll(ensured.observeUntilCancelled(self) { ensured.beginSettling($0) ?? [] })
    return ensured
  }
}

internal import Synchronization

/// Promises made of promises. Each lets go of the one before when it is cancelled; errors pass through.
extension Promise {
  /// A promise for what the closure makes of the value.
  public func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) -> Promise<New> {
    derive { outcome, derived in
      derived.begin(outcome.flatMap { value in Result { try transform(value) } })
    }
  }

  /// A promise for what the asynchronous closure, called with the value, returns.
  public func then<New>(_ next: @escaping @Sendable @concurrent (Value) async throws -> New) -> Promise<New> {
    derive { outcome, derived in
      switch outcome {
      case .success(let value):
        derived.run { try await next(value) }
        return []
      case .failure(let error):
        return derived.begin(.failure(error))
      }
    }
  }

  /// A promise with the outcome of the promise that the closure makes of the value. A function whose closure calls it again is a
  /// loop: however long it is and wherever its promises are settled, it does not fill the stack.
  public func flatMap<New>(_ next: @escaping @Sendable (Value) throws -> Promise<New>) -> Promise<New> {
    derive { outcome, derived in
      Nesting.current.run {
        // Cancelled while it waited.
        guard !derived.isCancelled else { return [] }
        do {
          return derived.follow(try next(outcome.get())) { derived.begin($0) ?? [] }
        } catch {
          return derived.begin(.failure(error)) ?? []
        }
      }
    }
  }

  /// A promise that has what the asynchronous closure makes of the error, if it comes to one. The closure is not called for a
  /// `CancellationError`: nobody waits for a value any more.
  public func recover(_ recovery: @escaping @Sendable @concurrent (any Error) async throws -> Value) -> Promise {
    derive { outcome, derived in
      switch outcome {
      case .failure(let error) where !(error is CancellationError):
        derived.run { try await recovery(error) }
        return []
      default:
        return derived.begin(outcome)
      }
    }
  }

  /// A promise with the same outcome; the closure has seen the value before anybody who waits for it.
  public func tap(_ look: @escaping @Sendable (Value) -> Void) -> Promise {
    derive { outcome, derived in
      if case .success(let value) = outcome { look(value) }
      return derived.begin(outcome)
    }
  }

  /// A promise with the same outcome; the closure has been called before anybody hears of it, whatever it is, cancellation
  /// included. Work that was cancelled may still be ending then: what it uses is not for this closure to take away.
  public func ensure(_ cleanUp: @escaping @Sendable () -> Void) -> Promise {
    let ensured = Promise()
    ensured.state.withLock { $0.cleanUp = cleanUp }
    Step.runAll(ensured.follow(self) { ensured.begin($0) ?? [] })
    return ensured
  }
}

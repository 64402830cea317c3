internal import Synchronization

extension Promise {
  /// An ID for a new observer.
  func reserve() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Adds an observer. If the promise is settled already, returns the steps to run now.
  ///
  /// - Parameter keepsWorkAlive: whether the observer prevents cancellation of the work.
  func observe(_ id: Int, keepsWorkAlive: Bool = true, _ call: @escaping @Sendable (Outcome) -> [Step]) -> [Step] {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.observers.append(Observer(id: id, keepsWorkAlive: keepsWorkAlive, call: call)) }
      return state.outcome
    }
    return outcome.map(call) ?? []
  }

  /// Calls the closure with the outcome, immediately if the promise is settled already.
  func whenSettled(keepsWorkAlive: Bool = true, _ call: @escaping @Sendable (Outcome) -> Void) {
    let steps = observe(reserve(), keepsWorkAlive: keepsWorkAlive) { outcome in
      call(outcome)
      return []
    }
    Step.runAll(steps)
  }

  /// Removes an observer. Cancels the work if no other observer keeps it alive.
  func release(_ id: Int) -> [Step] {
    // Atomic, so that no observer is added in between. The observer is deallocated outside the lock.
    let (isUnwanted, _) = state.withLock { state -> (Bool, Observer?) in
      guard let place = state.observers.firstIndex(where: { $0.id == id }) else { return (false, nil) }
      let released = state.observers.remove(at: place)
      return (!state.observers.contains(where: \.keepsWorkAlive) && state.claim(cancelling: true), released)
    }
    return isUnwanted ? publish(.failure(CancellationError())) : []
  }

  /// A new promise that the closure settles with this promise's outcome. Cancelling the new promise releases this promise.
  ///
  /// This promise retains the derived promise and not the reverse, so there is no reference cycle. The running work keeps both
  /// alive.
  func derive<New>(_ react: @escaping @Sendable (Outcome, Promise<New>) -> [Step]?) -> Promise<New> {
    let derived = Promise<New>(reports: reports)
    let steps = derived.observeUntilCancelled(self) { outcome in
      // Starts nothing if the derived promise was cancelled meanwhile.
      derived.isCancelled ? [] : react(outcome, derived) ?? []
    }
    Step.runAll(steps)
    return derived
  }

  /// Observes another promise until this promise is cancelled.
  func observeUntilCancelled<Other>(
    _ other: Promise<Other>, _ call: @escaping @Sendable (Promise<Other>.Outcome) -> [Step]
  ) -> [Step] {
    let id = other.reserve()
    onCancel { [weak other] in other?.release(id) ?? [] }
    let steps = other.observe(id, call)
    // Cancelled before the observer was added.
    return isCancelled ? steps + other.release(id) : steps
  }

  /// Observes another promise until this promise is settled.
  func observeUntilSettled<Other>(_ other: Promise<Other>, _ call: @escaping @Sendable (Promise<Other>.Outcome) -> [Step]?) {
    let id = other.reserve()
    Step.runAll(other.observe(id) { call($0) ?? [] })
    Step.runAll(observe(reserve(), keepsWorkAlive: false) { [weak other] _ in other?.release(id) ?? [] })
  }
}

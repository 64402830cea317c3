internal import Synchronization

extension Promise {
  /// A number for an observer to come.
  func reserve() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Calls the closure with the outcome; if there is one already, gives what is to be done about it now.
  ///
  /// - Parameter waits: whether the work is worth going on for it.
  func observe(_ id: Int, waits: Bool = true, _ call: @escaping @Sendable (Outcome) -> [Step]) -> [Step] {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.observers.append(Observer(id: id, waits: waits, call: call)) }
      return state.outcome
    }
    return outcome.map(call) ?? []
  }

  /// Calls the closure with the outcome, at once if there is one.
  func tell(waits: Bool = true, _ call: @escaping @Sendable (Outcome) -> Void) {
    let steps = observe(reserve(), waits: waits) { outcome in
      call(outcome)
      return []
    }
    Step.runAll(steps)
  }

  /// Takes an observer away; the last that waited takes the work with it.
  func release(_ id: Int) -> [Step] {
    // In one go, so that nobody comes in between; and the observer itself goes when the lock is no longer held.
    let (isUnwanted, _) = state.withLock { state -> (Bool, Observer?) in
      guard let place = state.observers.firstIndex(where: { $0.id == id }) else { return (false, nil) }
      let released = state.observers.remove(at: place)
      return (!state.observers.contains(where: \.waits) && state.claim(cancelling: true), released)
    }
    return isUnwanted ? publish(.failure(CancellationError())) : []
  }

  /// A promise that the closure settles once this one has an outcome, and that lets go of this one when it is cancelled before.
  ///
  /// This one holds it and not the other way round: there is no cycle, and what keeps both alive is the work.
  func derive<New>(_ react: @escaping @Sendable (Outcome, Promise<New>) -> [Step]?) -> Promise<New> {
    let derived = Promise<New>()
    let steps = derived.follow(self) { outcome in
      // Cancelled while this was on its way: nothing begins for it any more.
      derived.isCancelled ? [] : react(outcome, derived) ?? []
    }
    Step.runAll(steps)
    return derived
  }

  /// Observes another promise until this one is cancelled.
  func follow<Other>(
    _ other: Promise<Other>, _ call: @escaping @Sendable (Promise<Other>.Outcome) -> [Step]
  ) -> [Step] {
    let id = other.reserve()
    onCancel { [weak other] in other?.release(id) ?? [] }
    let steps = other.observe(id, call)
    // Cancelled before there was an observer to take away.
    return isCancelled ? steps + other.release(id) : steps
  }

  /// Observes another promise until this one is settled.
  func attend<Other>(_ other: Promise<Other>, _ call: @escaping @Sendable (Promise<Other>.Outcome) -> [Step]?) {
    let id = other.reserve()
    Step.runAll(other.observe(id) { call($0) ?? [] })
    Step.runAll(observe(reserve(), waits: false) { [weak other] _ in other?.release(id) ?? [] })
  }
}

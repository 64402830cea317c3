internal import Synchronization

/// A unit of work that returns the steps to run next. A chain of promises is settled iteratively, so that a long chain does not
/// overflow the stack.
struct Step: Sendable {
  let run: @Sendable () -> [Step]

  /// Runs the steps in order. The steps that a step returns run before the next step.
  static func runAll(_ steps: [Step]) {
    var rest: [Step] = steps.reversed()
    while let step = rest.popLast() { rest += step.run().reversed() }
  }
}

extension Promise {
  /// Settles the promise. Returns false if it is settled already.
  @discardableResult
  func settle(_ outcome: Outcome) -> Bool {
    guard let steps = beginSettling(outcome) else { return false }
    Step.runAll(steps)
    return true
  }

  /// Settles the promise, and returns the steps to run next; nil if it is settled already.
  func beginSettling(_ outcome: Outcome, cancelling: Bool = false) -> [Step]? {
    state.withLock { $0.claim(cancelling: cancelling) } ? publish(outcome) : nil
  }

  /// Publishes the outcome of a promise that was claimed.
  func publish(_ outcome: Outcome) -> [Step] {
    let cleanUp = state.withLock { state in
      defer { state.cleanUp = nil }
      return state.cleanUp
    }
    cleanUp?()
    let (observers, cancelWork, isCancelled) = state.withLock { state in
      state.outcome = outcome
      defer {
        state.observers = []
        state.cancelWork = nil
      }
      return (state.observers, state.cancelWork, state.isCancelled)
    }
    let steps = observers.map { observer in Step { observer.call(outcome) } }
    guard isCancelled, let cancelWork else { return steps }
    return [Step(run: cancelWork)] + steps
  }

  /// Runs the work in a task that settles the promise. Cancelling the promise cancels the task.
  func run(priority: TaskPriority? = nil, _ work: @escaping @Sendable @concurrent () async throws -> Value) {
    let task = Task(priority: priority) {
      do { settle(.success(try await work())) } catch { settle(.failure(error)) }
    }
    onCancel {
      task.cancel()
      return []
    }
  }

  /// Replaces the closure that cancels the work. Calls the closure at once if the promise is cancelled already.
  func onCancel(_ cancelWork: @escaping @Sendable () -> [Step]) {
    // The old closure is deallocated outside the lock: it may release the last reference to an object with a promise.
    let (isLate, _) = state.withLock { state in
      guard !state.isClaimed else { return (state.isCancelled, state.cancelWork) }
      defer { state.cancelWork = cancelWork }
      return (false, state.cancelWork)
    }
    if isLate { Step.runAll(cancelWork()) }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }
}

extension Promise.State {
  /// Claims the right to settle the promise. Returns true for exactly one caller.
  mutating func claim(cancelling: Bool) -> Bool {
    guard !isClaimed else { return false }
    isClaimed = true
    isCancelled = cancelling
    return true
  }
}

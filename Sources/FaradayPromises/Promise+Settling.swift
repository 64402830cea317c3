internal import Synchronization

/// Something to do, and what comes of it to be done next. A chain of promises is settled step by step and not one within the other:
/// a long one does not fill the stack.
struct Step: Sendable {
  let run: @Sendable () -> [Step]

  /// Runs the steps in their order, each with all that comes of it before the next.
  static func runAll(_ steps: [Step]) {
    var rest: [Step] = steps.reversed()
    while let step = rest.popLast() { rest += step.run().reversed() }
  }
}

extension Promise {
  /// Gives the promise its outcome, unless it has one; whether it had none.
  @discardableResult
  func settle(_ outcome: Outcome) -> Bool {
    guard let steps = begin(outcome) else { return false }
    Step.runAll(steps)
    return true
  }

  /// Gives the promise its outcome, and gives what is to be done then; nil if it has one already.
  func begin(_ outcome: Outcome, cancelling: Bool = false) -> [Step]? {
    state.withLock { $0.claim(cancelling: cancelling) } ? publish(outcome) : nil
  }

  /// Gives a promise that was claimed its outcome.
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

  /// Settles the promise with what the work gives, and cancels the work with the promise.
  func run(priority: TaskPriority? = nil, _ work: @escaping @Sendable @concurrent () async throws -> Value) {
    let task = Task(priority: priority) {
      do { settle(.success(try await work())) } catch { settle(.failure(error)) }
    }
    onCancel {
      task.cancel()
      return []
    }
  }

  /// Says what cancels the work, in the place of what was said before; called at once if the promise is cancelled already.
  func onCancel(_ cancelWork: @escaping @Sendable () -> [Step]) {
    // What it takes the place of goes when the lock is no longer held: with it may go the last of something that has a promise.
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
  /// Whoever gets true settles the promise.
  mutating func claim(cancelling: Bool) -> Bool {
    guard !isClaimed else { return false }
    isClaimed = true
    isCancelled = cancelling
    return true
  }
}

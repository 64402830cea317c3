internal import Synchronization

/// Requests pages before they are asked for: a chain of tasks, each of which begins when the one before has its page. Releasing
/// it cancels them.
final class PagesAhead: Sendable {
  /// A page, nil after the last one, and how it goes on from there.
  private struct Step: Sendable {
    let page: Response?
    let walk: Connection.Pages.Walk
  }

  private struct State {
    var steps: [Task<Step, any Error>] = []
    var last: Task<Step, any Error>?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let start: Connection.Pages.Walk
  private let count: Int

  init(_ start: Connection.Pages.Walk, count: Int) {
    self.start = start
    self.count = count
  }

  deinit { cancel() }

  /// The next page in order; nil after the last one, and after an error.
  func next() async throws -> Response? {
    try Task.checkCancellation()
    guard let step = advance() else { return nil }
    do {
      return try await withTaskCancellationHandler {
        try await step.value.page
      } onCancel: {
        step.cancel()
        cancel()
      }
    } catch {
      cancel()
      throw error
    }
  }

  /// Starts as many steps as may be ahead of the first one, and takes that.
  private func advance() -> Task<Step, any Error>? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      // Compared before the sum: the number is the caller's.
      while state.steps.isEmpty || state.steps.count - 1 < min(count, 1000) {
        let step = Task { [start, last = state.last] in
          var walk = start
          if let last {
            let before = try await last.value
            guard before.page != nil else { return before }
            walk = before.walk
          }
          try Task.checkCancellation()
          let page = try await walk.next()
          return Step(page: page, walk: walk)
        }
        state.last = step
        state.steps.append(step)
      }
      return state.steps.removeFirst()
    }
  }

  private func cancel() {
    let steps = state.withLock { state in
      state.hasEnded = true
      defer { (state.steps, state.last) = ([], nil) }
      return state.steps + (state.last.map { [$0] } ?? [])
    }
    for step in steps { step.cancel() }
  }
}

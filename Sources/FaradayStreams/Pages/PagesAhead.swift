internal import FaradayCore
internal import Synchronization

/// Requests pages in advance: a chain of tasks, each of which begins when the previous one has its page. Releasing it cancels
/// them.
final class PagesAhead: Sendable {
  /// A page and the walk from there; the page is nil after the last one.
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

  /// Returns the next page in order; nil after the last page, and after an error.
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

  /// Starts the permitted number of steps in advance, and returns the first one.
  private func advance() -> Task<Step, any Error>? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      // Compared before the sum, which could overflow: the caller chooses the number.
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

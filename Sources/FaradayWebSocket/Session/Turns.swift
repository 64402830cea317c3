internal import Synchronization

/// Lets one task at a time send a message, in the order of their calls: the fragments of a message must not be mixed with those
/// of another. Thread-safe.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var isClosed = false
    var lastNumber = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Answer, Never>)] = []
  }

  private enum Answer { case turn, cancelled, closed }

  private let state = Mutex(State())

  /// Waits for a turn. Throws `CancellationError` if the task is cancelled before, and ``WebSocketError/Reason/notOpen`` if
  /// ``close()`` is called before.
  func take() async throws {
    try Task.checkCancellation()
    let number = try state.withLock { state -> Int? in
      if state.isClosed { throw Problem(reason: .notOpen) }
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return }
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Answer? in
          if state.isClosed { return .closed }
          // The cancellation handler may have run already.
          if Task.isCancelled { return .cancelled }
          guard state.isTaken else {
            state.isTaken = true
            return .turn
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let cancelled = state.withLock { state -> CheckedContinuation<Answer, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return state.waiting.remove(at: index).continuation
      }
      cancelled?.resume(returning: .cancelled)
    }
    switch answer {
    case .turn: return
    case .cancelled: throw CancellationError()
    case .closed: throw Problem(reason: .notOpen)
    }
  }

  /// Refuses the tasks that wait for a turn, and all later ones.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for task in waiting { task.continuation.resume(returning: .closed) }
  }

  /// Ends the turn: the next task continues.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Answer, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: .turn)
  }
}

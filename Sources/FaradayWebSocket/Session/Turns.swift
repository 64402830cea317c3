internal import Synchronization

/// Lets one task at a time send a message, in the order of their calls: the fragments of a message must not be mixed with those
/// of another. Thread-safe.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var lastNumber = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  /// Waits for a turn. Throws `CancellationError` if the task is cancelled before.
  func take() async throws {
    try Task.checkCancellation()
    let number = state.withLock { state -> Int? in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // The cancellation handler may have run already.
          if Task.isCancelled { return false }
          guard state.isTaken else {
            state.isTaken = true
            return true
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let cancelled = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return state.waiting.remove(at: index).continuation
      }
      cancelled?.resume(returning: false)
    }
    guard hasTurn else { throw CancellationError() }
  }

  /// Ends the turn: the next task continues.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}

@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// Broadcasts progress reports to handlers in order, and replays the last one to late handlers. Thread-safe.
final class Reports: Sendable {
  typealias Handler = @Sendable (TransferProgress) -> Void

  private let state = Mutex(State())

  private struct State {
    var last: TransferProgress?
    var handlers: [Handler] = []
    var ends: [@Sendable () -> Void] = []
    var hasEnded = false
    var calls = Fifo<@Sendable () -> Void>()
    var isCalling = false
  }

  func report(_ progress: TransferProgress) {
    call { state in
      state.last = progress
      return state.handlers.map { handler in { handler(progress) } }
    }
  }

  /// - Parameter end: called after the last report.
  func add(_ handler: @escaping Handler, end: (@Sendable () -> Void)? = nil) {
    call { state in
      let last = state.last.map { last in [{ @Sendable in handler(last) }] } ?? []
      guard !state.hasEnded else { return last + (end.map { [$0] } ?? []) }
      state.handlers.append(handler)
      if let end { state.ends.append(end) }
      return last
    }
  }

  /// Releases the handlers, and keeps the last report.
  func end() {
    // The handlers are deallocated outside the lock: they may release the last reference to an object with a promise.
    let gone = state.withLock { state in
      defer { (state.handlers, state.ends) = ([], []) }
      state.hasEnded = true
      return (state.handlers, state.ends)
    }
    if !gone.1.isEmpty { call { _ in gone.1 } }
  }

  /// Calls handlers in the order of the reports, without holding the lock. One thread at a time calls all queued handlers.
  private func call(_ newCalls: (inout State) -> [@Sendable () -> Void]) {
    var mayCall = state.withLock { state in
      for call in newCalls(&state) { state.calls.append(call) }
      defer { state.isCalling = true }
      return !state.isCalling
    }
    while mayCall {
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        let next = state.calls.popFirst()
        state.isCalling = next != nil
        return next
      }
      next?()
      mayCall = next != nil
    }
  }
}

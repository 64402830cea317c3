private import Synchronization

/// The revalidations in the background: one at a time for each response, with a bounded total.
final class Revalidations: Sendable {
  private struct State {
    var keys: Set<CacheKey> = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Runs the work in a separate task, unless it is already running or the maximum is reached.
  func begin(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) {
    let isNew = state.withLock { state in
      guard state.keys.count < limit else { return false }
      return state.keys.insert(key).inserted
    }
    guard isNew else { return }
    Task {
      await work()
      end(key)
    }
  }

  private func end(_ key: CacheKey) {
    let waiters = state.withLock { state in
      state.keys.remove(key)
      guard state.keys.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until no revalidation is running.
  func ended() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if !state.keys.isEmpty { state.waiters.append(continuation) }
        return state.keys.isEmpty
      }
      if isIdle { continuation.resume() }
    }
  }
}

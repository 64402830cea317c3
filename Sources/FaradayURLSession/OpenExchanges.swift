@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// The open exchanges of an adapter, and the counts of ended exchanges, for statistics and shutdown. Thread-safe.
final class OpenExchanges: Sendable {
  private struct State {
    var open: [ObjectIdentifier: Exchange] = [:]
    var ended = AdapterStatistics()
    var isDraining = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  let bytesSent = Atomic<Int64>(0)
  let bytesReceived = Atomic<Int64>(0)
  private let state = Mutex(State())

  /// Adds an exchange. Returns false if the adapter is being shut down.
  func begin(_ exchange: Exchange) -> Bool {
    state.withLock { state in
      guard !state.isDraining else { return false }
      state.open[ObjectIdentifier(exchange)] = exchange
      return true
    }
  }

  /// Notes that an exchange has ended. Called once for each exchange.
  func end(_ exchange: Exchange, _ outcome: Result<Void, any Error>) {
    let error: (any Error)? = if case .failure(let error) = outcome { error } else { nil }
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.ended.count(error)
      state.open[ObjectIdentifier(exchange)] = nil
      guard state.open.isEmpty else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// The statistics so far, with this number of active exchanges.
  func statistics(active: Int) -> AdapterStatistics {
    let (ended, open) = state.withLock { ($0.ended, $0.open.count) }
    var statistics = ended
    statistics.active = min(active, open)
    statistics.queued = open - statistics.active
    statistics.bytesSent = bytesSent.load(ordering: .relaxed)
    statistics.bytesReceived = bytesReceived.load(ordering: .relaxed)
    return statistics
  }

  /// See ``URLSessionAdapter/shutdown(deadline:)``.
  func drain(until deadline: ContinuousClock.Instant) async -> Int {
    state.withLock { $0.isDraining = true }
    return await Draining.drain(until: deadline) {
      await self.untilEmpty()
    } cut: {
      // Outside the lock, because each call calls `end`. Queued exchanges first: otherwise they would get the slots of aborted
      // exchanges, and be sent.
      let open = self.state.withLock { Array($0.open.values) }
      return open.count { $0.cut(onlyQueued: true) } + open.count { $0.cut() }
    }
  }

  private func untilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.open.isEmpty { state.waiting.append(continuation) }
        return state.open.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}

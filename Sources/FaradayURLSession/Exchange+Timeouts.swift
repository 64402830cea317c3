internal import FaradayCore
internal import Synchronization

extension Exchange {
  /// Ends the exchange when it takes too long. URLSession's own timers count whole seconds, and on Linux not all of them.
  func watchdog(total: Duration?) -> Task<Void, Never>? {
    let idle = request.options.timeouts.idle
    guard idle != nil || total != nil else { return nil }
    return Task { [weak self] in
      while let wait = self?.untilTimeout(idle: idle, total: total) {
        guard (try? await Task.sleep(for: wait, tolerance: .zero)) != nil else { return }
      }
    }
  }

  /// How long until it may be too late; nil if it is, or if it has ended.
  private func untilTimeout(idle: Duration?, total: Duration?) -> Duration? {
    let now = ContinuousClock.now
    let waitsForCaller = waitsForCaller
    let (started, lastActivity, hasEnded) = state.withLock { state in
      if waitsForCaller { state.lastActivity = now }
      return (state.started, state.lastActivity, state.outcome != nil)
    }
    guard !hasEnded else { return nil }
    var wait = Duration.seconds(3600)
    if let total {
      wait = min(wait, total - (now - started))
      if wait <= .zero {
        fail(error(.totalTimeout, "the exchange took longer than \(total)"))
        return nil
      }
    }
    if let idle {
      let left = idle - (now - lastActivity)
      if left <= .zero {
        fail(error(.idleTimeout, "no byte moved for \(idle)"))
        return nil
      }
      wait = min(wait, left)
    }
    return wait
  }
}

internal import FaradayCore
internal import Synchronization

extension Exchange {
  /// Ends the exchange when it takes too long. URLSession's own timers count whole seconds, and on Linux not all of them. Called
  /// again when there is something new to watch.
  func watch() {
    let idle = request.options.timeouts.idle
    let queue = request.options.timeouts.queue
    let total = request.options.timeouts.total ?? session.settings.total
    guard idle != nil || total != nil || queue != nil else { return }
    let watchdog = Task { [weak self] in
      while let wait = self?.untilTimeout(queue: queue, idle: idle, total: total) {
        guard (try? await Task.sleep(for: wait, tolerance: .zero)) != nil else { return }
      }
    }
    let former = state.withLock { state in
      defer { state.watchdog = watchdog }
      return state.outcome == nil ? state.watchdog : watchdog
    }
    former?.cancel()
  }

  /// How long until it may be too late; nil if it is, or if it has ended.
  private func untilTimeout(queue: Duration?, idle: Duration?, total: Duration?) -> Duration? {
    let now = ContinuousClock.now
    let (started, waitsSince, lastActivity, hasEnded) = state.withLock { state in
      // The caller's source is what it waits for, or its turn.
      if state.task == nil { state.lastActivity = now }
      return (state.started, state.waitsSince, state.lastActivity, state.outcome != nil)
    }
    guard !hasEnded else { return nil }
    var wait = Duration.seconds(3600)
    if let queue, let waitsSince {
      let left = queue - (now - waitsSince)
      if left <= .zero { failWaiting(error(.queueTimeout, "it had no turn within \(queue)", phase: .building)) }
      if left > .zero { wait = min(wait, left) }
    }
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

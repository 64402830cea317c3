@_spi(Adapters) internal import FaradayCore
internal import Synchronization

extension Exchange {
  /// Starts a watchdog task for the timeouts, and replaces an earlier watchdog. URLSession's own timers have whole seconds, and
  /// some do not work on Linux.
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

  /// The time until the next timeout may expire; nil if a timeout has expired, or the exchange has ended.
  private func untilTimeout(queue: Duration?, idle: Duration?, total: Duration?) -> Duration? {
    let now = ContinuousClock.now
    let (started, waitsSince, lastActivity, hasEnded) = state.withLock { state in
      // The time before the task starts does not count as idle: waiting for the caller's body source, or in the queue.
      if state.task == nil { state.lastActivity = now }
      return (state.started, state.waitsSince, state.lastActivity, state.outcome != nil)
    }
    guard !hasEnded else { return nil }
    var wait = Duration.seconds(3600)
    if let queue, let waitsSince {
      let left = queue - (now - waitsSince)
      if left <= .zero {
        failQueued(error(.queueTimeout, "the request waited longer than \(queue) for a free connection", phase: .building))
      }
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
        fail(error(.idleTimeout, "no byte was sent or received for \(idle)"))
        return nil
      }
      wait = min(wait, left)
    }
    return wait
  }
}

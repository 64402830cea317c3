internal import CCurl
internal import FaradayCore

/// When a transfer has taken too long.
extension Transfer {
  /// Sets when it is to be looked at next: when it is over time, or has not been seen moving for half of the idle limit.
  func updateDeadline() {
    let timeouts = request.options.timeouts
    deadline = .max
    if let total = timeouts.total { deadline = submitted + total.nanoseconds }
    switch state {
    case .active:
      guard let idle = timeouts.idle?.nanoseconds else { return }
      deadline = min(deadline, lastActivity + (looked < lastActivity ? idle / 2 : idle))
    case .queued:
      guard let queue = timeouts.queue?.nanoseconds else { return }
      deadline = min(deadline, submitted + queue)
    case .new, .finished: break
    }
  }

  /// The error of what is over time; nil if nothing is.
  func timeout(at now: Int64) -> TransportError? {
    let timeouts = request.options.timeouts
    if let total = timeouts.total, submitted + total.nanoseconds <= now {
      return error(.totalTimeout, "the exchange took longer than \(total)")
    }
    if state == .queued, let queue = timeouts.queue, submitted + queue.nanoseconds <= now {
      return error(.queueTimeout, "the request waited longer than \(queue) for its turn")
    }
    if state == .active, let idle = timeouts.idle, lastActivity + idle.nanoseconds <= now {
      return error(.idleTimeout, "no byte moved for \(idle)")
    }
    return nil
  }

  /// Looks for bytes that move and that libcurl does not tell of: what a slow server takes from the kernel's buffer, and lines
  /// that are not complete. Of a connection that others use as well it tells nothing.
  func lookForMovement(at now: Int64) {
    if waitsForCaller { lastActivity = now }
    guard let connection, !isHTTP2 else {
      looked = now
      return
    }
    let moved = faraday_moved_bytes(connection.descriptor)
    if moved >= 0, looked >= lastActivity, moved != movedBytes { lastActivity = now }
    movedBytes = moved
    looked = now
  }

  /// Whether the caller's side, and not the network, is what the exchange waits for.
  var waitsForCaller: Bool { isReceivePaused || isSendPaused && !isTurnedDown }
}

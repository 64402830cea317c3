internal import FaradayCore
internal import Synchronization

/// Who may have a connection: so many exchanges with one origin at a time, the others in their order.
///
/// URLSession has such a queue itself, and tells nobody when a request leaves it: the time spent there would be counted as idle.
final class Turns: Sendable {
  private let limit: Int
  private let origins = Mutex<[String: Origin]>([:])

  private struct Origin {
    var active = 0
    var waiting = Fifo<Exchange>()
    /// How many of them have ended meanwhile.
    var ended = 0
  }

  init(limit: Int) { self.limit = max(1, limit) }

  var waitingCount: Int { origins.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }
  var originCount: Int { origins.withLock { $0.count } }

  /// Begins the exchange, or lets it wait for others to ``leave(_:)``.
  func enter(_ exchange: Exchange) {
    let mayBegin = origins.withLock { origins in
      var origin = origins.removeValue(forKey: exchange.origin) ?? Origin()
      defer { origins[exchange.origin] = origin }
      guard origin.active < limit else {
        origin.waiting.append(exchange)
        return false
      }
      origin.active += 1
      return true
    }
    if mayBegin, !exchange.begin() { leave(exchange.origin) }
  }

  /// An exchange that had begun has ended: the next one begins.
  func leave(_ key: String) {
    while let next = next(key), !next.begin() {}
  }

  /// An exchange has ended that may still wait. It goes when its turn comes, unless there are many such.
  func abandon(_ key: String) {
    // They go when the lock is no longer held.
    var gone: [Exchange] = []
    origins.withLock { origins in
      guard var origin = origins.removeValue(forKey: key) else { return }
      origin.ended += 1
      if origin.ended > 32, origin.ended * 2 > origin.waiting.count {
        origin.waiting.removeAll { exchange in
          guard exchange.hasEnded else { return false }
          gone.append(exchange)
          return true
        }
        origin.ended = 0
      }
      if origin.active > 0 { origins[key] = origin }
    }
  }

  /// The next that waits, which has the turn that is free now; if there is none nobody has it.
  private func next(_ key: String) -> Exchange? {
    origins.withLock { origins in
      guard var origin = origins.removeValue(forKey: key) else { return nil }
      let next = origin.waiting.popFirst()
      if next == nil { origin.active -= 1 }
      if origin.active > 0 { origins[key] = origin }
      return next
    }
  }
}

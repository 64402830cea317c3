@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// The request queue: limits concurrent exchanges per origin. Further exchanges wait, first in, first out. Thread-safe.
///
/// URLSession has its own queue, but does not report when a request leaves it: the waiting time would count towards the idle
/// timeout.
final class RequestQueue: Sendable {
  private let limit: Int
  private let origins = Mutex<[String: Origin]>([:])

  private struct Origin {
    var active = 0
    var waiting = Fifo<Exchange>()
    /// The number of exchanges in `waiting` that have ended.
    var ended = 0
  }

  init(limit: Int) { self.limit = max(1, limit) }

  var waitingCount: Int { origins.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }
  var activeCount: Int { origins.withLock { $0.values.reduce(0) { $0 + $1.active } } }
  var originCount: Int { origins.withLock { $0.count } }

  /// Starts the exchange, or queues it until another exchange releases its slot (``leave(_:)``).
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

  /// Releases the slot of an exchange that has ended, and starts the next one.
  func leave(_ key: String) {
    while let next = next(key), !next.begin() {}
  }

  /// Notes that a waiting exchange has ended. It is removed when a slot is free, or when many waiting exchanges have ended.
  func noteCancelled(_ key: String) {
    // Deallocated outside the lock.
    var removed: [Exchange] = []
    origins.withLock { origins in
      guard var origin = origins.removeValue(forKey: key) else { return }
      origin.ended += 1
      if origin.ended > 32, origin.ended * 2 > origin.waiting.count {
        origin.waiting.removeAll { exchange in
          guard exchange.hasEnded else { return false }
          removed.append(exchange)
          return true
        }
        origin.ended = 0
      }
      if origin.active > 0 { origins[key] = origin }
    }
  }

  /// Removes the next waiting exchange, which gets the free slot; nil if there is none.
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

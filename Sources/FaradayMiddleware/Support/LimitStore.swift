internal import FaradayCore
private import Synchronization

/// A store for the counters of ``CircuitBreaker`` and ``RateLimit``, so that several machines count together: Redis, a
/// database, or any other system with compare-and-swap.
///
/// Without a store each middleware counts in memory. With a store, each request waits for one read and one replacement in it,
/// and a request of a circuit breaker for two of each. In each middleware the requests of one key use the store one after the
/// other, so its latency should be as low as a cache's. The values are short lines of text without secrets. Their times come
/// from the clocks of the machines, which must agree within a fraction of the limits' intervals. A wrong clock can reject
/// requests for no longer than the limit itself.
///
/// Its errors are passed to the middleware's `onStoreError`, and the request is counted in memory, so that an unavailable store
/// blocks no request. A store that does not respond within ``maximumWait`` is not called for ten times that time, except to undo
/// a change that it has made after the request had left. It must be thread-safe.
public protocol LimitStore: Sendable {
  /// The time that a request waits for other requests of its key and for the store, before it is counted in memory. 2 seconds
  /// by default. The call to the store is then cancelled, and not waited for.
  var maximumWait: Duration { get }
  /// Returns the value of a key; nil if there is none.
  func value(for key: String) async throws -> String?
  /// Sets the value of a key if the present one is still `old` (nil: there is none), as one atomic step: compare-and-swap.
  /// Returns whether it was replaced. The value may be removed when `lifetime` is over.
  func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool
}

extension LimitStore {
  /// 2 seconds by default.
  public var maximumWait: Duration { .seconds(2) }

  /// The time for which a store is not called after a timeout.
  var restAfterTimeout: Duration { max(maximumWait.withinClocks, .milliseconds(100)) * 10 }
}

/// A ``LimitStore`` in memory: for tests, and for several middleware of one process that count together. It keeps the 10,000
/// most recently used keys. Thread-safe.
public final class InMemoryLimitStore: LimitStore {
  private let values = Mutex(LeastRecentlyUsed<String, String>(capacity: 10_000))

  /// Creates an empty store.
  public init() {}

  /// Returns the value of a key.
  public func value(for key: String) async -> String? { values.withLock { $0[key] } }

  /// Sets the value of a key if the present one is still `old`. The lifetime is ignored.
  public func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async -> Bool {
    values.withLock { values in
      guard values[key] == old else { return false }
      values[key] = new
      return true
    }
  }
}

public import FaradayCore
private import Synchronization

/// A store for what ``CircuitBreaker`` and ``RateLimit`` count, so that several machines count together: in Redis, a database, or
/// whatever else can replace a value only if it is still what was read.
///
/// Without one each middleware counts in memory. With one, each request waits for one reading and one replacement in it, a
/// circuit's for two of each, and those of one key go one after the other in each middleware: it should be as near as a cache.
/// The values are short lines of text without secrets. Their times are those of the machines' clocks, which must agree to within
/// a fraction of the limits' intervals; a clock that is wrong can refuse for no longer than the limit itself.
///
/// An error that it throws is given to the middleware's `onStoreError`, and the request is counted in memory: a store that is
/// down stops no request, and one that does not answer within ``maximumWait`` is left alone for ten times that. It must be thread-safe.
public protocol LimitStore: Sendable {
  /// How long a request waits for its turn and for the store, before it is counted in memory. 2 seconds by default. What the store
  /// does then is cancelled, and not waited for.
  var maximumWait: Duration { get }
  /// The value of a key; nil if there is none.
  func value(for key: String) async throws -> String?
  /// Sets the value of a key if the present one is still `old` (nil: there is none), as one atomic step: compare-and-swap.
  /// Returns whether it did. The value may be removed when `lifetime` is over.
  func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool
}

extension LimitStore {
  /// 2 seconds.
  public var maximumWait: Duration { .seconds(2) }

  /// How long nobody asks it after it has not answered.
  var restAfterTimeout: Duration { max(maximumWait.withinClocks, .milliseconds(100)) * 10 }
}

/// A ``LimitStore`` in memory: for tests, and for several middleware of one process that count together. It keeps the 10,000 keys
/// that were used last. Thread-safe.
public final class InMemoryLimitStore: LimitStore {
  private let values = Mutex(LeastRecentlyUsed<String, String>(capacity: 10_000))

  /// An empty store.
  public init() {}

  /// The value of a key.
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

/// A ``LimitStore`` did not do its work for a request, which was counted in memory. Errors that it throws itself are given on as they
/// are.
public struct LimitStoreError: FaradayError, Hashable {
  /// What it did not do.
  public enum Reason: Sendable, Hashable {
    /// It has refused so many replacements in a row, as others have changed the value meanwhile.
    case contention(attempts: Int)
    /// It has not answered, or not come to this request, within ``LimitStore/maximumWait``.
    case timeout(Duration)
  }

  /// What it did not do.
  public let reason: Reason
  /// The name of the value in the store: `rate:https://api.example.com:443`.
  public let key: String

  public var isTimeout: Bool { if case .timeout = reason { true } else { false } }
  /// True: the next request asks again.
  public var isTransient: Bool { true }

  public var description: String {
    switch reason {
    case .contention(let attempts): "limit store: \(key) was changed by others \(attempts) times; counted in memory"
    case .timeout(let limit): "limit store: no answer about \(key) within \(limit); counted in memory"
    }
  }
}

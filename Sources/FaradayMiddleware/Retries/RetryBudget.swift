private import Synchronization

/// Limits the retries of all requests together, to a ratio of them, so that a server that is overloaded or down is not flooded
/// with retries (a retry storm). It is a token bucket: each request deposits `ratio` of a token, and each retry takes one.
///
/// Thread-safe; may be shared by connections. One that any ``Retry`` has gets deposits of requests through a `Retry` only: a ``Hedging``
/// without one above it needs a budget of its own.
public final class RetryBudget: Sendable {
  private let ratio: Double
  private let reserve: Double
  private let balance: Mutex<Double>
  /// Whether a ``Retry`` has it: that makes the deposits, of each request one.
  private let hasRetry = Atomic(false)

  /// - Parameters:
  ///   - ratio: retries per request: 0.2 by default, one retry for every five requests.
  ///   - reserve: the tokens to begin with, and the maximum: 100 by default, so that a program that begins with many requests may
  ///     retry a hundred of them.
  public init(ratio: Double = 0.2, reserve: Double = 100) {
    self.ratio = ratio
    self.reserve = reserve
    balance = Mutex(reserve)
  }

  var isOfRetry: Bool { hasRetry.load(ordering: .relaxed) }
  func becomeOfRetry() { hasRetry.store(true, ordering: .relaxed) }

  func deposit() { balance.withLock { $0 = min(reserve, $0 + ratio) } }

  func withdraw() -> Bool {
    balance.withLock { balance in
      guard balance >= 1 else { return false }
      balance -= 1
      return true
    }
  }
}

private import Synchronization

/// Limits the retries of all requests together to a ratio of the requests, so that an overloaded or unavailable server is not
/// flooded with retries (a retry storm). It is a token bucket: each request deposits `ratio` of a token, and each retry takes
/// one.
///
/// Thread-safe; can be shared by connections. A budget that a ``Retry`` uses gets its deposits only from a `Retry`: a
/// ``Hedging`` without a `Retry` above it needs its own budget.
public final class RetryBudget: Sendable {
  private let ratio: Double
  private let reserve: Double
  private let balance: Mutex<Double>
  /// Whether a ``Retry`` uses it. The `Retry` then makes one deposit for each request.
  private let hasRetry = Atomic(false)

  /// - Parameters:
  ///   - ratio: retries per request: 0.2 by default, one retry for every five requests.
  ///   - reserve: the initial and maximum number of tokens: 100 by default, so that a program that starts with many requests
  ///     can retry a hundred of them.
  public init(ratio: Double = 0.2, reserve: Double = 100) {
    self.ratio = ratio
    self.reserve = reserve
    balance = Mutex(reserve)
  }

  var isOfRetry: Bool { hasRetry.load(ordering: .relaxed) }
  func becomeOfRetry() { hasRetry.store(true, ordering: .relaxed) }

  func deposit() { balance.withLock { $0 = min(reserve, $0 + ratio) } }

  /// Gives back the token of a retry that was not sent.
  func refund() { balance.withLock { $0 = min(reserve, $0 + 1) } }

  func withdraw() -> Bool {
    balance.withLock { balance in
      guard balance >= 1 else { return false }
      balance -= 1
      return true
    }
  }
}

private import Synchronization

/// What all retries of a connection share: each request pays a part of one in, so that a server that is down does not get many
/// times the requests that it could not answer before.
///
/// For any thread.
public final class RetryBudget: Sendable {
  private let ratio: Double
  private let reserve: Double
  private let balance: Mutex<Double>

  /// - Parameters:
  ///   - ratio: how many retries each request pays for.
  ///   - reserve: how many there are to begin with, and at most.
  public init(ratio: Double = 0.2, reserve: Double = 10) {
    self.ratio = ratio
    self.reserve = reserve
    balance = Mutex(reserve)
  }

  func deposit() { balance.withLock { $0 = min(reserve, $0 + ratio) } }

  func withdraw() -> Bool {
    balance.withLock { balance in
      guard balance >= 1 else { return false }
      balance -= 1
      return true
    }
  }
}

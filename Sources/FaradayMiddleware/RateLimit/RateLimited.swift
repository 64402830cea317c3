public import FaradayCore

/// A request was not sent, because a ``RateLimit`` would have held it for too long.
public struct RateLimited: RefusedRequest, Equatable {
  /// Why it did not wait, or no longer.
  public enum Reason: Sendable, Hashable {
    /// The limit's policy has no wait.
    case noWait
    /// It waited, or would have waited, for longer than this.
    case maximumWait(Duration)
    /// So many requests wait already.
    case queueFull(waiting: Int)
  }

  /// Why it did not wait, or no longer.
  public let reason: Reason
  /// The origin, `https://api.example.com:443`, or another key of the limit's ``LimitKey``.
  public let key: String
  /// How long it takes until the limit lets a request through: an estimate where others wait too.
  public let retryAfter: Duration?
  /// The request that was not sent.
  public let request: RequestSummary?

  init(_ reason: Reason, key: String, retryAfter: Duration, request: RequestSummary) {
    self.reason = reason
    self.key = key
    self.retryAfter = retryAfter
    self.request = request
  }

  public var description: String {
    let why =
      switch reason {
      case .noWait: "and requests do not wait"
      case .maximumWait(let limit): "and the wait is limited to \(limit)"
      case .queueFull(let waiting): "and \(waiting) requests wait already"
      }
    return naming("not sent: the rate limit of \(key) is reached, \(why); again in \(retryAfter ?? .zero)")
  }
}

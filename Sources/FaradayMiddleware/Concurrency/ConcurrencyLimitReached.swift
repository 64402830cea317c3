public import FaradayCore

/// A request was not sent, because a ``ConcurrencyLimit`` has no place for it.
public struct ConcurrencyLimitReached: RefusedRequest, Equatable {
  /// Why it did not wait, or no longer.
  public enum Reason: Sendable, Hashable {
    /// No place became free within this time.
    case maximumWait(Duration)
    /// So many requests wait already; with a limit that does not wait, any number.
    case queueFull(waiting: Int)
  }

  /// Why it did not wait, or no longer.
  public let reason: Reason
  /// The origin, `https://api.example.com:443`, or another key of the limit's ``LimitKey``.
  public let key: String
  /// The number of places.
  public let limit: Int
  /// The request that was not sent.
  public let request: RequestSummary?
  /// Nil: a place is free when another request has ended.
  public var retryAfter: Duration? { nil }

  init(_ reason: Reason, key: String, limit: Int, request: RequestSummary) {
    self.reason = reason
    self.key = key
    self.limit = limit
    self.request = request
  }

  public var description: String {
    let why =
      switch reason {
      case .maximumWait(let wait): "and none became free within \(wait)"
      case .queueFull(let waiting): "and \(waiting) wait already"
      }
    return naming("not sent: \(limit) requests of \(key) are in flight, \(why); again when one of them has ended")
  }
}

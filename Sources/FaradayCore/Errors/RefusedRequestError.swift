/// The error of a request that a limit in this process rejected. The request was not sent.
///
/// `Retry` does not retry the request by default, because a retry would defeat the limit. If `shouldRetry` returns true,
/// `Retry` waits at least ``retryAfter``, and gives up if that exceeds `maximumRetryAfter`. A download that has begun waits and
/// resumes. A middleware with a limit of its own throws this error with ``Reason/other(_:)``.
public struct RefusedRequestError: FaradayError, Hashable {
  /// The reason why the request was rejected.
  public enum Reason: Sendable, Hashable {
    /// A `CircuitBreaker` has stopped the requests to the origin:
    /// `5 of 8 requests within 30.0 seconds failed, the last with 503`.
    case circuitOpen(cause: String)
    /// A `RateLimit` would have delayed the request for too long.
    case rateLimited(Wait)
    /// A `ConcurrencyLimit` has no free place: this number of requests is in flight.
    case concurrencyLimited(inFlight: Int, Wait)
    /// Another limit, with its reason.
    case other(String)
  }

  /// The reason why a request did not wait, or stopped waiting.
  public enum Wait: Sendable, Hashable {
    /// The policy does not allow waiting.
    case noWait
    /// The request waited, or would have waited, for longer than this.
    case maximumWait(Duration)
    /// The maximum number of requests waits already. A concurrency limit that does not wait has any number.
    case queueFull(waiting: Int)
  }

  /// The reason why the request was rejected.
  public let reason: Reason
  /// The origin, `https://api.example.com:443`, or another key of the limit's `LimitKey`.
  public let key: String
  /// The time until the limit accepts requests again. An estimate if other requests wait too. While a circuit's probes are in
  /// flight, the delay after one more failure. Nil if unknown, as for a concurrency limit: a place becomes free when another
  /// request ends.
  public let retryAfter: Duration?
  /// The request that was not sent.
  public let request: RequestSummary?

  /// An error for a request that is not sent.
  public init(_ reason: Reason, key: String, retryAfter: Duration?, request: RequestSummary?) {
    self.reason = reason
    self.key = key
    self.retryAfter = retryAfter
    self.request = request
  }

  /// Always true: the request can succeed later.
  public var isTransient: Bool { true }

  public var description: String {
    let why =
      switch reason {
      case .circuitOpen(let cause): "the circuit of \(key) is open (\(cause))"
      case .rateLimited(.noWait): "the rate limit of \(key) is reached, and requests do not wait"
      case .rateLimited(.maximumWait(let limit)): "the rate limit of \(key) is reached, and the wait is limited to \(limit)"
      case .rateLimited(.queueFull(let waiting)): "the rate limit of \(key) is reached, and \(waiting) requests wait already"
      case .concurrencyLimited(let count, let wait):
        "\(count) requests of \(key) are in flight, \(Self.text(wait)): retry when one of them has ended"
      case .other(let text): "\(key): \(text)"
      }
    return naming("not sent: \(why)" + (retryAfter.map { "; again in \($0)" } ?? ""))
  }

  private static func text(_ wait: Wait) -> String {
    switch wait {
    case .noWait: "and requests do not wait"
    case .maximumWait(let limit): "and none ended within \(limit)"
    case .queueFull(let waiting): "and \(waiting) wait already"
    }
  }
}

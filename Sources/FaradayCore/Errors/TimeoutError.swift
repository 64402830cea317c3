/// The error of a time limit above the adapter. The adapter's own timeouts are codes of ``TransportError``.
public struct TimeoutError: FaradayError, Hashable {
  /// The reason of the timeout.
  public enum Reason: Sendable, Hashable {
    /// A `Timeout` middleware got no response.
    case noResponse
    /// A `Timeout` middleware got no complete response with its body.
    case notCompleted
    /// The constraints of a request were not satisfied.
    case constraints
    /// A promise was not settled.
    case promise
  }

  /// The reason of the timeout.
  public let reason: Reason
  /// The time limit.
  public let limit: Duration
  /// The request that exceeded the limit; nil for a promise.
  public let request: RequestSummary?

  /// An error for a time limit.
  public init(_ reason: Reason, limit: Duration, request: RequestSummary? = nil) {
    self.reason = reason
    self.limit = limit
    self.request = request
  }

  /// Always true.
  public var isTimeout: Bool { true }

  public var description: String {
    let problem =
      switch reason {
      case .noResponse: "no response"
      case .notCompleted: "not completed"
      case .constraints: "the request's constraints were not satisfied"
      case .promise: "the promise was not settled"
      }
    return naming("timed out: \(problem) within \(limit)")
  }
}

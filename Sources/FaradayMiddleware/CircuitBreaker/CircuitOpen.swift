public import FaradayCore

/// A request was not sent, because a ``CircuitBreaker`` has stopped those to its origin.
public struct CircuitOpen: RefusedRequest, Equatable {
  /// The origin, `https://api.example.com:443`, or another key of the breaker's ``LimitKey``.
  public let key: String
  /// Why: `5 of 8 requests within 30.0 seconds failed, the last with 503`.
  public let reason: String
  /// How long it takes until a request may be let through again. While probes are out, the delay that one more failure would
  /// bring.
  public let retryAfter: Duration?
  /// The request that was not sent.
  public let request: RequestSummary?

  init(key: String, reason: String, retryAfter: Duration, request: RequestSummary) {
    self.key = key
    self.reason = reason
    self.retryAfter = retryAfter
    self.request = request
  }

  public var description: String {
    naming("not sent: the circuit of \(key) is open (\(reason)); again in \(retryAfter ?? .zero)")
  }
}

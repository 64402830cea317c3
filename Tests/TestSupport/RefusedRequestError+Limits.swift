package import FaradayCore

extension RefusedRequestError {
  /// The cause of the open circuit that rejected the request; nil for another limit.
  package var circuitCause: String? { if case .circuitOpen(let cause) = reason { cause } else { nil } }
  /// Whether a circuit breaker rejected the request.
  package var isCircuitOpen: Bool { if case .circuitOpen = reason { true } else { false } }
  /// Whether a rate limit rejected the request.
  package var isRateLimited: Bool { if case .rateLimited = reason { true } else { false } }
  /// Whether a concurrency limit rejected the request.
  package var isConcurrencyLimited: Bool { if case .concurrencyLimited = reason { true } else { false } }
}

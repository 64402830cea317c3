public import FaradayCore
public import Logging

extension [any Middleware] {
  /// The standard list of middleware without options.
  public static var standard: [any Middleware] { standard() }

  /// The standard list of middleware, in the recommended order of all of this package's middleware: JSON, form and multipart
  /// encoding, decompression, JSON decoding, redirects and retries, and the middleware of the parameters. The first in the list
  /// handles a request first and its response last.
  ///
  ///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter(), middleware: .standard)
  ///     let calm = try Connection(
  ///       "https://api.example.com/v2/", adapter: CurlAdapter(),
  ///       middleware: .standard(
  ///         authorization: .authorization(.bearer(token)), coalescing: .coalescing, circuitBreaker: .circuitBreaker))
  ///
  /// Responses with any status are returned. Put ``FaradayMiddleware/StatusValidation`` in front to get errors, and
  /// ``FaradayMiddleware/RequestID`` and ``FaradayMiddleware/Timeout`` for whole calls. Each call creates a list with a new
  /// ``FaradayMiddleware/RetryBudget``.
  ///
  /// - Parameters:
  ///   - compression: compresses request bodies. None by default: the server must support it.
  ///   - cookies: stores cookies and sends them with later requests. None by default.
  ///   - authorization: credentials for the connection's origin: ``FaradayMiddleware/Authorization``,
  ///     ``FaradayMiddleware/TokenRefresh``, or a custom middleware. None by default.
  ///   - cache: an `HTTPCache`. None by default.
  ///   - coalescing: shares the exchange of equal requests. None by default.
  ///   - retry: retries requests; a `Retry` with the default policy by default. A custom `Retry` does not report to the logger
  ///     of this list.
  ///   - hedging: sends slow requests again. None by default.
  ///   - circuitBreaker: stops sending requests to failing origins. None by default.
  ///   - rateLimit: limits the rate of exchanges. None by default.
  ///   - concurrencyLimit: limits the exchanges in flight. None by default.
  ///   - signature: signs each exchange separately, as ``FaradayMiddleware/AWSSignature`` does. The cache and coalescing are
  ///     above it, and neither store nor share its signatures. None by default.
  ///   - logger: logs each exchange as it is sent, and retries that the budget rejects. Without a logger nothing is logged.
  public static func standard(
    compression: Compression? = nil, authorization: (any Middleware)? = nil, cookies: CookieJar? = nil,
    cache: (any Middleware)? = nil,
    coalescing: Coalescing? = nil, retry: Retry? = nil, hedging: Hedging? = nil, circuitBreaker: CircuitBreaker? = nil,
    rateLimit: RateLimit? = nil, concurrencyLimit: ConcurrencyLimit? = nil, signature: (any Middleware)? = nil,
    logger: Logger? = nil
  ) -> [any Middleware] {
    let list: [(any Middleware)?] = [
      // A value is encoded once, for any number of attempts.
      JSONEncoding(),
      FormEncoding(),
      Multipart(),
      compression,
      ContentDecoding(),
      // Parses the JSON of the last response.
      JSONDecoding(),
      // Each redirect passes the middleware below.
      Redirects(),
      // The user's identity: it separates users in the cache and in coalescing.
      cookies.map { Cookies($0) },
      authorization,
      // A stored or shared response costs nothing below.
      cache,
      coalescing,
      // One exchange, with its attempts. Each attempt passes the limits, and is signed and logged separately.
      retry ?? Retry(logger.map(Retry.Policy.init(reportingTo:)) ?? Retry.Policy()),
      hedging,
      circuitBreaker,
      rateLimit,
      // Below the rate limit: a request that waits there takes no place, and its wait does not count as latency.
      concurrencyLimit,
      signature,
      logger.map { ExchangeLogger($0) },
    ]
    return list.compactMap { $0 }
  }
}

extension Retry.Policy {
  /// Creates the default policy, which logs the retries that the budget rejects.
  fileprivate init(reportingTo logger: Logger) {
    self.init(onBudgetExhausted: { attempt in
      logger.warning(
        "not retried: the retry budget is used up (\(attempt))",
        metadata: ["method": "\(attempt.request.method)", "attempt": .stringConvertible(attempt.number)])
    })
  }
}

public import FaradayCore
public import Logging

extension [any Middleware] {
  /// The standard list of middleware without options.
  public static var standard: [any Middleware] { standard() }

  /// The standard list of middleware, in the order that all of this package's middleware have: JSON, form and multipart encoding,
  /// decompression, JSON decoding, redirects and retries, and what the parameters add. The first in the list handles a request first
  /// and its response last.
  ///
  ///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter(), middleware: .standard)
  ///     let calm = try Connection(
  ///       "https://api.example.com/v2/", adapter: CurlAdapter(),
  ///       middleware: .standard(
  ///         authorization: .authorization(.bearer(token)), coalescing: .coalescing, circuitBreaker: .circuitBreaker))
  ///
  /// Every status is a response; put ``FaradayMiddleware/ExpectStatus`` in front for errors, and ``FaradayMiddleware/RequestID`` and
  /// ``FaradayMiddleware/Timeout`` for whole calls. Each call makes a list with a ``FaradayMiddleware/RetryBudget`` of its own.
  ///
  /// - Parameters:
  ///   - cookies: stores cookies and sends them. None by default.
  ///   - authorization: credentials for the connection's own origin: ``FaradayMiddleware/Authorization``,
  ///     ``FaradayMiddleware/TokenRefresh``, or a middleware of your own. None by default.
  ///   - cache: an `HTTPCache`, or ``FaradayMiddleware/ConditionalRequests``. None by default.
  ///   - coalescing: shares the exchange of equal requests. None by default.
  ///   - retry: retries requests, by its default policy unless given; one that is given reports to no logger of this list.
  ///   - hedging: sends slow requests again. None by default.
  ///   - circuitBreaker: stops sending to origins that fail. None by default.
  ///   - rateLimit: limits the rate of exchanges. None by default.
  ///   - concurrencyLimit: limits the exchanges in flight. None by default.
  ///   - signature: signs each exchange by itself, as ``FaradayMiddleware/AWSSignature`` does. A cache and coalescing, which stand
  ///     above it, store and share nothing of what it signs. None by default.
  ///   - logger: logs each exchange as it is sent, and retries that the budget refuses; without it nothing is logged.
  public static func standard(
    authorization: (any Middleware)? = nil, cookies: CookieJar? = nil, cache: (any Middleware)? = nil,
    coalescing: Coalescing? = nil, retry: Retry? = nil, hedging: Hedging? = nil, circuitBreaker: CircuitBreaker? = nil,
    rateLimit: RateLimit? = nil, concurrencyLimit: ConcurrencyLimit? = nil, signature: (any Middleware)? = nil,
    logger: Logger? = nil
  ) -> [any Middleware] {
    let list: [(any Middleware)?] = [
      // A value becomes bytes once, however often it is sent.
      EncodeJSON(),
      EncodeForm(),
      Multipart(),
      Decompress(),
      // The JSON of the last response.
      DecodeJSON(),
      // Each hop passes what stands below.
      Redirects(),
      // Who asks: by these a cache and coalescing keep users apart.
      cookies.map { Cookies($0) },
      authorization,
      // A response that is stored or shared costs nothing below, whoever asks for it.
      cache,
      coalescing,
      // One exchange, with its attempts. Each attempt asks the limits, and is signed and logged by itself.
      retry ?? Retry(logger.map(Retry.Policy.init(reportingTo:)) ?? Retry.Policy()),
      hedging,
      circuitBreaker,
      rateLimit,
      // Below the rate limit: a request that waits for its turn takes no place, and its wait is no latency.
      concurrencyLimit,
      signature,
      logger.map { ExchangeLogger($0) },
    ]
    return list.compactMap { $0 }
  }
}

extension Retry.Policy {
  /// The default policy, which logs the retries that the budget refuses.
  fileprivate init(reportingTo logger: Logger) {
    self.init(onBudgetExhausted: { attempt in
      logger.warning(
        "not retried: the retry budget is used up (\(attempt))",
        metadata: ["method": "\(attempt.request.method)", "attempt": .stringConvertible(attempt.number)])
    })
  }
}

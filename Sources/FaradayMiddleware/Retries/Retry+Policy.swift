public import FaradayCore

extension Retry {
  /// Which requests are retried, how many times and when: exponential backoff with full jitter.
  ///
  ///     connection.use(.retry(retries: 5))
  ///     connection.use(.retry(Retry.Policy(maxDelay: .seconds(5), shouldRetry: { $0.error is TimeoutExceeded ? true : nil })))
  public struct Policy: Sendable {
    /// The maximum number of retries of one request, after its first attempt. 2 by default.
    public var retries: Int
    /// The transient status codes, after which a request is retried: 408, 429, 502, 503 and 504 by default.
    public var statuses: Set<Int>
    /// The transient errors, after which a request is retried: by default a server that cannot be reached, a connection that
    /// breaks, and connect and idle timeouts.
    public var errors: Set<TransportError.Code>
    /// The upper bound of the random delay before the first retry; it doubles with each retry. 500 ms by default.
    public var initialDelay: Duration
    /// The upper bound that the exponential backoff does not exceed. 20 seconds by default.
    public var maxDelay: Duration
    /// The longest `Retry-After` that is honored; a response that asks for more is not retried. 60 seconds by default.
    public var maxRetryAfter: Duration

    /// Overrides ``statuses`` and ``errors`` after an attempt: true retries, false does not, nil leaves the decision to them.
    /// Called only while there are ``retries`` left and the request may be retried; on the engine's thread if the request has
    /// callbacks.
    public var shouldRetry: (@Sendable (Attempt) -> Bool?)?
    /// Replaces exponential backoff with jitter: returns the delay after an attempt. A shorter one than `Retry-After` is
    /// extended to it. Called where ``shouldRetry`` is.
    public var backoff: (@Sendable (Attempt) -> Duration)?
    /// Called before each retry; the delay begins when it returns.
    public var onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)?
    /// Called when a retry was due and the ``RetryBudget`` refused it, for a log or a metric. The outcome of the failed attempt is the
    /// result when it returns.
    public var onBudgetExhausted: (@Sendable (_ failed: Attempt) async -> Void)?

    /// The defaults: two retries, after a random delay of at most 500 ms and at most 1 s.
    public init(
      retries: Int = 2, statuses: Set<Int> = HTTPResponse.Status.transientCodes,
      errors: Set<TransportError.Code> = TransportError.Code.connectionFailures, initialDelay: Duration = .milliseconds(500),
      maxDelay: Duration = .seconds(20), maxRetryAfter: Duration = .seconds(60),
      shouldRetry: (@Sendable (Attempt) -> Bool?)? = nil, backoff: (@Sendable (Attempt) -> Duration)? = nil,
      onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)? = nil,
      onBudgetExhausted: (@Sendable (_ failed: Attempt) async -> Void)? = nil
    ) {
      self.retries = retries
      self.statuses = statuses
      self.errors = errors
      self.initialDelay = initialDelay
      self.maxDelay = maxDelay
      self.maxRetryAfter = maxRetryAfter
      self.shouldRetry = shouldRetry
      self.backoff = backoff
      self.onRetry = onRetry
      self.onBudgetExhausted = onBudgetExhausted
    }
  }

  /// An attempt that has ended, as the closures of a ``Policy`` get it.
  public struct Attempt: Sendable {
    /// The request as it was sent.
    public let request: Request
    /// The number of the attempt: 1 for the first.
    public let number: Int
    /// The head of its response, or of the response of its error; nil if there was none.
    public let head: HTTPResponse?
    /// The error that it failed with; nil if there is a response, whatever its status.
    public let error: (any Error)?
    /// The delay that the response's `Retry-After` asks for, or a ``FaradayCore/RefusedRequest``; nil if there is none that is valid.
    public let retryAfter: Duration?
  }
}

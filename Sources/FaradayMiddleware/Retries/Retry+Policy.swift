public import FaradayCore

extension Retry {
  /// The rules for retries: which requests are retried, how many times and when. Exponential backoff with full jitter.
  ///
  ///     connection.use(.retry(retries: 5))
  ///     connection.use(.retry(Retry.Policy(maximumDelay: .seconds(5), shouldRetry: { $0.error is TimeoutError ? true : nil })))
  public struct Policy: Sendable {
    /// The maximum number of retries of one request, after its first attempt. 2 by default.
    public var retries: Int
    /// The transient status codes. A request is retried after them: 408, 429, 502, 503 and 504 by default.
    public var statuses: Set<Int>
    /// The transient errors. A request is retried after them: by default an unreachable server, a broken connection, and
    /// connect and idle timeouts.
    public var errors: Set<TransportError.Code>
    /// The upper bound of the random delay before the first retry; it doubles with each retry. 500 ms by default.
    public var initialDelay: Duration
    /// The maximum upper bound of the exponential backoff. 20 seconds by default.
    public var maximumDelay: Duration
    /// The longest `Retry-After` that is honored; after a longer one the request is not retried. 60 seconds by default.
    public var maximumRetryAfter: Duration
    /// Whether a request that is not idempotent, but has ``FaradayCore/Options/isRetryable`` set to true, is sent with an
    /// `Idempotency-Key`. True by default. Use false for a server that detects repeated requests in another way, or tolerates
    /// them.
    public var sendsIdempotencyKey: Bool

    /// Overrides ``statuses`` and ``errors`` after an attempt: true retries, false does not, nil leaves the decision to them.
    /// Called in the task that sends the request, and only while there are ``retries`` left, the method is idempotent or
    /// ``FaradayCore/Options/isRetryable`` is true (or no connection was established), and the body is replayable.
    public var shouldRetry: (@Sendable (Attempt) -> Bool?)?
    /// Replaces exponential backoff with jitter: returns the delay after an attempt. A delay shorter than `Retry-After` is
    /// extended to it. Called in the task that sends the request.
    public var backoff: (@Sendable (Attempt) -> Duration)?
    /// Called before each retry; the delay begins when it returns.
    public var onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)?
    /// Called when the ``RetryBudget`` rejects a retry that was due, for a log or a metric. When it returns, the outcome of the
    /// failed attempt is the result.
    public var onBudgetExhausted: (@Sendable (_ failed: Attempt) async -> Void)?

    /// Creates a policy. By default two retries, after random delays of at most 500 ms and at most 1 s.
    public init(
      retries: Int = 2, statuses: Set<Int> = HTTPResponse.Status.transientCodes,
      errors: Set<TransportError.Code> = TransportError.Code.connectionFailures, initialDelay: Duration = .milliseconds(500),
      maximumDelay: Duration = .seconds(20), maximumRetryAfter: Duration = .seconds(60), sendsIdempotencyKey: Bool = true,
      shouldRetry: (@Sendable (Attempt) -> Bool?)? = nil, backoff: (@Sendable (Attempt) -> Duration)? = nil,
      onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)? = nil,
      onBudgetExhausted: (@Sendable (_ failed: Attempt) async -> Void)? = nil
    ) {
      self.retries = retries
      self.statuses = statuses
      self.errors = errors
      self.initialDelay = initialDelay
      self.maximumDelay = maximumDelay
      self.maximumRetryAfter = maximumRetryAfter
      self.sendsIdempotencyKey = sendsIdempotencyKey
      self.shouldRetry = shouldRetry
      self.backoff = backoff
      self.onRetry = onRetry
      self.onBudgetExhausted = onBudgetExhausted
    }
  }

  /// A completed attempt, as an argument of a ``Policy``'s closures.
  public struct Attempt: Sendable {
    /// The request that was sent.
    public let request: Request
    /// The number of the attempt: 1 for the first.
    public let number: Int
    /// The head of its response, or of the response in its error; nil if there was none.
    public let head: HTTPResponse?
    /// The error of the attempt; nil if there is a response, with any status.
    public let error: (any Error)?
    /// The delay of the response's `Retry-After`, or of a ``FaradayCore/RefusedRequestError``; nil if there is no valid one.
    public let retryAfter: Duration?
  }
}

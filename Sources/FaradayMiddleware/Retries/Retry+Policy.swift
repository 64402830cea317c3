public import FaradayCore

extension Retry {
  /// What is retried, how often and when: exponential backoff with full jitter.
  ///
  ///     connection.use(.retry(retries: 5))
  ///     connection.use(.retry(Retry.Policy(maxDelay: .seconds(5), shouldRetry: { $0.error is TimeoutExceeded ? true : nil })))
  public struct Policy: Sendable {
    /// How often a request is sent again at most. 2 by default.
    public var retries: Int
    /// The transient statuses, after which a request is sent again: 408, 429, 502, 503, 504 by default.
    public var statuses: Set<Int>
    /// The transient errors, after which a request is sent again: by default a server that is not reached, or a connection that breaks.
    public var errors: Set<TransportError.Code>
    /// The backoff of the first retry: it waits for a random time up to this, the next ones up to twice as long each. Half a second by
    /// default.
    public var initialDelay: Duration
    /// The backoff does not grow beyond this. 20 seconds by default.
    public var maxDelay: Duration
    /// The longest `Retry-After` that is waited for; a response that asks for more is the last one. 60 seconds by default.
    public var maxRetryAfter: Duration

    /// Decides after an attempt, whatever its status or error: true for another one, false for none, nil for what ``statuses`` and
    /// ``errors`` say. Asked only while there are ``retries`` left, of requests that may be sent again; on the engine's thread if
    /// the request has callbacks.
    public var shouldRetry: (@Sendable (Attempt) -> Bool?)?
    /// Chooses the wait after an attempt, in the place of the random one; one shorter than `Retry-After` is made as long as that.
    /// Called where ``shouldRetry`` is.
    public var backoff: (@Sendable (Attempt) -> Duration)?
    /// Told of each retry before its wait begins, which does so when this returns.
    public var onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)?

    public init(
      retries: Int = 2, statuses: Set<Int> = HTTPResponse.Status.transientCodes,
      errors: Set<TransportError.Code> = TransportError.Code.connectionFailures, initialDelay: Duration = .milliseconds(500),
      maxDelay: Duration = .seconds(20), maxRetryAfter: Duration = .seconds(60),
      shouldRetry: (@Sendable (Attempt) -> Bool?)? = nil, backoff: (@Sendable (Attempt) -> Duration)? = nil,
      onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)? = nil
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
    }
  }

  /// An attempt that has ended, as a ``Policy`` sees it.
  public struct Attempt: Sendable {
    /// The request as it was sent.
    public let request: Request
    /// Which attempt it was: 1 for the first.
    public let number: Int
    /// The head of its response, or of what had come of one when it broke off.
    public let head: HTTPResponse?
    /// Why it failed; nil if there is a response, whatever its status.
    public let error: (any Error)?
    /// What the response's `Retry-After` asks for; nil if it has none that is a number or a date.
    public let retryAfter: Duration?
  }
}

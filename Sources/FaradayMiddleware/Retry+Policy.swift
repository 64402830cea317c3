public import FaradayCore

extension Retry {
  /// What is retried, how often and when.
  ///
  ///     var policy = Retry.Policy()
  ///     policy.errors.insert(.totalTimeout)
  ///     policy.shouldRetry = { $0.error is TimeoutExceeded ? true : nil }
  ///     connection.use(.retry(policy))
  public struct Policy: Sendable {
    /// How often a request is sent again at most. 2 by default.
    public var retries = 2
    /// The transient statuses, after which a request is sent again: 408, 429, 502, 503, 504.
    public var statuses: Set<Int> = HTTPResponse.Status.transientCodes
    /// The transient errors, after which a request is sent again: a server that is not reached, or a connection that breaks.
    public var errors: Set<TransportError.Code> = TransportError.Code.connectionFailures
    /// The first wait is up to this long. Half a second by default.
    public var base = Duration.milliseconds(500)
    /// No wait that is ours to choose is longer. 20 seconds by default.
    public var longest = Duration.seconds(20)
    /// A server that wants to be left alone for longer is: its response is the last one. 60 seconds by default.
    public var longestRetryAfter = Duration.seconds(60)

    /// Decides after an attempt, whatever its status or error: true for another one, false for none, nil for what ``statuses`` and
    /// ``errors`` say. Asked only while there are ``retries`` left, of requests that may be sent again; on the engine's thread if
    /// the request has callbacks.
    public var shouldRetry: (@Sendable (Attempt) -> Bool?)?
    /// Chooses the wait after an attempt, in the place of the random one; one shorter than `Retry-After` is made as long as that.
    /// Called where ``shouldRetry`` is.
    public var backoff: (@Sendable (Attempt) -> Duration)?
    /// Told of each retry before its wait begins, which does so when this returns.
    public var onRetry: (@Sendable (_ failed: Attempt, _ wait: Duration) async -> Void)?

    public init() {}
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

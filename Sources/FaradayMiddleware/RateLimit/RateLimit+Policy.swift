extension RateLimit {
  /// The number of requests that may be sent, and the maximum time that a request waits.
  public struct Policy: Sendable {
    /// The number of requests that may be sent in ``interval``. Nil, the default, applies only the server's limits. At least 1,
    /// at most a billion.
    public var count: Int?
    /// The time in which ``count`` requests may be sent. 1 second by default; a century at most.
    public var interval: Duration
    /// The number of requests that can be sent at once after a pause; ``count`` if nil. At least 1, at most a billion.
    public var burst: Int?
    /// The maximum time that a request waits. A request that would exceed it throws ``FaradayCore/RefusedRequestError``, at
    /// once if this is known before. 60 seconds by default. Nil waits without limit; zero does not wait.
    public var maximumWait: Duration?
    /// The maximum number of requests that wait for one key. A further request throws ``FaradayCore/RefusedRequestError``.
    /// 10,000 by default.
    public var maximumWaiting: Int
    /// The maximum delay that a server can impose. After it, the next request is sent even if the server announced a longer
    /// delay. 1 hour by default.
    public var maximumServerDelay: Duration
    /// Whether the limits that the server announces are obeyed. True by default.
    public var obeysServer: Bool

    /// Creates a policy with a number of requests in an interval. Without a number only the server's limits apply.
    public init(
      _ count: Int? = nil, per interval: Duration = .seconds(1), burst: Int? = nil, maximumWait: Duration? = .seconds(60),
      maximumWaiting: Int = 10_000, maximumServerDelay: Duration = .seconds(3600), obeysServer: Bool = true
    ) {
      self.count = count
      self.interval = interval
      self.burst = burst
      self.maximumWait = maximumWait
      self.maximumWaiting = maximumWaiting
      self.maximumServerDelay = maximumServerDelay
      self.obeysServer = obeysServer
    }
  }
}

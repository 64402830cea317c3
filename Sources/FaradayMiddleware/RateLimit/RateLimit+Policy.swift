extension RateLimit {
  /// How many requests may be sent, and how long one waits for its turn.
  public struct Policy: Sendable {
    /// How many requests may be sent in ``interval``; nil, the default, leaves it to the server. At least 1, at most a billion.
    public var count: Int?
    /// The time in which ``count`` requests may be sent. 1 second by default; a century at most.
    public var interval: Duration
    /// How many requests can be sent at once after a pause; ``count`` if nil. At least 1, at most a billion.
    public var burst: Int?
    /// How long a request waits; then it throws ``RateLimited``, at once if it is known before. 60 seconds by default. Nil waits
    /// without limit; zero does not wait.
    public var maximumWait: Duration?
    /// How many requests may wait for one key; one more throws ``RateLimited``. 10,000 by default.
    public var maximumWaiting: Int
    /// The longest time for which a server is obeyed; one that asks for more is asked again after that. 1 hour by default.
    public var maximumServerDelay: Duration
    /// Whether the limits that the server announces are obeyed. True by default.
    public var obeysServer: Bool

    /// A limit of so many requests in an interval; without a number only the server's limits count.
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

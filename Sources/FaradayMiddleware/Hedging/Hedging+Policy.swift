extension Hedging {
  /// When a request is sent again, and how often.
  public struct Policy: Sendable {
    /// The delay after which an attempt without an answer gets company.
    public enum Delay: Sendable, Hashable {
      /// Always the same.
      case fixed(Duration)
      /// The latency that this share of the last requests did not exceed, from 0 to 1, but at least `minimum`.
      case percentile(Double, minimum: Duration)
    }

    /// The delay before each further attempt.
    public var delay: Delay
    /// The maximum number of attempts, the first one included. 2 by default.
    public var attempts: Int
    /// How many latencies of an origin must be known before a percentile means anything; before that nothing is hedged. 20 by
    /// default, 100 at most.
    public var minimumSamples: Int

    /// A policy with two attempts unless given.
    public init(_ delay: Delay, attempts: Int = 2, minimumSamples: Int = 20) {
      self.delay = delay
      self.attempts = attempts
      self.minimumSamples = minimumSamples
    }
  }
}

extension Hedging {
  /// The delay and the number of hedged attempts.
  public struct Policy: Sendable {
    /// The delay after which another attempt starts if there is no response.
    public enum Delay: Sendable, Hashable {
      /// A constant delay.
      case fixed(Duration)
      /// The latency that this share of the last requests did not exceed. From 0 to 1; the delay is at least `minimum`.
      case percentile(Double, minimum: Duration)
    }

    /// The delay before each further attempt.
    public var delay: Delay
    /// The maximum number of attempts, the first one included. 2 by default.
    public var attempts: Int
    /// The number of latencies of an origin that a percentile needs. Before that, no request is hedged. 20 by default, 100 at
    /// most.
    public var minimumSamples: Int

    /// Creates a policy, with two attempts by default.
    public init(_ delay: Delay, attempts: Int = 2, minimumSamples: Int = 20) {
      self.delay = delay
      self.attempts = attempts
      self.minimumSamples = minimumSamples
    }
  }
}

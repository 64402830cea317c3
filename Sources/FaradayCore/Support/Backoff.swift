/// Exponential backoff: an upper bound that grows with each retry, and random delays below it (full jitter).
package struct Backoff: Sendable {
  private let initial: Duration
  private let maximum: Duration
  private let growth: Double

  /// - Parameters:
  ///   - initial: the upper bound of the first delay.
  ///   - maximum: the upper bound that no delay exceeds, unless a server requires more.
  ///   - growth: the factor by which the upper bound grows with each retry. A factor below 1, and NaN, count as 1.
  package init(initial: Duration, maximum: Duration, growth: Double = 2) {
    self.maximum = maximum.withinClocks
    self.initial = min(initial.withinClocks, self.maximum)
    self.growth = growth >= 1 ? growth : 1
  }

  /// The upper bound of the delay before a retry. The first retry has the number 1.
  package func bound(ofRetry number: Int) -> Duration {
    var bound = initial
    for _ in 1..<max(1, min(number, 1000)) where bound < maximum {
      // Doubling is exact. Multiplying by a Double is not.
      bound = min(growth == 2 ? bound * 2 : bound.scaled(by: growth), maximum)
    }
    return bound
  }

  /// The delay before a retry.
  ///
  /// - Parameters:
  ///   - number: the number of the retry, from 1.
  ///   - random: the jitter, from 0 to 1. Other numbers, and NaN, count as 1.
  ///   - retryAfter: the delay that the server requires, which is the minimum. Jitter is added to it.
  package func delay(beforeRetry number: Int, random: Double, retryAfter: Duration? = nil) -> Duration {
    let bound = bound(ofRetry: number)
    let jitter = (0...1).contains(random) ? bound.scaled(by: random) : bound
    guard let retryAfter else { return jitter }
    // Without jitter, all clients that got the same Retry-After would retry at the same time.
    return max(jitter, retryAfter.withinClocks + min(jitter, initial)).withinClocks
  }
}

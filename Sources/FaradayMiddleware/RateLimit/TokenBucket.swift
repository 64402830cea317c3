internal import FaradayCore

/// The state of a rate limit and its rules, without clock and lock.
///
/// The bucket is stored as in the generic cell rate algorithm (GCRA): as the point in time at which it would be full again.
/// Each sent request moves that time by one interval. A request may be sent if the time is at most a burst ahead of now.
struct TokenBucket: CountedState, Equatable {
  /// The time at which the bucket is full.
  var full = Duration.zero
  /// The time until which the server wants no requests.
  var blockedUntil = Duration.zero
  /// The number of requests that the server still allows before ``allowanceEnds``; nil if it did not announce one.
  var allowance: Int?
  var allowanceEnds = Duration.zero

  /// Returns the time for one token: zero without a limit.
  static func interval(_ policy: RateLimit.Policy) -> Duration {
    guard let count = policy.count else { return .zero }
    return max(policy.interval.withinClocks, .nanoseconds(1)) / max(1, min(count, 1_000_000_000))
  }

  /// Returns how far ``full`` may be ahead of now for one more request.
  private static func tolerance(_ policy: RateLimit.Policy) -> Duration {
    let burst = max(1, min(policy.burst ?? policy.count ?? 1, 1_000_000_000))
    return (interval(policy) * (burst - 1)).withinClocks
  }

  /// Returns the time in which an empty bucket fills.
  static func refillTime(_ policy: RateLimit.Policy) -> Duration {
    (tolerance(policy) + interval(policy)).withinClocks
  }

  /// Takes a token and returns nil. From an empty bucket, returns the time until the next token.
  mutating func take(at now: Duration, _ policy: RateLimit.Policy) -> Duration? {
    let wait = wait(at: now, policy)
    guard wait <= .zero else { return wait }
    full = max(full, now) + Self.interval(policy)
    if let left = allowance { allowance = left - 1 }
    return nil
  }

  /// Gives back the token of a request that was not sent.
  mutating func giveBack(_ policy: RateLimit.Policy) {
    full = max(.zero, full - Self.interval(policy))
    if let left = allowance { allowance = left + 1 }
  }

  /// Returns the time until a token can be taken; zero if there is one now.
  mutating func wait(at now: Duration, _ policy: RateLimit.Policy) -> Duration {
    let tolerance = Self.tolerance(policy)
    // Bounds the time: in a store, a clock that is ahead may have written it.
    full = min(full, now + tolerance + Self.interval(policy))
    blockedUntil = min(blockedUntil, now + policy.maximumServerDelay.withinClocks)
    allowanceEnds = min(allowanceEnds, now + policy.maximumServerDelay.withinClocks)
    if allowanceEnds <= now { allowance = nil }
    var wait = max(.zero, full - tolerance - now, blockedUntil - now)
    if let allowance, allowance < 1 { wait = max(wait, allowanceEnds - now) }
    return wait
  }

  /// Applies the quota of a response.
  mutating func obey(_ quota: ServerQuota, at now: Duration, _ policy: RateLimit.Policy) {
    guard policy.obeysServer else { return }
    let limit = policy.maximumServerDelay.withinClocks
    if let delay = quota.retryAfter { blockedUntil = max(blockedUntil, now + min(delay.withinClocks, limit)) }
    guard let left = quota.remaining, let reset = quota.reset else { return }
    let ends = now + min(reset.withinClocks, limit)
    // A response that was overtaken by others in the same window announces too many: requests in flight are already counted
    // here.
    if let known = allowance, allowanceEnds > now {
      allowance = min(known, left)
      if left <= known { allowanceEnds = ends }
    } else {
      (allowance, allowanceEnds) = (left, ends)
    }
  }
}

/// The text form, one line: `1 1700000000000000000 0 42 1700000060000000000`.
extension TokenBucket {
  init?(text: String) {
    let words = text.split(separator: " ", maxSplits: 10)
    guard words.count == 5, words[0] == "1", let full = Duration(storedNanoseconds: words[1]),
      let blockedUntil = Duration(storedNanoseconds: words[2]), let ends = Duration(storedNanoseconds: words[4])
    else { return nil }
    let allowance = Int(words[3])
    guard words[3] == "-" || allowance.map({ (0...1 << 50).contains($0) }) == true else { return nil }
    self.init(full: full, blockedUntil: blockedUntil, allowance: allowance, allowanceEnds: ends)
  }

  var text: String {
    let times = [full, blockedUntil, allowanceEnds].map { "\($0.storedNanoseconds)" }
    return "1 \(times[0]) \(times[1]) \(allowance.map { "\(max(0, $0))" } ?? "-") \(times[2])"
  }
}

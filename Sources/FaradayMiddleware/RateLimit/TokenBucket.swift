internal import FaradayCore

/// The state of a rate limit, and the rules by which it changes: no clock, no lock.
///
/// The bucket is kept as the generic cell rate algorithm does (GCRA): one time, at which it would be full again. Sending moves it
/// by one interval; a request may be sent if it is no more than a burst ahead of now.
struct TokenBucket: CountedState, Equatable {
  /// The time at which the bucket is full.
  var full = Duration.zero
  /// The server has asked to send nothing before.
  var blockedUntil = Duration.zero
  /// How many requests the server still allows before ``allowanceEnds``; nil if it did not say.
  var allowance: Int?
  var allowanceEnds = Duration.zero

  /// The time in which one token comes: zero without a limit.
  static func interval(_ policy: RateLimit.Policy) -> Duration {
    guard let count = policy.count else { return .zero }
    return max(policy.interval.withinClocks, .nanoseconds(1)) / max(1, min(count, 1_000_000_000))
  }

  /// How far ahead of now ``full`` may be for one more request.
  private static func tolerance(_ policy: RateLimit.Policy) -> Duration {
    let burst = max(1, min(policy.burst ?? policy.count ?? 1, 1_000_000_000))
    return (interval(policy) * (burst - 1)).withinClocks
  }

  /// The time in which an empty bucket fills.
  static func refillTime(_ policy: RateLimit.Policy) -> Duration {
    (tolerance(policy) + interval(policy)).withinClocks
  }

  /// Takes a token: nil. If there is none, the time until there may be one.
  mutating func take(at now: Duration, _ policy: RateLimit.Policy) -> Duration? {
    let wait = wait(at: now, policy)
    guard wait <= .zero else { return wait }
    full = max(full, now) + Self.interval(policy)
    if let left = allowance { allowance = left - 1 }
    return nil
  }

  /// The time until a token can be taken; zero if it can now.
  mutating func wait(at now: Duration, _ policy: RateLimit.Policy) -> Duration {
    let tolerance = Self.tolerance(policy)
    // No further ahead than a clock of the same time can have brought it, if it stands in a store.
    full = min(full, now + tolerance + Self.interval(policy))
    blockedUntil = min(blockedUntil, now + policy.maximumServerDelay.withinClocks)
    allowanceEnds = min(allowanceEnds, now + policy.maximumServerDelay.withinClocks)
    if allowanceEnds <= now { allowance = nil }
    var wait = max(.zero, full - tolerance - now, blockedUntil - now)
    if let allowance, allowance < 1 { wait = max(wait, allowanceEnds - now) }
    return wait
  }

  /// Takes over what a response says.
  mutating func obey(_ quota: ServerQuota, at now: Duration, _ policy: RateLimit.Policy) {
    guard policy.obeysServer else { return }
    let limit = policy.maximumServerDelay.withinClocks
    if let delay = quota.retryAfter { blockedUntil = max(blockedUntil, now + min(delay.withinClocks, limit)) }
    guard let left = quota.remaining, let reset = quota.reset else { return }
    let ends = now + min(reset.withinClocks, limit)
    // Of the same window a response that was overtaken by others says too much; those in flight are counted here already.
    if let known = allowance, allowanceEnds > now {
      allowance = min(known, left)
      if left <= known { allowanceEnds = ends }
    } else {
      (allowance, allowanceEnds) = (left, ends)
    }
  }
}

/// As a line of text: `1 1700000000000000000 0 42 1700000060000000000`.
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

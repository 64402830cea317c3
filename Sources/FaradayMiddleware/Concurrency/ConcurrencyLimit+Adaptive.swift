private import Synchronization
internal import FaradayCore

extension ConcurrencyLimit {
  /// The adaptation of a limit: AIMD, additive increase and multiplicative decrease, as in TCP's congestion control (RFC 5681),
  /// with the latency as its signal.
  ///
  /// The latency is the time from the admission to the head of the response. The minimum latency of the last one to two
  /// ``window`` responses is the time that the server needs without a queue. A response that took longer than ``tolerance``
  /// times that minimum, a 429, 503 or 504, and a transient error multiply the limit by ``backoff``, but only once for all
  /// requests that were in flight at that time. Any other response adds one divided by the limit, if at least half of the
  /// places were in use: about one place for each round of requests.
  public struct Adaptive: Sendable {
    /// The initial limit. 10 by default.
    public var initial: Int
    /// The minimum limit, at least 1. 1 by default.
    public var minimum: Int
    /// The maximum limit, a million at most. 200 by default.
    public var maximum: Int
    /// The maximum latency as a multiple of the minimum latency, more than 1. 2 by default.
    public var tolerance: Double
    /// The factor of the decrease, between 0 and 1. 0.9 by default.
    public var backoff: Double
    /// The number of responses after which the minimum latency is measured again, so that a server that is now permanently
    /// slower is not compared with its former latency. 500 by default.
    public var window: Int

    /// Creates an adaptation. By default the limit is between 1 and 200, and starts at 10.
    public init(
      initial: Int = 10, minimum: Int = 1, maximum: Int = 200, tolerance: Double = 2, backoff: Double = 0.9, window: Int = 500
    ) {
      self.initial = initial
      self.minimum = minimum
      self.maximum = maximum
      self.tolerance = tolerance
      self.backoff = backoff
      self.window = window
    }

    /// The statuses of an overloaded server.
    static let overload: Set = [429, 503, 504]

    /// A copy with each value clamped to its range.
    var checked: Adaptive {
      var checked = self
      checked.minimum = min(max(1, minimum), 1_000_000)
      checked.maximum = min(max(checked.minimum, maximum), 1_000_000)
      checked.initial = min(max(checked.minimum, initial), checked.maximum)
      checked.tolerance = tolerance > 1 ? min(tolerance, 1000) : 2
      checked.backoff = backoff > 0 && backoff < 1 ? backoff : 0.9
      checked.window = max(1, window)
      return checked
    }
  }

  /// The adapted limits, by key.
  final class Adaptation: Sendable {
    let elapsed: @Sendable () -> Duration
    private let adaptive: Adaptive
    private let limits = Mutex(LeastRecentlyUsed<String, AdaptedLimit>(capacity: 1000))

    /// - Parameter adaptive: values that are clamped to their ranges.
    init(_ adaptive: Adaptive, clock: any Clock<Duration>) {
      self.adaptive = adaptive
      elapsed = clock.stopwatch()
    }

    func limit(_ key: String) -> Int { limits.withLock { $0[key]?.places ?? adaptive.initial } }

    /// Records a response, and returns the new limit.
    func record(_ key: String, since start: Duration, inFlight: Int, isOverloaded: Bool) -> Int {
      let now = elapsed()
      return limits.withLock { limits in
        var limit = limits[key] ?? AdaptedLimit(adaptive)
        limit.record(start..<max(start, now), inFlight: inFlight, isOverloaded: isOverloaded, adaptive)
        limits[key] = limit
        return limit.places
      }
    }
  }
}

/// An adapted limit and its rules, without clock and lock.
struct AdaptedLimit: Sendable {
  private var limit: Double
  /// The minimum latency of the current window and of the previous one.
  private var least: Duration?
  private var leastBefore: Duration?
  private var answers = 0
  private var lastDecrease = Duration.zero - .nanoseconds(1)

  var places: Int { Int(limit) }

  init(_ adaptive: ConcurrencyLimit.Adaptive) { limit = Double(adaptive.initial) }

  /// - Parameter exchange: the time from the admission to the head.
  mutating func record(
    _ exchange: Range<Duration>, inFlight: Int, isOverloaded: Bool, _ adaptive: ConcurrencyLimit.Adaptive
  ) {
    let latency = exchange.upperBound - exchange.lowerBound
    let usual = min(least ?? latency, leastBefore ?? latency)
    // A failed request may have been fast, so it does not measure the latency.
    if !isOverloaded {
      answers += 1
      least = min(least ?? latency, latency)
      if answers >= adaptive.window { (leastBefore, least, answers) = (least, nil, 0) }
    }
    if isOverloaded || latency > usual.scaled(by: adaptive.tolerance) {
      // The last decrease already covers requests that were sent before it.
      guard exchange.lowerBound > lastDecrease else { return }
      lastDecrease = exchange.upperBound
      limit = max(Double(adaptive.minimum), limit * adaptive.backoff)
    } else if Double(inFlight) * 2 >= limit {
      limit = min(Double(adaptive.maximum), limit + 1 / limit)
    }
  }
}

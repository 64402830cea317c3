public import FaradayCore

extension CircuitBreaker {
  /// The thresholds at which a circuit opens, the time for which it stays open, and the probes that close it.
  ///
  ///     connection.use(.circuitBreaker(CircuitBreaker.Policy(failures: 20, ratio: 0.3, window: .seconds(60))))
  ///
  /// A circuit opens when both ``failures`` and ``ratio`` are reached within ``window``. By default: at least ten failures and
  /// half of all requests within ten seconds. An origin that is down opens it with the tenth failure, or, under steady traffic,
  /// after half the window. Fewer failures never open it: with few requests, or long connect timeouts, choose fewer
  /// ``failures`` or a longer ``window``. An origin with occasional failures never opens it, at any volume.
  public struct Policy: Sendable {
    /// The number of failures within ``window`` that are needed to open the circuit, at least 1. 10 by default.
    public var failures: Int
    /// The share of failures of all requests within ``window``, from 0 to 1, that is needed as well. 0.5 by default; with 0 the number
    /// alone decides.
    public var ratio: Double
    /// The time within which requests are counted, in steps of a tenth. 10 seconds by default.
    public var window: Duration
    /// How long the circuit stays open at first. 5 seconds by default.
    public var delay: Duration
    /// The factor by which the delay grows with each failed probe, at least 1. 2 by default.
    public var growth: Double
    /// The upper bound of the delay, before jitter. 60 seconds by default.
    public var maximumDelay: Duration
    /// The share of the delay, from 0 to 1, that is added to it at random, so that the probes of many clients are spread. 0.1
    /// by default.
    public var jitter: Double
    /// The number of concurrent probes, at least 1. All must succeed. 1 by default.
    public var probes: Int
    /// The time after which a probe without a response loses its place, and its response no longer counts. It must exceed the
    /// server's response time, or the circuit never closes. 60 seconds by default.
    public var probeLifetime: Duration
    /// The status codes that are failures: 500 to 599 by default, without 501 and 505, which are permanent.
    public var statuses: Set<Int>
    /// The transport errors that are failures: by default an unreachable server, a broken connection, invalid HTTP, and
    /// timeouts, except timeouts in the adapter's queue. An unreachable proxy is not a failure of the origin.
    public var errors: Set<TransportError.Code>
    /// Overrides ``statuses`` and ``errors``: whether a response or an error is a failure; nil leaves the decision to them. Not
    /// called for cancelled requests. Called with the head; it must not read the body.
    public var isFailure: (@Sendable (Result<Response, any Error>) -> Bool?)?

    /// Creates a policy. By default ten failures that are half of all requests within 10 seconds open the circuit for 5
    /// seconds, and one probe follows.
    public init(
      failures: Int = 10, ratio: Double = 0.5, window: Duration = .seconds(10), delay: Duration = .seconds(5),
      growth: Double = 2, maximumDelay: Duration = .seconds(60), jitter: Double = 0.1, probes: Int = 1,
      probeLifetime: Duration = .seconds(60), statuses: Set<Int> = Set(500...599).subtracting([501, 505]),
      errors: Set<TransportError.Code> = TransportError.Code.connectionFailures.subtracting([.proxyUnreachable]).union([
        .totalTimeout, .tooSlow, .malformedResponse,
      ]),
      isFailure: (@Sendable (Result<Response, any Error>) -> Bool?)? = nil
    ) {
      self.failures = failures
      self.ratio = ratio
      self.window = window
      self.delay = delay
      self.growth = growth
      self.maximumDelay = maximumDelay
      self.jitter = jitter
      self.probes = probes
      self.probeLifetime = probeLifetime
      self.statuses = statuses
      self.errors = errors
      self.isFailure = isFailure
    }

    /// Returns how long the circuit stays open after this number of openings in a row.
    func delay(opening: Int, random: Double) -> Duration {
      Backoff(initial: delay, maximum: maximumDelay, growth: growth).bound(ofRetry: opening)
        .scaled(by: 1 + Self.fraction(jitter) * Self.fraction(random))
    }

    private static func fraction(_ number: Double) -> Double { number > 0 ? min(number, 1) : 0 }
  }
}

public import FaradayCore

extension CircuitBreaker {
  /// When a circuit opens, for how long, and what closes it.
  ///
  ///     connection.use(.circuitBreaker(CircuitBreaker.Policy(failures: 20, ratio: 0.3, window: .seconds(60))))
  ///
  /// A circuit opens when both ``failures`` and ``ratio`` are reached within ``window``. By default these are ten failures that are
  /// half of all requests within ten seconds. An origin that is down opens it with the tenth failure, or, after steady traffic, when
  /// it has been down for half the window. Fewer failures never open it: with few requests, or long connect timeouts, choose fewer
  /// ``failures`` or a longer ``window``. An origin that fails now and then does not open it at any volume. The rule is that of
  /// Hystrix (half of twenty requests within ten seconds). resilience4j (half of the last 100) and Polly (a tenth of 100 within 30
  /// seconds) need more requests.
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
    /// The factor by which the delay grows with each probe that fails, at least 1. 2 by default.
    public var growth: Double
    /// The upper bound of the delay, before jitter. 60 seconds by default.
    public var maxDelay: Duration
    /// The share of the delay, from 0 to 1, that is added to it at random, so that the probes of many clients do not come
    /// together. 0.1 by default.
    public var jitter: Double
    /// The number of probes at the same time, all of which must succeed, at least 1. 1 by default.
    public var probes: Int
    /// The time after which a probe without an answer no longer keeps its place, and its answer no longer counts. It must be longer than
    /// the server takes, or the circuit never closes. 60 seconds by default.
    public var probeLifetime: Duration
    /// The status codes that are failures: 500 to 599 by default, without 501 and 505, which are no passing state.
    public var statuses: Set<Int>
    /// The transport errors that are failures: by default a server that cannot be reached, a connection that breaks, no valid
    /// HTTP, and timeouts, without those of the adapter's own queue. A proxy that cannot be reached says nothing of the origin.
    public var errors: Set<TransportError.Code>
    /// Overrides ``statuses`` and ``errors``: whether a response or an error is a failure; nil leaves the decision to them. Not
    /// asked about cancelled requests. It gets the head; the body must not be read.
    public var isFailure: (@Sendable (Result<Response, any Error>) -> Bool?)?

    /// The defaults: ten failures that are half of all requests within 10 seconds open the circuit for 5 seconds, then one probe.
    public init(
      failures: Int = 10, ratio: Double = 0.5, window: Duration = .seconds(10), delay: Duration = .seconds(5),
      growth: Double = 2, maxDelay: Duration = .seconds(60), jitter: Double = 0.1, probes: Int = 1,
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
      self.maxDelay = maxDelay
      self.jitter = jitter
      self.probes = probes
      self.probeLifetime = probeLifetime
      self.statuses = statuses
      self.errors = errors
      self.isFailure = isFailure
    }

    /// How long the circuit is open after so many openings in a row.
    func delay(opening: Int, random: Double) -> Duration {
      var span = delay.withinClocks
      let limit = maxDelay.withinClocks
      let factor = growth >= 1 ? growth : 1
      for _ in 1..<max(1, min(opening, 1000)) where span < limit { span = span.scaled(by: factor) }
      return min(span, limit).scaled(by: 1 + Self.fraction(jitter) * Self.fraction(random))
    }

    private static func fraction(_ number: Double) -> Double { number > 0 ? min(number, 1) : 0 }
  }
}

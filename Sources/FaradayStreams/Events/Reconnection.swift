internal import FaradayCore

extension EventStream {
  /// The rules for reconnections after a stream has ended or failed.
  ///
  ///     connection.events("prices", reconnects: .automatic(limit: .max))
  ///     connection.events("chat", method: .post, body: prompt, reconnects: .never)
  ///
  /// What reconnects: the end of a stream, a transient error (``FaradayCore/FaradayError/isTransient``: a failed or broken
  /// connection, a timeout), and, before a stream, the status 429 and 500 to 599. A compressed stream that is malformed or
  /// above its limits (``FaradayCore/Decompression``) is requested again if it has had an event. Any other error is thrown. The
  /// last error is thrown when more than ``limit`` attempts in a row have failed. The status 204 ends the stream.
  ///
  /// When: after the server's `retry` time, within ``retryBounds``; without a `retry` time after a random delay (full jitter)
  /// of at most ``initialDelay``. That upper bound doubles with each reconnection up to ``maximumDelay`` (exponential backoff),
  /// and an event resets it. From the second reconnection on, the server's time is the minimum of the delay. `Retry-After` is a
  /// minimum too.
  public struct Reconnection: Sendable {
    /// Whether it reconnects.
    let isAutomatic: Bool
    /// The maximum number of failed attempts in a row, without an open stream, before the error is thrown. 10 by default.
    public var limit: Int
    /// The upper bound of the first delay: one second by default.
    public var initialDelay: Duration
    /// The upper bound of all delays that the server has not requested: 30 seconds by default.
    public var maximumDelay: Duration
    /// The longest `Retry-After` that is honored. A response with a longer one is thrown as an error. Five minutes by default.
    public var maximumRetryAfter: Duration
    /// The bounds of the server's `retry` time: 100 milliseconds to one hour by default. A shorter or longer time is clamped.
    public var retryBounds: ClosedRange<Duration>
    /// Called before each delay.
    public var onReconnect: (@Sendable (Interruption) async -> Void)?
    /// Measures the delays; tests pass a manual one.
    public var clock: any Clock<Duration>
    /// The jitter, from 0 to 1.
    package var random: @Sendable () -> Double
    /// Seconds since 1970, for dates in `Retry-After`.
    package var now: @Sendable () -> Int64

    /// Never: the iteration ends with the stream, and throws if it breaks off.
    public static let never = Reconnection(isAutomatic: false)

    /// Reconnects, with the defaults.
    public static let automatic = Reconnection(isAutomatic: true)

    /// Reconnects, up to a maximum number of failed attempts in a row.
    public static func automatic(
      limit: Int = 10, initialDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(30),
      clock: any Clock<Duration> = .continuous, onReconnect: (@Sendable (Interruption) async -> Void)? = nil
    ) -> Self {
      var reconnection = automatic
      reconnection.limit = limit
      reconnection.initialDelay = initialDelay
      reconnection.maximumDelay = maximumDelay
      reconnection.clock = clock
      reconnection.onReconnect = onReconnect
      return reconnection
    }

    private init(isAutomatic: Bool) {
      self.isAutomatic = isAutomatic
      limit = 10
      initialDelay = .seconds(1)
      maximumDelay = .seconds(30)
      maximumRetryAfter = .seconds(300)
      retryBounds = .milliseconds(100) ... .seconds(3600)
      clock = .continuous
      random = { .random(in: 0...1) }
      now = { Int64(Date.now.timeIntervalSince1970) }
    }
  }

  /// A stream that is about to be requested again, for ``Reconnection/onReconnect``.
  public struct Interruption: Sendable {
    /// The reason: the error of the transport, or ``FaradayCore/StatusError``; nil if the server has ended the stream.
    public let error: (any Error)?
    /// The delay before the reconnection.
    public let delay: Duration
    /// The number of reconnections since the last event: 0 for the first.
    public let reconnections: Int
    /// The value of `Last-Event-ID`; empty if none is sent.
    public let lastEventID: String
  }
}

extension EventStream.Reconnection {
  /// Returns the delay before the next attempt.
  ///
  /// - Parameters:
  ///   - reconnections: the number of reconnections since the last event.
  ///   - retry: the server's reconnection time.
  ///   - retryAfter: the `Retry-After` of a response.
  func delay(reconnections: Int, retry: Duration?, retryAfter: Duration?) -> Duration {
    let backoff = Backoff(initial: initialDelay, maximum: maximumDelay)
    let (number, random) = (min(max(0, reconnections), 1000) + 1, random())
    let jitter = backoff.delay(beforeRetry: number, random: random)
    let retry = retry.map { min(max($0, retryBounds.lowerBound), retryBounds.upperBound) }
    let wait =
      switch retry {
      case let retry? where reconnections == 0: retry
      // Prevents immediate reconnections to a server that ends each connection at once.
      case let retry?: max(retry, jitter)
      case nil: jitter
      }
    guard let retryAfter else { return wait.withinClocks }
    return max(wait, backoff.delay(beforeRetry: number, random: random, retryAfter: retryAfter)).withinClocks
  }
}

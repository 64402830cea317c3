internal import FaradayCore

extension EventStream {
  /// Whether and when a stream that has ended or broken off is requested again.
  ///
  ///     connection.events("prices", reconnects: .automatic(limit: .max))
  ///     connection.events("chat", method: .post, body: prompt, reconnects: .never)
  ///
  /// What reconnects: the end of a stream, an error that is transient (``FaradayCore/FaradayError/isTransient``: a connection
  /// that fails or breaks, a timeout), and, before a stream, the status 429 and 500 to 599. A compressed stream that is malformed
  /// or over its limits (``FaradayCore/Decompression``) is requested again if it has brought an event. Any other error is thrown,
  /// and so is the last one when more than ``limit`` attempts in a row have failed. The status 204 ends the stream.
  ///
  /// When: after the server's `retry` time, within ``retryBounds``, or without one after a random delay (full jitter) of at most
  /// ``initialDelay``. That upper bound doubles with each reconnection up to ``maximumDelay`` (exponential backoff), and an event
  /// resets it; the server's time is the minimum then. So is `Retry-After`.
  public struct Reconnection: Sendable {
    /// Whether it reconnects.
    let isAutomatic: Bool
    /// How many attempts in a row may fail, so that no stream is opened, before the error is thrown. 10 by default.
    public var limit: Int
    /// The upper bound of the first delay: one second by default.
    public var initialDelay: Duration
    /// The upper bound of all delays that the server has not asked for: 30 seconds by default.
    public var maximumDelay: Duration
    /// The longest `Retry-After` that is honored; an answer that asks for more is thrown. Five minutes by default.
    public var maximumRetryAfter: Duration
    /// The bounds of the server's `retry` time: 100 milliseconds to one hour by default. A server that asks for less, or for more, gets
    /// the bound.
    public var retryBounds: ClosedRange<Duration>
    /// Called before each delay.
    public var onReconnect: (@Sendable (Interruption) async -> Void)?
    /// Measures the delays; tests pass a manual one.
    public var clock: any Clock<Duration>
    /// The jitter, from 0 to 1.
    public var random: @Sendable () -> Double
    /// Seconds since 1970, for dates in `Retry-After`.
    public var now: @Sendable () -> Int64

    /// Never: the iteration ends with the stream, and throws if it breaks off.
    public static let never = Reconnection(isAutomatic: false)

    /// Reconnects, with the defaults.
    public static let automatic = Reconnection(isAutomatic: true)

    /// Reconnects, unless so many attempts in a row have failed.
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
    /// Why: what the transport threw, or ``FaradayCore/UnexpectedStatus``; nil if the server has ended the stream.
    public let error: (any Error)?
    /// How long it waits.
    public let delay: Duration
    /// How many reconnections there were since the last event: 0 for the first.
    public let reconnections: Int
    /// What is sent as `Last-Event-ID`; empty for none.
    public let lastEventID: String
  }
}

extension EventStream.Reconnection {
  /// The delay before the next attempt.
  ///
  /// - Parameters:
  ///   - reconnections: how many there were since the last event.
  ///   - retry: the server's reconnection time.
  ///   - retryAfter: what a status asked for.
  func delay(reconnections: Int, retry: Duration?, retryAfter: Duration?) -> Duration {
    let jitter = jitter(reconnections)
    let retry = retry.map { min(max($0, retryBounds.lowerBound), retryBounds.upperBound) }
    let wait =
      switch retry {
      case let retry? where reconnections == 0: retry
      // A server that ends each connection at once is not asked without a pause.
      case let retry?: max(retry, jitter)
      case nil: jitter
      }
    // Jitter is added to it: all clients that got the same Retry-After would come back at the same time.
    let asked = retryAfter.map { $0.withinClocks + min(jitter, initialDelay.withinClocks) } ?? .zero
    return max(wait, asked).withinClocks
  }

  private func jitter(_ reconnections: Int) -> Duration {
    let top = maximumDelay.withinClocks
    var span = min(initialDelay.withinClocks, top)
    for _ in 0..<min(max(0, reconnections), 64) where span < top { span = min(span * 2, top) }
    let factor = random()
    // A factor that is no number, or out of range, is 1.
    return (0...1).contains(factor) ? span * factor : span
  }
}

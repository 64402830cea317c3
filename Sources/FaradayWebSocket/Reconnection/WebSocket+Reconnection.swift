internal import FaradayCore

extension WebSocket {
  /// The rules for reconnections of ``WebSocketMessages``.
  ///
  /// What reconnects: a transient error of the transport (``FaradayCore/FaradayError/isTransient``), a connection that ends without
  /// a close frame, a server that sends nothing after a ping, the close codes 1001, 1011, 1012 and 1013, and, instead of a
  /// switch, the status 429 and 500 to 599. The code 1000, or none, ends the messages. Any other code and error is thrown. The
  /// last error is thrown after ``limit`` reconnections in a row without a message.
  ///
  /// When: after a random delay (full jitter) of at most ``initialDelay``. That upper bound doubles with each reconnection up to
  /// ``maximumDelay`` (exponential backoff). Each message resets the bound and the number of reconnections, also a greeting of
  /// the server. `Retry-After` is a minimum, up to ``maximumRetryAfter``.
  public struct Reconnection: Sendable {
    /// The maximum number of reconnections in a row without a message. 10 by default; 0 for no reconnections.
    public var limit = 10
    /// The upper bound of the first delay: one second by default.
    public var initialDelay: Duration = .seconds(1)
    /// The upper bound of all delays that the server has not requested: 30 seconds by default.
    public var maximumDelay: Duration = .seconds(30)
    /// The longest `Retry-After` that is honored. A response with a longer one is thrown as an error. Five minutes by default.
    public var maximumRetryAfter: Duration = .seconds(300)
    /// Called before each delay.
    public var onReconnect: (@Sendable (Interruption) async -> Void)?
    /// Measures the delays; tests pass a manual one.
    public var clock: any Clock<Duration> = .continuous
    /// The jitter, from 0 to 1.
    package var random: @Sendable () -> Double = { .random(in: 0...1) }
    /// Seconds since 1970, for dates in `Retry-After`.
    package var now: @Sendable () -> Int64 = { Int64(Date.now.timeIntervalSince1970) }

    /// The defaults.
    public init() {}
  }

  /// A socket that is about to be opened again, for ``Reconnection/onReconnect``.
  public struct Interruption: Sendable {
    /// The reason: an error of the socket, of the transport, or ``FaradayCore/StatusError``; nil if the server has closed with
    /// the code 1001.
    public let error: (any Error)?
    /// The delay before the reconnection.
    public let delay: Duration
    /// The number of reconnections since the last message: 0 for the first.
    public let reconnections: Int
  }
}

extension WebSocket.Reconnection {
  /// Returns the delay before the next attempt; nil if there must be none.
  ///
  /// - Parameters:
  ///   - error: the error of the attempt; nil if the server has closed with the code 1001.
  ///   - reconnections: the number of reconnections since the last message.
  func delay(after error: (any Error)?, reconnections: Int) -> Duration? {
    guard reconnections < limit else { return nil }
    var retryAfter: Duration?
    if let error {
      guard let reopening = Reopening(after: error, maximumRetryAfter: maximumRetryAfter, now: now) else { return nil }
      retryAfter = reopening.retryAfter
    }
    return Backoff(initial: initialDelay, maximum: maximumDelay)
      .delay(beforeRetry: reconnections + 1, random: random(), retryAfter: retryAfter)
  }
}

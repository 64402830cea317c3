/// An event for an adapter's `onEvent`: an exchange has reached a phase. An event contains no header fields and no body, except
/// in the ``error`` of a failed exchange, whose description does not show them.
///
/// An exchange has at most one ``Phase/started``, and exactly one ``Phase/end``, the last event. Other phases are omitted if
/// they do not happen, and repeated if the request is sent again, over another connection (``Adapter``) or in response to a
/// challenge.
public struct ExchangeEvent: Sendable {
  /// A phase, in the usual order. All but ``connected`` are reported when they happen.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The exchange waits in the request queue. Omitted if it starts at once.
    case queued
    /// The exchange has left the queue, and is passed to the transport.
    case started
    /// The host name is resolved, and the first connection is attempted. Omitted over a kept connection.
    case resolved
    /// TCP is connected. Omitted over a kept connection. Reported together with ``secured``, or when the request is sent.
    /// ``time`` is the time of the TCP connection, or of the TLS handshake with libcurl before 8.0.
    case connected
    /// The TLS handshake is done. Omitted over a kept connection, and over `http`. With early data (``TLS/sendsEarlyData``) it
    /// follows ``headSent``.
    case secured
    /// The head of the request is written to the socket (or to the TLS layer).
    case headSent
    /// The whole body of the request is written to the socket. Omitted without a body, and if the response ends the upload.
    case bodySent
    /// The first byte of the response has arrived, not counting informational (1xx) responses.
    case firstByte
    /// The response's head is complete.
    case head
    /// The exchange is over. ``error`` is its error, if any.
    case end
  }

  /// The connection that an exchange uses.
  public struct Connection: Sendable, Hashable {
    /// A number that is unique among the connections of the process.
    public let id: Int
    /// Whether the connection was kept from an earlier exchange (keep-alive).
    public let isReused: Bool
    /// The server's IP address and port, `127.0.0.1:80` or `[::1]:80`; nil for a Unix socket.
    public let remoteAddress: String?

    /// A connection.
    @_spi(Adapters) public init(id: Int, isReused: Bool, remoteAddress: String?) {
      self.id = id
      self.isReused = isReused
      self.remoteAddress = remoteAddress
    }
  }

  /// A number that is unique among the exchanges of the process.
  public let exchange: Int
  /// The phase.
  public let phase: Phase
  /// The time from the request's arrival at the adapter to the phase.
  public let time: Duration
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's origin, `https://example.com`.
  public let origin: String
  /// The connection, from ``Phase/connected`` on; nil before, and if the connection is unknown.
  public let connection: Connection?
  /// The response's status, from ``Phase/head`` on.
  public let status: Int?
  /// The error of the exchange, at ``Phase/end``: `CancellationError` if the exchange was cancelled, nil if it succeeded.
  public let error: (any Error)?

  /// An event from an adapter.
  @_spi(Adapters) public init(
    exchange: Int, phase: Phase, time: Duration, method: HTTPRequest.Method, origin: String, connection: Connection? = nil,
    status: Int? = nil, error: (any Error)? = nil
  ) {
    self.exchange = exchange
    self.phase = phase
    self.time = time
    self.method = method
    self.origin = origin
    self.connection = connection
    self.status = status
    self.error = error
  }
}

/// Receives ``ExchangeEvent``s on the adapter's thread, the events of each exchange in order. The handler must not block.
public typealias ExchangeEventHandler = @Sendable (ExchangeEvent) -> Void

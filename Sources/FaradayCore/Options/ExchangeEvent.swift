/// A phase of an exchange, reported as it is reached: for an adapter's `onEvent`. It holds no header fields and no body, but for those that the
/// ``error`` of a failed exchange may hold, which its description does not show.
///
/// An exchange has one ``Phase/started`` at most, and exactly one ``Phase/end``, the last event. The other phases are left out
/// if they do not happen, and are reported again if the request is sent again over another connection (``Adapter``) or with an
/// answer to a challenge.
public struct ExchangeEvent: Sendable {
  /// A phase, in the usual order. All but ``connected`` are reported when they happen.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// It waits in the request queue. Left out if it starts at once.
    case queued
    /// It has left the queue, and is given to the transport.
    case started
    /// The host name is resolved, and the first connection is attempted. Left out over a kept connection.
    case resolved
    /// TCP is connected. Left out over a kept connection. Reported together with ``secured``, or when the request is sent;
    /// ``time`` is that of TCP, with libcurl before 8.0 that of the handshake behind it.
    case connected
    /// The TLS handshake is done. Left out over a kept connection, and over `http`.
    case secured
    /// The head of the request is written to the socket (or to the TLS layer).
    case headSent
    /// All of the request's body is written to the socket. Left out without a body, and if the response ends the upload.
    case bodySent
    /// The first byte of the response has arrived; of the final one, if there are informational (1xx) ones.
    case firstByte
    /// The response's head is complete.
    case head
    /// The exchange is over: ``error`` says how.
    case end
  }

  /// The connection that an exchange uses.
  public struct Connection: Sendable, Hashable {
    /// A number that no other connection of the process has.
    public let id: Int
    /// Whether the connection was kept from an earlier exchange (keep-alive).
    public let isReused: Bool
    /// The server's IP address and port, `127.0.0.1:80` or `[::1]:80`; nil for a Unix socket.
    public let remoteAddress: String?

    /// A connection.
    public init(id: Int, isReused: Bool, remoteAddress: String?) {
      self.id = id
      self.isReused = isReused
      self.remoteAddress = remoteAddress
    }
  }

  /// A number that no other exchange of the process has.
  public let exchange: Int
  /// The phase.
  public let phase: Phase
  /// When the phase was reached: the time since the request reached the adapter.
  public let time: Duration
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's origin, `https://example.com`.
  public let origin: String
  /// The connection, from ``Phase/connected`` on; nil before, and if it is unknown.
  public let connection: Connection?
  /// The response's status, from ``Phase/head`` on.
  public let status: Int?
  /// Of ``Phase/end``: why the exchange failed, `CancellationError` if it was cancelled; nil if it ended well.
  public let error: (any Error)?

  /// An event, made by an adapter.
  public init(
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

/// Receives ``ExchangeEvent``s, those of an exchange in order, on the adapter's thread: it must not block.
public typealias ExchangeEventHandler = @Sendable (ExchangeEvent) -> Void

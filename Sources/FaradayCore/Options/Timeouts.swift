/// The timeouts of one request; nil is no limit. Each timeout has an error code.
public struct Timeouts: Sendable, Hashable {
  /// The maximum wait for a connection while the adapter's connection pool is exhausted. Nil by default: only ``total`` limits
  /// it. Throws ``TransportError/Code/queueTimeout``.
  public var queue: Duration?
  /// The maximum time of the DNS lookup. Nil by default: only ``connect`` limits it. Throws
  /// ``TransportError/Code/resolveTimeout``.
  public var resolve: Duration?
  /// The maximum time to connect: DNS, TCP and the TLS handshake. 30 seconds by default. Throws
  /// ``TransportError/Code/connectTimeout``.
  public var connect: Duration?
  /// The maximum time of the TLS handshake, from the established TCP connection. Nil by default: only ``connect`` limits it.
  /// Throws ``TransportError/Code/tlsTimeout``, up to an eighth of the limit late.
  public var tls: Duration?
  /// The maximum time from the ready connection to the first byte of the response, or of an informational response. It includes
  /// sending the request. Nil by default. Throws ``TransportError/Code/firstByteTimeout``.
  public var firstByte: Duration?
  /// The maximum time without a byte sent or received (read timeout). Time in which the transfer waits for the caller's body
  /// source or reader does not count. 60 seconds by default. Throws ``TransportError/Code/idleTimeout``. Over libcurl and
  /// HTTP/1 every byte on the wire counts, and the timeout may fire up to a quarter of the limit late. Over HTTP/2 and HTTP/3
  /// only the bytes of the exchange count.
  public var idle: Duration?
  /// The maximum time of the whole exchange (deadline), from the call to the end of the response's body, including the wait for
  /// a connection. Nil by default. Throws ``TransportError/Code/totalTimeout``; zero or less throws before anything is sent.
  public var total: Duration?
  /// The maximum time of the exchange like ``total``, but without the wait in the queue: it starts when the request leaves the
  /// queue. Nil by default. Throws ``TransportError/Code/totalTimeout``.
  public var totalExcludingQueue: Duration?

  /// Timeouts; the defaults are 30 seconds to connect, 60 seconds idle, and no others.
  public init(
    queue: Duration? = nil, resolve: Duration? = nil, connect: Duration? = .seconds(30), tls: Duration? = nil,
    firstByte: Duration? = nil, idle: Duration? = .seconds(60), total: Duration? = nil, totalExcludingQueue: Duration? = nil
  ) {
    self.queue = queue
    self.resolve = resolve
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.idle = idle
    self.total = total
    self.totalExcludingQueue = totalExcludingQueue
  }
}

extension Timeouts {
  /// Whether a timeout is set that needs ``Capabilities/phaseTimeouts``.
  package var hasPhases: Bool { resolve != nil || tls != nil || firstByte != nil || totalExcludingQueue != nil }
}

/// The timeouts of one request; nil is no limit. Each has its own error code.
public struct Timeouts: Sendable, Hashable {
  /// The maximum wait for a connection while the adapter's connection pool is exhausted. Nil by default: only ``total`` limits it.
  /// Throws ``TransportError/Code/queueTimeout``.
  public var queue: Duration?
  /// The maximum time of the DNS lookup. Nil by default: only ``connect`` limits it. Throws ``TransportError/Code/resolveTimeout``.
  public var resolve: Duration?
  /// The maximum time to connect: DNS, TCP and the TLS handshake. 30 seconds by default. Throws
  /// ``TransportError/Code/connectTimeout``.
  public var connect: Duration?
  /// The maximum time of the TLS handshake, from the established TCP connection. Nil by default: only ``connect`` limits it. Throws
  /// ``TransportError/Code/tlsTimeout``, up to an eighth of the limit late.
  public var tls: Duration?
  /// The maximum time to the first byte of the response, an informational one included, from when the connection is ready: it includes sending the request. Nil by
  /// default. Throws ``TransportError/Code/firstByteTimeout``.
  public var firstByte: Duration?
  /// The maximum time without a byte sent or received (read timeout). Time in which the caller's body source or reader is waited
  /// for does not count. 60 seconds by default. Throws ``TransportError/Code/idleTimeout``. Over libcurl every byte on the wire
  /// counts, and the timeout may fire up to a quarter of the limit late.
  public var idle: Duration?
  /// The maximum time of the whole exchange (deadline), from the call to the end of the response's body, including the wait for a
  /// connection. Nil by default. Throws ``TransportError/Code/totalTimeout``; zero or less does so before anything is sent.
  public var total: Duration?
  /// The maximum time of the exchange as ``total``, but without the wait in the queue: it starts when the request gets its slot. Nil
  /// by default. Throws ``TransportError/Code/totalTimeout``.
  public var totalFromStart: Duration?

  /// Timeouts; the defaults are 30 seconds to connect, 60 seconds idle, and no others.
  public init(
    queue: Duration? = nil, connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil
  ) {
    self.queue = queue
    self.connect = connect
    self.idle = idle
    self.total = total
  }
}

extension Timeouts {
  /// Whether one of the timeouts is set that limit a part of the exchange and have no default.
  package var hasPhases: Bool { resolve != nil || tls != nil || firstByte != nil || totalFromStart != nil }
}

/// How long the parts of one exchange may take; `nil` is no limit. Each has its own error code.
public struct Timeouts: Sendable, Hashable {
  /// Waiting for its turn where the adapter has as many connections as it may. No limit by default: it waits as long as it takes,
  /// or as ``total`` allows; ``TransportError/Code/queueTimeout``.
  public var queue: Duration?
  /// From the connection slot to the end of the TLS handshake: name lookup, TCP, TLS. 30 seconds by default;
  /// ``TransportError/Code/connectTimeout``.
  public var connect: Duration?
  /// Without a byte in either direction while neither the caller's body source nor its consumer is what is waited for.
  /// 60 seconds by default; ``TransportError/Code/idleTimeout``. Over libcurl every byte on the wire counts, and silence is noticed
  /// up to a quarter of the limit later.
  public var idle: Duration?
  /// The exchange as a whole, from the call to the end of the response's body, waiting for a slot included. No limit by
  /// default; ``TransportError/Code/totalTimeout``.
  public var total: Duration?

  public init(
    queue: Duration? = nil, connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil
  ) {
    self.queue = queue
    self.connect = connect
    self.idle = idle
    self.total = total
  }
}

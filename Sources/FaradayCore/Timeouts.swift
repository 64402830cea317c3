/// How long the parts of one exchange may take; `nil` is no limit. Each has its own error code.
public struct Timeouts: Sendable, Hashable {
  /// From the connection slot to the end of the TLS handshake: name lookup, TCP, TLS. 30 seconds by default;
  /// ``TransportError/Code/connectTimeout``.
  public var connect: Duration?
  /// Without a byte in either direction while neither the caller's body source nor its consumer is what is waited for.
  /// 60 seconds by default; ``TransportError/Code/idleTimeout``.
  public var idle: Duration?
  /// The exchange as a whole, from the call to the end of the response's body, waiting for a slot included. No limit by
  /// default; ``TransportError/Code/totalTimeout``.
  public var total: Duration?

  public init(connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }
}

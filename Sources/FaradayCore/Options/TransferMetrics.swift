/// What one exchange cost. Times count from the moment the request reached the adapter, and are `nil` where the phase did
/// not happen: a reused connection has no DNS, connect or TLS time.
///
/// Of a streamed response, `total` and the byte counts are known once its body has ended.
public struct TransferMetrics: Sendable, Equatable {
  /// Waiting for a connection slot.
  public var queue: Duration?
  /// Until the name was resolved.
  public var dns: Duration?
  /// Until TCP was connected.
  public var connect: Duration?
  /// Until the TLS handshake was done.
  public var tls: Duration?
  /// Until the first byte of the response.
  public var firstByte: Duration?
  /// Until the last byte of the response.
  public var total: Duration?
  /// Bytes of request body sent.
  public var bytesSent: Int64
  /// Bytes of response body received, before decoding.
  public var bytesReceived: Int64
  /// Whether the request went over a connection that was there already.
  public var reusedConnection: Bool
  /// The server's address and port, as `127.0.0.1:80` or `[::1]:80`.
  public var remoteAddress: String?

  public init(
    queue: Duration? = nil, dns: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil,
    firstByte: Duration? = nil, total: Duration? = nil, bytesSent: Int64 = 0, bytesReceived: Int64 = 0,
    reusedConnection: Bool = false, remoteAddress: String? = nil
  ) {
    self.queue = queue
    self.dns = dns
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.reusedConnection = reusedConnection
    self.remoteAddress = remoteAddress
  }
}

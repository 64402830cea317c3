/// The timings and byte counts of one exchange. Times count from when the request reached the adapter, and are nil for a phase that
/// did not happen: a reused connection has no DNS, connect or TLS time.
///
/// Of a streamed response, `total` and the byte counts are complete when its body has ended.
public struct TransferMetrics: Sendable, Equatable {
  /// The time in the queue, until there was a free connection or a slot for one.
  public var queue: Duration?
  /// The time until the host name was resolved.
  public var dns: Duration?
  /// The time until TCP was connected.
  public var connect: Duration?
  /// The time until the TLS handshake was done.
  public var tls: Duration?
  /// The time until the first byte of the response (TTFB).
  public var firstByte: Duration?
  /// The time until the last byte of the response.
  public var total: Duration?
  /// The bytes of the request's body that were sent.
  public var bytesSent: Int64
  /// The bytes of the response's body that were received, before decompression.
  public var bytesReceived: Int64
  /// Whether the request was sent over a kept connection of the pool (keep-alive).
  public var reusedConnection: Bool
  /// The server's IP address and port, as `127.0.0.1:80` or `[::1]:80`.
  public var remoteAddress: String?
  /// The certificates of the server (or of an https proxy's), in DER, its own first; empty without
  /// ``TLS/reportsPeerCertificates``.
  public var peerCertificates: [Data] = []
  /// What was negotiated in the TLS handshake with the server; nil without TLS, and over an adapter that does not tell.
  public var tlsSession: TLSSession?
  /// The local IP address and port of the connection; nil over an adapter that does not tell.
  public var localAddress: String?
  /// The bytes of the request that were sent: its head, with what belongs to the connection, and a body that was sent with it; 0
  /// over an adapter that does not tell.
  public var requestSize: Int64 = 0
  /// The status of a proxy's answer to CONNECT; nil without one.
  public var proxyStatus: Int?

  /// Metrics of an adapter; everything is nil, zero or false by default.
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

/// What a TLS handshake has negotiated.
public struct TLSSession: Sendable, Hashable {
  /// The version of TLS; nil for one that ``TLSVersion`` does not have.
  public var version: TLSVersion?
  /// The cipher suite, as the TLS library names it: for OpenSSL `TLS_AES_256_GCM_SHA384`, below TLS 1.3
  /// `ECDHE-RSA-AES256-GCM-SHA384`. Nil if it is unknown.
  public var cipherSuite: String?
  /// The protocol that was negotiated (ALPN): `h2`, `http/1.1`; nil if none was.
  public var applicationProtocol: String?

  /// A session; everything is nil by default.
  public init(version: TLSVersion? = nil, cipherSuite: String? = nil, applicationProtocol: String? = nil) {
    self.version = version
    self.cipherSuite = cipherSuite
    self.applicationProtocol = applicationProtocol
  }
}

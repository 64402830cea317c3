/// The timings and byte counts of one exchange. Times start when the request reaches the adapter. A time is nil if its phase
/// did not happen: a reused connection has no DNS, connect or TLS time.
///
/// For a streamed response, `total` and the byte counts are complete when its body has ended.
public struct TransferMetrics: Sendable, Equatable {
  /// The time in the queue, until a connection or a slot for a new connection was free.
  public var queue: Duration?
  /// The time until the host name was resolved.
  public var resolve: Duration?
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
  public var isConnectionReused: Bool
  /// The server's IP address and port, as `127.0.0.1:80` or `[::1]:80`.
  public var remoteAddress: String?
  /// The certificates of the server (or of an https proxy), in DER, the server's certificate first; empty without
  /// ``TLS/reportsPeerCertificates``.
  public var peerCertificates: [Data]
  /// The result of the TLS handshake with the server; nil without TLS, and over an adapter that does not report it.
  public var tlsSession: TLSSession?
  /// The local IP address and port of the connection; nil over an adapter that does not report it.
  public var localAddress: String?
  /// The bytes of the request that were sent: its head, including connection-specific data, and a body sent together with the
  /// head; 0 over an adapter that does not report it.
  public var requestSize: Int64
  /// The bytes of the request that the server has accepted as early data, before the TLS handshake was complete; 0 if there
  /// were none, if the server rejected them, and over an adapter that does not report it. See ``TLS/sendsEarlyData``.
  public var earlyDataSize: Int64
  /// The status of a proxy's response to CONNECT; nil without a response.
  public var proxyStatus: Int?

  /// Metrics from an adapter; everything is nil, zero or false by default.
  public init(
    queue: Duration? = nil, resolve: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil,
    firstByte: Duration? = nil, total: Duration? = nil, bytesSent: Int64 = 0, bytesReceived: Int64 = 0,
    isConnectionReused: Bool = false, remoteAddress: String? = nil, peerCertificates: [Data] = [], tlsSession: TLSSession? = nil,
    localAddress: String? = nil, requestSize: Int64 = 0, earlyDataSize: Int64 = 0, proxyStatus: Int? = nil
  ) {
    self.queue = queue
    self.resolve = resolve
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.isConnectionReused = isConnectionReused
    self.remoteAddress = remoteAddress
    self.peerCertificates = peerCertificates
    self.tlsSession = tlsSession
    self.localAddress = localAddress
    self.requestSize = requestSize
    self.earlyDataSize = earlyDataSize
    self.proxyStatus = proxyStatus
  }
}

/// The result of a TLS handshake.
public struct TLSSession: Sendable, Hashable {
  /// The version of TLS; nil if ``TLSVersion`` has no case for it.
  public var version: TLSVersion?
  /// The cipher suite, named as in the TLS library: for OpenSSL `TLS_AES_256_GCM_SHA384`, below TLS 1.3
  /// `ECDHE-RSA-AES256-GCM-SHA384`. Nil if it is unknown.
  public var cipherSuite: String?
  /// The negotiated protocol (ALPN): `h2`, `http/1.1`; nil without negotiation.
  public var applicationProtocol: String?

  /// A session; everything is nil by default.
  public init(version: TLSVersion? = nil, cipherSuite: String? = nil, applicationProtocol: String? = nil) {
    self.version = version
    self.cipherSuite = cipherSuite
    self.applicationProtocol = applicationProtocol
  }
}

/// The timings and byte counts of one exchange. Times start when the request reaches the adapter. A time is nil if its phase
/// did not happen: a reused connection has no DNS, connect or TLS time.
///
/// For a streamed response, `total` and the byte counts are complete when its body has ended.
///
/// A copy-on-write value: copying it costs one retain.
public struct TransferMetrics: Sendable, Equatable {
  // As a plain struct it would be in several frames of each waiting task: 10,000 waiting requests would take 10 MB more.
  private var fields: CopyOnWrite<Fields>

  /// The time in the queue, until a connection or a slot for a new connection was free.
  public var queue: Duration? {
    get { fields.value.queue }
    set { fields.unique.value.queue = newValue }
  }

  /// The time until the host name was resolved.
  public var resolve: Duration? {
    get { fields.value.resolve }
    set { fields.unique.value.resolve = newValue }
  }

  /// The time until TCP was connected.
  public var connect: Duration? {
    get { fields.value.connect }
    set { fields.unique.value.connect = newValue }
  }

  /// The time until the TLS handshake was done.
  public var tls: Duration? {
    get { fields.value.tls }
    set { fields.unique.value.tls = newValue }
  }

  /// The time until the first byte of the response (TTFB).
  public var firstByte: Duration? {
    get { fields.value.firstByte }
    set { fields.unique.value.firstByte = newValue }
  }

  /// The time until the last byte of the response.
  public var total: Duration? {
    get { fields.value.total }
    set { fields.unique.value.total = newValue }
  }

  /// The bytes of the request's body that were sent.
  public var bytesSent: Int64 {
    get { fields.value.bytesSent }
    set { fields.unique.value.bytesSent = newValue }
  }

  /// The bytes of the response's body that were received, before decompression.
  public var bytesReceived: Int64 {
    get { fields.value.bytesReceived }
    set { fields.unique.value.bytesReceived = newValue }
  }

  /// Whether the request was sent over a kept connection of the pool (keep-alive).
  public var isConnectionReused: Bool {
    get { fields.value.isConnectionReused }
    set { fields.unique.value.isConnectionReused = newValue }
  }

  /// The server's IP address and port, as `127.0.0.1:80` or `[::1]:80`.
  public var remoteAddress: String? {
    get { fields.value.remoteAddress }
    set { fields.unique.value.remoteAddress = newValue }
  }

  /// The certificates of the server (or of an https proxy), in DER, the server's certificate first; empty without
  /// ``TLS/reportsPeerCertificates``.
  public var peerCertificates: [Data] {
    get { fields.value.peerCertificates }
    set { fields.unique.value.peerCertificates = newValue }
  }

  /// The result of the TLS handshake with the server; nil without TLS, and over an adapter that does not report it.
  public var tlsSession: TLSSession? {
    get { fields.value.tlsSession }
    set { fields.unique.value.tlsSession = newValue }
  }

  /// The local IP address and port of the connection; nil over an adapter that does not report it.
  public var localAddress: String? {
    get { fields.value.localAddress }
    set { fields.unique.value.localAddress = newValue }
  }

  /// The bytes of the request that were sent: its head, including connection-specific data, and a body sent together with the
  /// head; 0 over an adapter that does not report it.
  public var requestSize: Int64 {
    get { fields.value.requestSize }
    set { fields.unique.value.requestSize = newValue }
  }

  /// The bytes of the request that the server has accepted as early data, before the TLS handshake was complete; 0 if there
  /// were none, if the server rejected them, and over an adapter that does not report it. See ``TLS/sendsEarlyData``.
  public var earlyDataSize: Int64 {
    get { fields.value.earlyDataSize }
    set { fields.unique.value.earlyDataSize = newValue }
  }

  /// The status of a proxy's response to CONNECT; nil without a response.
  public var proxyStatus: Int? {
    get { fields.value.proxyStatus }
    set { fields.unique.value.proxyStatus = newValue }
  }

  /// Metrics from an adapter. Everything is nil, zero or false by default.
  public init(
    queue: Duration? = nil, resolve: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil,
    firstByte: Duration? = nil, total: Duration? = nil, bytesSent: Int64 = 0, bytesReceived: Int64 = 0,
    isConnectionReused: Bool = false, remoteAddress: String? = nil, peerCertificates: [Data] = [], tlsSession: TLSSession? = nil,
    localAddress: String? = nil, requestSize: Int64 = 0, earlyDataSize: Int64 = 0, proxyStatus: Int? = nil
  ) {
    fields = CopyOnWrite(
      Fields(
        queue: queue, resolve: resolve, connect: connect, tls: tls, firstByte: firstByte, total: total, bytesSent: bytesSent,
        bytesReceived: bytesReceived, isConnectionReused: isConnectionReused, remoteAddress: remoteAddress,
        peerCertificates: peerCertificates, tlsSession: tlsSession, localAddress: localAddress, requestSize: requestSize,
        earlyDataSize: earlyDataSize, proxyStatus: proxyStatus))
  }

  public static func == (left: TransferMetrics, right: TransferMetrics) -> Bool { left.fields.value == right.fields.value }

  private struct Fields: Sendable, Equatable {
    var queue: Duration?
    var resolve: Duration?
    var connect: Duration?
    var tls: Duration?
    var firstByte: Duration?
    var total: Duration?
    var bytesSent: Int64
    var bytesReceived: Int64
    var isConnectionReused: Bool
    var remoteAddress: String?
    var peerCertificates: [Data]
    var tlsSession: TLSSession?
    var localAddress: String?
    var requestSize: Int64
    var earlyDataSize: Int64
    var proxyStatus: Int?
  }
}

extension TransferMetrics: CustomStringConvertible {
  /// All values, with their names.
  public var description: String { "TransferMetrics" + String(describing: fields.value).drop { $0 != "(" } }
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

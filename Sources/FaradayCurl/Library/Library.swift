internal import CCurl
internal import FaradayCore

/// The libcurl of this process: its version and features. It is initialized once, on first use, and never cleaned up.
enum Library {
  /// The version at run time, as 0xXXYYZZ, which may be newer than the headers at compile time; 0 if initialization failed.
  static let version: UInt32 = {
    faraday_keep_openssl_until_exit()
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return 0 }
    Exit.prepare()
    Forks.count()
    let version = faraday_version()?.pointee.version_num ?? 0
    if Behaviour.hidesBrokenSessions(in: version) { faraday_trace_http2() }
    return version
  }()

  /// Whether libcurl was initialized successfully.
  static var isReady: Bool { version != 0 }

  // Safe to share: created once, and only read by the C library.
  nonisolated(unsafe) static let utf8Locale: UnsafeMutableRawPointer? = faraday_utf8_locale()

  /// `libcurl/7.88.1 OpenSSL/3.0.19 …`, from `curl_version()`.
  static let description = version == 0 ? "libcurl (not initialised)" : String(cString: curl_version())

  /// The capabilities of this build of libcurl.
  static let capabilities: Capabilities = {
    var capabilities = Capabilities.all
    if !hasHTTP3 { capabilities.remove(.http3) }
    if !hasReliableHTTP2 { capabilities.subtract([.http2, .http2PriorKnowledge]) }
    // Such a request cannot use HTTP/1.1 instead: see `Transfer.mayBeHTTP2`.
    if !Behaviour.hasSoundStreams { capabilities.remove(.http2PriorKnowledge) }
    let info = faraday_version()?.pointee
    let features = info?.features ?? 0
    if info?.ares == nil { capabilities.remove(.dnsServers) }
    if features & CURL_VERSION_UNIX_SOCKETS == 0 { capabilities.remove(.unixSockets) }
    if !OpenSSL.reportsCertificates { capabilities.remove(.peerCertificates) }
    #if !os(Linux)
    capabilities.remove(.tcpUserTimeout)
    #endif
    // The blobs of certificate authorities.
    if version < 0x07_4D_00 { capabilities.remove(.tlsAuthorities) }
    return capabilities
  }()

  /// Whether HTTP/2 is supported: from 7.88 on, and before ``Behaviour/hasSoundStreams`` for some requests only.
  static let hasReliableHTTP2: Bool = {
    let features = faraday_version()?.pointee.features ?? 0
    return version >= 0x07_58_00 && features & CURL_VERSION_HTTP2 != 0
  }()

  /// Whether HTTP/3 is supported: from 8.5 on, which no longer calls it experimental, if libcurl is built with a QUIC library.
  static let hasHTTP3: Bool = {
    let features = faraday_version()?.pointee.features ?? 0
    return version >= 0x08_05_00 && features & CURL_VERSION_HTTP3 != 0
  }()

  /// The file of certificate authorities that libcurl was built with; nil if there is none.
  static let bundle = faraday_version()?.pointee.cainfo.map { String(cString: $0) }
  /// The directory of certificate authorities that libcurl was built with; nil if there is none.
  static let authorityDirectory = faraday_version()?.pointee.capath.map { String(cString: $0) }

  /// Behaviour that depends on the version at run time, with the release that changed it.
  enum Behaviour {
    /// Timers are rounded up and not down (8.4.0).
    static let roundsTimersUp = version >= 0x08_04_00
    /// A truncated HTTP/2 stream is an error, a paused one is bounded and complete, and an upload neither spins nor loses an early
    /// response (8.4.0).
    static let hasSoundStreams = version >= 0x08_04_00
    /// After a server has violated HTTP/2, its connection's transfers wait for more, until that is closed. From 8.14 on, and before
    /// 8.4, they end when libcurl reads the next time. What comes between is told by the log of frames.
    static let hidesBrokenSessions = hidesBrokenSessions(in: version)
    fileprivate static func hidesBrokenSessions(in version: UInt32) -> Bool { version >= 0x08_04_00 && version < 0x08_0E_00 }
    /// RST_STREAM is sent at once when an HTTP/2 transfer is cancelled, and not with the connection's next frame (8.15.0).
    static let resetsAtOnce = version >= 0x08_0F_00
  }
}

/// Properties of a TLS connection that libcurl does not provide, read from OpenSSL if libcurl uses it. Its functions are looked up
/// at run time (`dlsym`): OpenSSL is not linked here.
enum OpenSSL {
  private static let hasPending = faraday_find_ssl_question("SSL_has_pending")
  private static let shutdown = faraday_find_ssl_question("SSL_get_shutdown")
  private static let alpn = faraday_find_ssl_alpn()

  /// Whether OpenSSL has buffered bytes that were not read, decrypted or not: they are no longer in the socket.
  static func hasUnreadBytes(_ ssl: UnsafeMutableRawPointer) -> Bool { hasPending.map { $0(ssl) != 0 } ?? false }

  /// Whether the server has sent a close_notify; nil if that is unknown.
  static func hasReceivedCloseNotify(_ ssl: UnsafeMutableRawPointer) -> Bool? {
    let received: Int32 = 2  // SSL_RECEIVED_SHUTDOWN
    return shutdown.map { $0(ssl) & received != 0 }
  }

  /// Whether the negotiated protocol (ALPN) can be read.
  static var reportsALPN: Bool { isUsed && alpn != nil }

  /// Whether libcurl uses OpenSSL or a fork of it.
  static let isUsed: Bool = {
    let tls = faraday_version()?.pointee.ssl_version.map { String(cString: $0) } ?? ""
    return ["OpenSSL", "LibreSSL", "BoringSSL", "quictls", "AWS-LC"].contains { tls.hasPrefix($0) }
  }()

  /// Whether the certificates of a peer can be read.
  static let reportsCertificates = isUsed && faraday_can_copy_certificates() != 0

  /// The certificates that the peer of a connection has sent, in DER; those of the original handshake if the session was resumed.
  static func peerCertificates(_ ssl: UnsafeMutableRawPointer) -> [Data] {
    var certificates: [Data] = []
    var count: Int32 = 0
    while let bytes = faraday_ssl_peer_copy(ssl, Int32(certificates.count), &count) {
      certificates.append(Data(bytes: bytes, count: Int(count)))
      faraday_x509_free(bytes)
    }
    return certificates
  }

  /// What was negotiated in the handshake of a connection.
  static func session(of ssl: UnsafeMutableRawPointer) -> TLSSession {
    var session = TLSSession()
    switch faraday_ssl_version(ssl).map({ String(cString: $0) }) {
    case "TLSv1": session.version = .v1_0
    case "TLSv1.1": session.version = .v1_1
    case "TLSv1.2": session.version = .v1_2
    // QUIC has no other version (RFC 9001).
    case "TLSv1.3", "QUICv1": session.version = .v1_3
    default: break
    }
    session.cipherSuite = faraday_ssl_cipher(ssl).map { String(cString: $0) }
    var count: UInt32 = 0
    if let alpn, let name = faraday_ssl_alpn_name(alpn, ssl, &count) {
      session.applicationProtocol = String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }
    return session
  }

  /// Whether HTTP/2 was negotiated (ALPN); nil if that is unknown.
  static func hasAgreedOnHTTP2(_ ssl: UnsafeMutableRawPointer) -> Bool? {
    alpn.map { faraday_ssl_agreed_on_http2($0, ssl) != 0 }
  }
}

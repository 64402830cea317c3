internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// Properties of a TLS connection that libcurl does not provide, read from the OpenSSL that libcurl uses. The OpenSSL functions
/// are looked up at run time (`dlsym`), in libcurl and the libraries that it links. This package does not link OpenSSL.
///
/// The properties are unknown if libcurl uses another TLS library, or contains an OpenSSL without exported functions.
enum OpenSSL {
  private static let functions: faraday_openssl = {
    let found = faraday_find_openssl()
    guard isUsed, let text = found.version?(0) else { return faraday_openssl() }
    // The functions of a second OpenSSL that libcurl also links must not be used. Compares `OpenSSL/3.0.19` with `OpenSSL
    // 3.0.19 27 Jan 2026`.
    let isOther = name.hasPrefix("OpenSSL/") && !String(cString: text).split(separator: " ").contains(name.dropFirst(8))
    return isOther ? faraday_openssl() : found
  }()

  /// The TLS library and its version, from libcurl: `OpenSSL/3.0.19`.
  private static let name = faraday_version()?.pointee.ssl_version.map { String(cString: $0) } ?? ""

  /// Whether libcurl uses OpenSSL or a fork of it.
  static let isUsed = ["OpenSSL", "LibreSSL", "BoringSSL", "quictls", "AWS-LC"].contains { name.hasPrefix($0) }

  /// Whether early data can be sent: libcurl supports it over this TLS library (from 8.13 on), and the protocol of the resumed
  /// session can be read. LibreSSL, BoringSSL and AWS-LC do not support it.
  static let sendsEarlyData =
    ["OpenSSL", "quictls"].contains { name.hasPrefix($0) } && functions.is_finished != nil && functions.get_session != nil

  /// Initializes OpenSSL without its atexit handler, so that a process that exits during transfers does not crash: the handler
  /// frees memory that other threads still use. No effect if OpenSSL is already initialized.
  static func keepUntilExit() {
    let withoutExit: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
    _ = functions.`init`?(withoutExit, nil)
  }

  /// Whether unread bytes of a connection can be detected.
  static var detectsUnreadBytes: Bool { functions.has_pending != nil }

  /// Whether OpenSSL has buffered unread bytes, decrypted or not. Such bytes are no longer in the socket.
  static func hasUnreadBytes(_ ssl: UnsafeMutableRawPointer) -> Bool { functions.has_pending.map { $0(ssl) != 0 } ?? false }

  /// Whether the server has sent a close_notify; nil if that is unknown.
  static func hasReceivedCloseNotify(_ ssl: UnsafeMutableRawPointer) -> Bool? {
    let received: Int32 = 2  // SSL_RECEIVED_SHUTDOWN
    return functions.get_shutdown.map { $0(ssl) & received != 0 }
  }

  // MARK: handshake

  /// Returns the negotiated properties of a connection.
  static func session(of ssl: UnsafeMutableRawPointer) -> TLSSession {
    var session = TLSSession()
    switch functions.get_version?(ssl).map({ String(cString: $0) }) {
    case "TLSv1": session.version = .v1_0
    case "TLSv1.1": session.version = .v1_1
    case "TLSv1.2": session.version = .v1_2
    // QUIC always uses TLS 1.3 (RFC 9001).
    case "TLSv1.3", "QUICv1": session.version = .v1_3
    default: break
    }
    if let cipher = functions.get_cipher?(ssl), let name = functions.cipher_name?(cipher) {
      session.cipherSuite = String(cString: name)
    }
    if let name = applicationProtocol(ssl), !name.isEmpty { session.applicationProtocol = String(decoding: name, as: UTF8.self) }
    return session
  }

  /// Whether the handshake is incomplete, for example while early data are sent.
  static func isInHandshake(_ ssl: UnsafeMutableRawPointer) -> Bool { functions.is_finished.map { $0(ssl) == 0 } ?? false }

  /// Whether the negotiated protocol (ALPN) can be read.
  static var reportsALPN: Bool { functions.get_alpn != nil }

  /// Whether HTTP/2 was negotiated (ALPN); nil if that is unknown.
  static func hasAgreedOnHTTP2(_ ssl: UnsafeMutableRawPointer) -> Bool? { applicationProtocol(ssl)?.elementsEqual("h2".utf8) }

  /// The negotiated protocol (ALPN), empty if there is none; nil if that is unknown.
  private static func applicationProtocol(_ ssl: UnsafeMutableRawPointer) -> UnsafeBufferPointer<UInt8>? {
    guard let alpn = functions.get_alpn else { return nil }
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    alpn(ssl, &name, &length)
    // With early data, the handshake completes after the request was sent. libcurl requires the session's protocol then.
    if name == nil, isInHandshake(ssl), let session = functions.get_session?(ssl) {
      var count = 0
      functions.session_alpn?(session, &name, &count)
      return UnsafeBufferPointer(start: name, count: name == nil ? 0 : count)
    }
    return UnsafeBufferPointer(start: name, count: name == nil ? 0 : Int(length))
  }

  // MARK: certificates

  /// Whether the certificates of a peer can be read.
  static let reportsCertificates: Bool = {
    let canRead = functions.peer_chain != nil && functions.sent_chain != nil && functions.count != nil && functions.value != nil
    let canVerify = functions.set_verify != nil && functions.set_options != nil && functions.verify != nil
    let canDecide = functions.set_mode != nil && functions.set_result != nil
    return canRead && canVerify && canDecide && functions.encode != nil && functions.release != nil
  }()

  /// The certificates from the peer of a connection, in DER. For a resumed session, the certificates of the original handshake.
  static func peerCertificates(_ ssl: UnsafeMutableRawPointer) -> [Data] { certificates(functions.peer_chain?(ssl)) }

  /// The certificates from a peer, in DER, during their verification.
  static func certificates(verifiedWith store: UnsafeMutableRawPointer?) -> [Data] { certificates(functions.sent_chain?(store)) }

  private static func certificates(_ chain: UnsafeMutableRawPointer?) -> [Data] {
    guard let chain, let count = functions.count, let value = functions.value else { return [] }
    return (0..<max(0, count(chain))).compactMap { index in
      var bytes: UnsafeMutablePointer<UInt8>?
      let length = functions.encode?(value(chain, index), &bytes) ?? 0
      guard length > 0, let bytes else { return nil }
      defer { functions.release?(bytes, "", 0) }
      return Data(bytes: bytes, count: Int(length))
    }
  }

  /// Replaces the verification of certificate chains of a context (`SSL_CTX *`) with a function, which must call
  /// ``verify(_:)``. Returns false if the OpenSSL functions are missing.
  static func setVerification(
    _ context: UnsafeMutableRawPointer?, _ function: faraday_verify_function?, _ data: UnsafeMutableRawPointer?
  ) -> Bool {
    guard let setOptions = functions.set_options, let setVerify = functions.set_verify else { return false }
    // The function's data may be released after the handshake. A server must not renegotiate on a keep-alive connection.
    _ = setOptions(context, 1 << 30)  // SSL_OP_NO_RENEGOTIATION
    setVerify(context, function, data)
    return true
  }

  /// Makes a failed verification fail the handshake, even if libcurl would ignore the result. Returns false if the OpenSSL
  /// functions are missing.
  static func requireVerification(_ context: UnsafeMutableRawPointer?) -> Bool {
    guard let setMode = functions.set_mode else { return false }
    setMode(context, 1, nil)  // SSL_VERIFY_PEER
    return true
  }

  /// Verifies a certificate chain with OpenSSL's default function.
  static func verify(_ store: UnsafeMutableRawPointer?) -> Bool { functions.verify.map { $0(store) > 0 } ?? false }

  /// Sets the result of a verification.
  static func setResult(_ store: UnsafeMutableRawPointer?, isAccepted: Bool) {
    functions.set_result?(store, isAccepted ? 0 : 50)  // X509_V_OK, X509_V_ERR_APPLICATION_VERIFICATION
  }
}

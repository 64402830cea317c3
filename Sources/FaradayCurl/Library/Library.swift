internal import CCurl
internal import FaradayCore

/// The libcurl of this process: initialised once, and never torn down.
enum Library {
  /// The version that runs, as 0xXXYYZZ. It may be newer than the headers this was compiled with.
  static let version: UInt32 = {
    faraday_keep_openssl_until_exit()
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return 0 }
    Exit.prepare()
    Forks.count()
    return faraday_version()?.pointee.version_num ?? 0
  }()

  /// Whether libcurl could be initialised at all.
  static var isReady: Bool { version != 0 }

  // Safe to share: made once, only ever read by the C library.
  nonisolated(unsafe) static let utf8Locale: UnsafeMutableRawPointer? = faraday_utf8_locale()

  /// `libcurl/7.88.1 OpenSSL/3.0.19 …`, as libcurl says it.
  static let description = version == 0 ? "libcurl (not initialised)" : String(cString: curl_version())

  /// What this build of libcurl can do of what Faraday has a name for.
  static let capabilities = hasHTTP2 ? Capabilities.all : Capabilities.all.subtracting(.http2)

  /// Whether it does HTTP/2, and soundly. 7.88 takes some responses for complete that were cut off, keeps what a paused stream
  /// gets without bound, and a blocked upload takes a whole processor; 8.14 is the oldest that was found to do none of this.
  static let hasHTTP2: Bool = {
    let features = faraday_version()?.pointee.features ?? 0
    // Whether it was agreed on is asked of OpenSSL, or of one of its kin.
    let tls = faraday_version()?.pointee.ssl_version.map { String(cString: $0) } ?? ""
    let isAsked = ["OpenSSL", "LibreSSL", "BoringSSL", "quictls", "AWS-LC"].contains { tls.hasPrefix($0) } && OpenSSL.tellsHTTP2
    return version >= 0x08_0E_00 && features & CURL_VERSION_HTTP2 != 0 && isAsked
  }()

  /// Whether libcurl was built with a file of certificate authorities, and not only a directory.
  static let hasBundle = faraday_version()?.pointee.cainfo != nil

  /// What depends on the version that runs. Each says which release made it unnecessary.
  enum Behaviour {
    /// Timers are not rounded down (8.4.0).
    static let roundsTimersUp = version >= 0x08_04_00
    /// RST_STREAM is sent at once when an HTTP/2 transfer is given up, and not with the connection's next frame (8.15.0).
    static let resetsAtOnce = version >= 0x08_0F_00
  }
}

/// What libcurl does not tell of a TLS connection, asked of OpenSSL where libcurl is built with it. Found when it runs: the
/// library is not linked here.
enum OpenSSL {
  private static let hasPending = faraday_find_ssl_question("SSL_has_pending")
  private static let shutdown = faraday_find_ssl_question("SSL_get_shutdown")
  private static let alpn = faraday_find_ssl_alpn()

  /// Whether it has received bytes that nobody has read, decrypted or not. The socket does not show them.
  static func hasUnreadBytes(_ ssl: UnsafeMutableRawPointer) -> Bool { hasPending.map { $0(ssl) != 0 } ?? false }

  /// Whether the server has ended its side in order; nil if that cannot be told.
  static func hasReceivedCloseNotify(_ ssl: UnsafeMutableRawPointer) -> Bool? {
    let received: Int32 = 2  // SSL_RECEIVED_SHUTDOWN
    return shutdown.map { $0(ssl) & received != 0 }
  }

  static var tellsHTTP2: Bool { alpn != nil }

  /// Whether the handshake has agreed on HTTP/2; nil if that cannot be told.
  static func hasAgreedOnHTTP2(_ ssl: UnsafeMutableRawPointer) -> Bool? {
    alpn.map { faraday_ssl_agreed_on_http2($0, ssl) != 0 }
  }
}

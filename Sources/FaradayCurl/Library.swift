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

  /// What depends on the version that runs. Each says which release made it unnecessary.
  enum Behaviour {
    /// Timers are not rounded down (8.4.0).
    static let roundsTimersUp = version >= 0x08_04_00
    /// RST_STREAM is sent at once when an HTTP/2 transfer is given up, and not with the connection's next frame (8.15.0).
    static let resetsAtOnce = version >= 0x08_0F_00
  }
}

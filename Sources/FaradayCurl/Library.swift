internal import CCurl
internal import FaradayCore

/// The libcurl of this process: initialised once, and never torn down.
enum Library {
  /// The version that runs, as 0xXXYYZZ. It may be newer than the headers this was compiled with.
  static let version: UInt32 = {
    faraday_keep_openssl_until_exit()
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return 0 }
    return faraday_version()?.pointee.version_num ?? 0
  }()

  /// Whether libcurl could be initialised at all.
  static var isReady: Bool { version != 0 }

  // Safe to share: made once, only ever read by the C library.
  nonisolated(unsafe) static let utf8Locale: UnsafeMutableRawPointer? = faraday_utf8_locale()

  /// `libcurl/7.88.1 OpenSSL/3.0.19 …`, as libcurl says it.
  static let description = version == 0 ? "libcurl (not initialised)" : String(cString: curl_version())

  /// What this build of libcurl can do of what Faraday has a name for.
  static let capabilities: Capabilities = {
    let features = faraday_version()?.pointee.features ?? 0
    return features & CURL_VERSION_HTTP2 != 0 ? .all : Capabilities.all.subtracting(.http2)
  }()

  /// What depends on the version that runs. Each says which release made it unnecessary.
  enum Behaviour {
    /// HTTP/2 without truncated bodies that look complete, spinning uploads and unbounded buffers (8.4.0).
    static let hasSafeHTTP2 = version >= 0x08_04_00
    /// A blocked HTTP/2 upload does not spin; a stream cut off is not complete; stale pooled connections do not use up the
    /// tries (8.0.0).
    static let hasSoundHTTP2Streams = version >= 0x08_00_00
    /// Timers are not rounded down (8.4.0).
    static let roundsTimersUp = version >= 0x08_04_00
    /// A paused transfer is buffered before it is decoded, and not after (8.13.0).
    static let pausesBeforeDecoding = version >= 0x08_0D_00
  }
}

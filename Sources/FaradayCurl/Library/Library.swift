internal import CCurl
@_spi(Adapters) internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The libcurl of this process: its version and features. It is initialized once, on first use, and never cleaned up.
enum Library {
  /// The version at run time, as 0xXXYYZZ; 0 if initialization failed. It may be newer than the headers at compile time.
  static let version: UInt32 = {
    OpenSSL.keepUntilExit()
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

  /// The version at run time: `7.88.1`.
  static let versionText = faraday_version()?.pointee.version.map { String(cString: $0) } ?? "of unknown version"

  /// The capabilities of this build of libcurl.
  static let capabilities = Requirement.all.filter { !$0.isMet }.reduce(into: Capabilities.all) { $0.remove($1.capability) }

  /// The values of CURLSSLOPT_EARLYDATA, and of CURLINFO_EARLYDATA_SENT_T, which is negative if the server has rejected the
  /// early data. The headers may be too old to declare them.
  static let earlyDataOption = 1 << 6
  static let earlyDataInfo = CURLINFO(rawValue: 0x600000 + 68)

  /// The authentication schemes of this build of libcurl.
  static let schemes: AuthenticationSchemes = {
    var schemes: AuthenticationSchemes = [.basic, .digest]
    if features & CURL_VERSION_NTLM != 0 { schemes.insert(.ntlm) }
    if features & CURL_VERSION_SPNEGO != 0 { schemes.insert(.negotiate) }
    return schemes
  }()

  static let features = faraday_version()?.pointee.features ?? 0

  /// Whether HTTP/2 is supported: from 7.88 on. Before ``Behaviour/hasSoundStreams`` it is used for some requests only.
  static let hasReliableHTTP2 = version >= 0x07_58_00 && features & CURL_VERSION_HTTP2 != 0

  /// Whether HTTP/3 is supported: from 8.5 on with ngtcp2, where libcurl no longer calls it experimental. With OpenSSL's QUIC
  /// (8.14.1 of Debian 13), a slow reader can block other requests on its connection until they time out.
  static let hasHTTP3 =
    version >= 0x08_05_00 && features & CURL_VERSION_HTTP3 != 0 && description.contains("ngtcp2/")

  /// The default CA file of this libcurl; nil if there is none. If the file does not exist, the first existing file of
  /// `usualBundles`: libcurl may have been built on another system.
  static let bundle: String? = {
    let own = faraday_version()?.pointee.cainfo.map { String(cString: $0) }
    guard own != nil || authorityDirectory == nil else { return nil }
    return ([own].compactMap(\.self) + usualBundles).first { access($0, R_OK) == 0 } ?? own
  }()

  /// The CA files of Debian, Fedora, openSUSE and Alpine, as in Go's crypto/x509.
  private static let usualBundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The default CA directory of this libcurl; nil if there is none.
  static let authorityDirectory = faraday_version()?.pointee.capath.map { String(cString: $0) }

  /// Behaviour that depends on the version at run time. The number in parentheses is the release that changed it.
  enum Behaviour {
    /// Timers are rounded up instead of down (8.4.0).
    static let roundsTimersUp = version >= 0x08_04_00
    /// HTTP/2 streams are reliable (8.4.0): a truncated stream is an error, a paused stream is bounded and complete, and an
    /// upload neither spins nor loses an early response.
    static let hasSoundStreams = version >= 0x08_04_00
    /// A paused upload keeps a transfer whose connection has ended (until 8.9.0).
    static let keepsPausedUploads = version < 0x08_09_00
    /// Requests for HTTP/1.1 reuse HTTP/2 connections (8.12).
    static let mixesVersions = version >= 0x08_0C_00 && version < 0x08_0D_00
    /// After an HTTP/2 protocol violation by the server, the connection's transfers wait until it is closed. Before 8.4 and
    /// from 8.14 on, the transfers end at libcurl's next read. In the versions between, the frame log reveals the violation.
    static let hidesBrokenSessions = hidesBrokenSessions(in: version)
    fileprivate static func hidesBrokenSessions(in version: UInt32) -> Bool { version >= 0x08_04_00 && version < 0x08_0E_00 }
    /// TLS sessions can be resumed reliably. Over GnuTLS, 8.14 fails in some resumed handshakes ("The request is invalid"). The
    /// same session cache exists from 8.12 on.
    static let resumesSessions = OpenSSL.isUsed || version < 0x08_0C_00
    /// A cancelled HTTP/2 transfer sends RST_STREAM at once, instead of with the connection's next frame (8.15.0). 8.16 does
    /// not always send it, and no version between 8.16 and 8.20 was tested: the value is true from 8.20 on.
    static let resetsAtOnce = version >= 0x08_14_00
    /// A transfer fails if its write callback refuses the first piece after a pause, within `curl_easy_pause` (8.16.0). 8.20 is
    /// sound, and no version between was tested.
    static let failsOnSecondPause = version >= 0x08_10_00 && version < 0x08_14_00
    /// Failed DNS lookups are cached for a while (8.16.0).
    static let remembersFailedLookups = version >= 0x08_10_00
  }
}

/// The environment of the process.
package enum Environment {
  /// Returns the first of these variables that is set and not empty, as libcurl does; nil if there is none. Not safe while
  /// another thread sets variables, because `getenv` is not thread-safe.
  package static func variable(_ names: String...) -> String? {
    for name in names {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return nil
  }
}

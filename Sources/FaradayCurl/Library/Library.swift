internal import CCurl
internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The libcurl of this process: its version and features. It is initialized once, on first use, and never cleaned up.
enum Library {
  /// The version at run time, as 0xXXYYZZ, which may be newer than the headers at compile time; 0 if initialization failed.
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
  static let capabilities: Capabilities = {
    var capabilities = Capabilities.all
    if !hasHTTP3 { capabilities.remove(.http3) }
    if !hasReliableHTTP2 { capabilities.subtract([.http2, .http2PriorKnowledge]) }
    // Such a request cannot use HTTP/1.1 instead: see `Transfer.mayBeHTTP2`.
    if !Behaviour.hasSoundStreams { capabilities.remove(.http2PriorKnowledge) }
    if features & CURL_VERSION_UNIX_SOCKETS == 0 { capabilities.remove(.unixSockets) }
    if !OpenSSL.reportsCertificates { capabilities.remove(.peerCertificates) }
    #if !os(Linux)
    capabilities.remove(.tcpUserTimeout)
    #endif
    // Others ignore a part of these options: a certificate in memory, a directory besides the default file, names of ciphers.
    if !OpenSSL.isUsed { capabilities.subtract([.tlsAuthorities, .clientCertificates, .tlsCiphers]) }
    // libcurl 8.22 trusts its default file besides the directory that it is given; 8.20 and 8.23 do not.
    if 0x08_15_00..<0x08_17_00 ~= version { capabilities.remove(.tlsAuthorities) }
    for (capability, option) in optional where !hasOption(option) { capabilities.remove(capability) }
    return capabilities
  }()

  /// Options that a build may lack.
  private static let optional: [(Capabilities, CURLoption)] = [
    (.tlsAuthorities, CURLOPT_CAINFO_BLOB), (.tlsAuthorities, CURLOPT_CAPATH), (.pinnedPublicKeys, CURLOPT_PINNEDPUBLICKEY),
    (.revocationLists, CURLOPT_CRLFILE), (.tlsCiphers, CURLOPT_TLS13_CIPHERS), (.peerCertificates, CURLOPT_SSL_CTX_FUNCTION),
    (.proxies, CURLOPT_PROXY), (.dnsServers, CURLOPT_DNS_SERVERS), (.dnsOverHTTPS, CURLOPT_DOH_URL),
  ]

  /// Whether libcurl can be given an option whose value is a pointer.
  private static func hasOption(_ option: CURLoption) -> Bool {
    guard isReady, let easy = curl_easy_init() else { return false }
    defer { curl_easy_cleanup(easy) }
    let code = faraday_set_pointer(easy, option, nil)
    return code != CURLE_UNKNOWN_OPTION && code != CURLE_NOT_BUILT_IN
  }

  /// The authentication schemes of this build of libcurl.
  static let schemes: AuthenticationSchemes = {
    var schemes: AuthenticationSchemes = [.basic, .digest]
    if features & CURL_VERSION_NTLM != 0 { schemes.insert(.ntlm) }
    if features & CURL_VERSION_SPNEGO != 0 { schemes.insert(.negotiate) }
    return schemes
  }()

  private static let features = faraday_version()?.pointee.features ?? 0

  /// Whether HTTP/2 is supported: from 7.88 on, and before ``Behaviour/hasSoundStreams`` for some requests only.
  static let hasReliableHTTP2 = version >= 0x07_58_00 && features & CURL_VERSION_HTTP2 != 0

  /// Whether HTTP/3 is supported: from 8.5 on, which no longer calls it experimental, if libcurl is built with a QUIC library.
  static let hasHTTP3 = version >= 0x08_05_00 && features & CURL_VERSION_HTTP3 != 0

  /// The file of certificate authorities that libcurl was built with; nil if there is none. If that file does not exist, the first
  /// that does of those that systems have: libcurl may have been built on another one.
  static let bundle: String? = {
    let own = faraday_version()?.pointee.cainfo.map { String(cString: $0) }
    guard own != nil || authorityDirectory == nil else { return nil }
    return ([own].compactMap(\.self) + usualBundles).first { access($0, R_OK) == 0 } ?? own
  }()

  /// Of Debian, Fedora, openSUSE and Alpine, as in Go's crypto/x509.
  private static let usualBundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The directory of certificate authorities that libcurl was built with; nil if there is none.
  static let authorityDirectory = faraday_version()?.pointee.capath.map { String(cString: $0) }

  /// Behaviour that depends on the version at run time, with the release that changed it.
  enum Behaviour {
    /// Timers are rounded up and not down (8.4.0).
    static let roundsTimersUp = version >= 0x08_04_00
    /// A truncated HTTP/2 stream is an error, a paused one is bounded and complete, and an upload neither spins nor loses an early
    /// response (8.4.0).
    static let hasSoundStreams = version >= 0x08_04_00
    /// Requests for HTTP/1.1 get kept connections of HTTP/2 (8.12).
    static let mixesVersions = version >= 0x08_0C_00 && version < 0x08_0D_00
    /// After a server has violated HTTP/2, its connection's transfers wait for more, until that is closed. From 8.14 on, and before
    /// 8.4, they end when libcurl reads the next time. What comes between is told by the log of frames.
    static let hidesBrokenSessions = hidesBrokenSessions(in: version)
    fileprivate static func hidesBrokenSessions(in version: UInt32) -> Bool { version >= 0x08_04_00 && version < 0x08_0E_00 }
    /// TLS sessions can be resumed. Over GnuTLS, 8.14 fails in some handshakes that resume one ("The request is invalid"); versions from
    /// 8.12 on have that cache of sessions.
    static let resumesSessions = OpenSSL.isUsed || version < 0x08_0C_00
    /// RST_STREAM is sent at once when an HTTP/2 transfer is cancelled, and not with the connection's next frame (8.15.0). In 8.16 it is
    /// not always sent; no version between that and 8.20 was tested.
    static let resetsAtOnce = version >= 0x08_14_00
    /// A name that was not found is not looked up again for a while (8.16.0).
    static let remembersFailedLookups = version >= 0x08_10_00
    /// Percent-escapes of the path and query are sent in upper case.
    static let raisesEscapes: Bool = {
      guard let url = curl_url() else { return false }
      defer { curl_url_cleanup(url) }
      var path: UnsafeMutablePointer<CChar>?
      guard curl_url_set(url, CURLUPART_URL, "http://localhost/%7e", UInt32(CURLU_URLENCODE)) == CURLUE_OK,
        curl_url_get(url, CURLUPART_PATH, &path, 0) == CURLUE_OK, let path
      else { return false }
      defer { curl_free(path) }
      return String(cString: path) != "/%7e"
    }()
  }
}

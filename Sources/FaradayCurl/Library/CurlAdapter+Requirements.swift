internal import CCurl
@_spi(Adapters) package import FaradayCore

/// A capability that some builds of libcurl lack. ``all`` has a row for each reason.
struct Requirement: Sendable {
  let capability: Capabilities
  /// The build that the capability needs: `libcurl 7.77 or newer`. Nil if every build in use has the capability.
  let build: String?
  /// Whether the libcurl of this process meets the requirement.
  let isMet: Bool

  private init(_ capability: Capabilities, _ build: String?, _ isMet: Bool) {
    (self.capability, self.build, self.isMet) = (capability, build, isMet)
  }

  /// A capability that needs libcurl options which a build may lack.
  private init(_ capability: Capabilities, _ build: String? = nil, options: CURLoption...) {
    self.init(capability, build, options.allSatisfy(Self.hasOption))
  }

  static let all = [
    Requirement(.http2, "libcurl 7.88 or newer with HTTP/2", Library.hasReliableHTTP2),
    // A request with prior knowledge cannot use HTTP/1.1 instead: see `Transfer.mayBeHTTP2`.
    Requirement(
      .http2PriorKnowledge, "libcurl 8.4 or newer with HTTP/2", Library.hasReliableHTTP2 && Library.Behaviour.hasSoundStreams),
    Requirement(
      .http3, "libcurl 8.5 or newer with HTTP/3 by ngtcp2, as the wheels of pycurl have", Library.hasHTTP3),
    // libcurl 8.22 trusts its default file in addition to the given directory; 8.20 and 8.23 do not. Other TLS libraries ignore
    // a certificate in memory, or a directory in addition to the default file.
    Requirement(
      .tlsAuthorities, "libcurl 7.77 or newer, except 8.21 and 8.22, with OpenSSL",
      OpenSSL.isUsed && !(0x08_15_00..<0x08_17_00 ~= Library.version) && hasOption(CURLOPT_CAINFO_BLOB)
        && hasOption(CURLOPT_CAPATH)),
    // Other TLS libraries ignore some of these options.
    Requirement(.clientCertificates, "a libcurl built with OpenSSL", OpenSSL.isUsed),
    Requirement(.tlsCiphers, "a libcurl built with OpenSSL", OpenSSL.isUsed && hasOption(CURLOPT_TLS13_CIPHERS)),
    Requirement(
      .peerCertificates, "a libcurl built with OpenSSL", OpenSSL.reportsCertificates && hasOption(CURLOPT_SSL_CTX_FUNCTION)),
    Requirement(
      .earlyData, "libcurl 8.13 or newer with an OpenSSL that exports its functions",
      OpenSSL.sendsEarlyData && Library.version >= 0x08_0D_00),
    Requirement(.unixSockets, "a libcurl built with Unix sockets", Library.features & CURL_VERSION_UNIX_SOCKETS != 0),
    Requirement(.dnsServers, "a libcurl built with c-ares", options: CURLOPT_DNS_SERVERS),
    Requirement(.tcpUserTimeout, "Linux", isLinux),
    Requirement(.pinnedPublicKeys, options: CURLOPT_PINNEDPUBLICKEY), Requirement(.revocationLists, options: CURLOPT_CRLFILE),
    Requirement(.proxies, options: CURLOPT_PROXY), Requirement(.dnsOverHTTPS, options: CURLOPT_DOH_URL),
  ]

  #if os(Linux)
  private static let isLinux = true
  #else
  private static let isLinux = false
  #endif

  /// Whether libcurl accepts an option whose value is a pointer.
  private static func hasOption(_ option: CURLoption) -> Bool {
    guard Library.isReady, let easy = curl_easy_init() else { return false }
    defer { curl_easy_cleanup(easy) }
    let code = faraday_set_pointer(easy, option, nil)
    return code != CURLE_UNKNOWN_OPTION && code != CURLE_NOT_BUILT_IN
  }
}

extension CurlAdapter {
  /// The reason why this build of libcurl lacks a capability: `which needs …, and this is libcurl/7.88.1`. Nil if every build
  /// has it.
  package static func absence(of capability: Capabilities) -> String? {
    Requirement.all.first { $0.capability == capability }?.build.map {
      "which needs \($0), and this is \(libraryVersion.prefix { $0 != " " })"
    }
  }
}

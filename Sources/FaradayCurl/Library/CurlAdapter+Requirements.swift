package import FaradayCore

extension CurlAdapter {
  /// The build of libcurl that a capability needs, if not each has it: `libcurl 7.77 or newer`. Nil if all have it, or none.
  package static func requirement(of capability: Capabilities) -> String? {
    switch capability {
    case .http2: "libcurl 7.88 or newer with HTTP/2"
    case .http2PriorKnowledge: "libcurl 8.4 or newer with HTTP/2"
    case .http3: "libcurl 8.5 or newer with HTTP/3, as Debian 13 and the wheels of pycurl have"
    case .tlsAuthorities: "libcurl 7.77 or newer, except 8.21 and 8.22, with OpenSSL"
    case .clientCertificates, .tlsCiphers: "a libcurl built with OpenSSL"
    case .dnsServers: "a libcurl built with c-ares"
    case .unixSockets: "a libcurl built with Unix sockets"
    case .peerCertificates: "a libcurl built with OpenSSL"
    case .tcpUserTimeout: "Linux"
    default: nil
    }
  }

  /// Why this build of libcurl lacks a capability: `which needs …, and this is libcurl/7.88.1`. Nil if every build does.
  package static func absence(of capability: Capabilities) -> String? {
    requirement(of: capability).map { "which needs \($0), and this is \(libraryVersion.prefix { $0 != " " })" }
  }
}

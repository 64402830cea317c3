package import FaradayCore

extension CurlAdapter {
  /// The build of libcurl that a capability needs, if not each has it: `libcurl 7.77 or newer`. Nil if all have it, or none.
  package static func requirement(of capability: Capabilities) -> String? {
    switch capability {
    case .http2, .http2PriorKnowledge: "libcurl 8.14 or newer with HTTP/2 and OpenSSL"
    case .tlsAuthorities: "libcurl 7.77 or newer"
    case .dnsServers: "a libcurl built with c-ares"
    case .unixSockets: "a libcurl built with Unix sockets"
    case .peerCertificates: "a libcurl built with OpenSSL"
    case .tcpUserTimeout: "Linux"
    default: nil
    }
  }
}

internal import FaradayCore

/// HTTP/3: which requests may use it. Whether one does is told by its connection's socket, which is one of UDP.
extension Transfer {
  /// Whether HTTP/3 is tried, beside HTTP/2 and HTTP/1.1 over TCP. Only these are left where libcurl has no QUIC: through a proxy, over
  /// a Unix socket, and with options of TLS that QUIC excludes (RFC 9001, section 4.2).
  var mayBeHTTP3: Bool {
    guard request.options.httpVersion == .http3, target.isSecure, proxy == nil, Library.hasHTTP3 else { return false }
    guard let options = request.options.transport?.fields else { return true }
    return options.network.unixSocket == nil && options.tls.negotiatesProtocol
      && options.tls.maximumVersion.map { $0 == .v1_3 } ?? true
  }
}

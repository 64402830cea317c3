internal import CCurl

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

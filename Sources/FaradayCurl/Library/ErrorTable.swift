internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// Maps libcurl's error codes to the codes of ``FaradayCore/TransportError``.
enum ErrorTable {
  /// Returns the code for a libcurl error code.
  ///
  /// - Parameters:
  ///   - text: libcurl's message, which distinguishes errors with the same code.
  ///   - headSize: the received bytes of the head: some versions have no separate code for a head that exceeds libcurl's limit.
  ///   - proxy: the proxy's state, if the connection failed before the proxy had connected it to the server.
  static func code(
    for code: CURLcode, phase: TransportError.Phase, text: String = "", headSize: Int = 0, proxy: ProxyState? = nil
  ) -> TransportError.Code {
    let meaning = self.meaning(of: code, phase: phase, text: text, headSize: headSize)
    guard let proxy else { return meaning }
    if brokenConnections.contains(meaning) { return proxy == .silent ? .proxyUnreachable : .proxyFailed }
    return invalidAnswers.contains(meaning) ? .proxyFailed : meaning
  }

  /// The progress of a failed connection to a proxy.
  enum ProxyState {
    /// The proxy was not reached, or has not responded.
    case silent
    /// The proxy has responded to a CONNECT request.
    case answered
  }

  /// The codes of a connection that failed or broke. Through a proxy, they are attributed to the proxy.
  private static let brokenConnections: Set<TransportError.Code> = [
    .nameNotFound, .connectionFailed, .connectionClosed, .sendFailed, .receiveFailed,
  ]

  /// The codes of an invalid response. Before the tunnel is established, they are attributed to the proxy.
  private static let invalidAnswers: Set<TransportError.Code> = [.malformedResponse, .headTooLarge]

  private static func meaning(
    of code: CURLcode, phase: TransportError.Phase, text: String, headSize: Int
  ) -> TransportError.Code {
    if headSize > limitOfHead, phase != .receiving { return .headTooLarge }
    if code.rawValue == tooLarge { return .headTooLarge }
    switch (code, phase) {
    case (CURLE_RECV_ERROR, .receiving) where text.contains("chunked-encoding") || text.contains("chunk hex"),
      (CURLE_RECV_ERROR, .receiving) where text.contains("hex-length"):
      return .malformedResponse
    // The head starts with a folded line, without a field to continue.
    case (CURLE_BAD_FUNCTION_ARGUMENT, .waiting) where headSize > 0, (CURLE_BAD_FUNCTION_ARGUMENT, .sending) where headSize > 0:
      return .malformedResponse
    // With TLS 1.3, a server rejects the client's certificate after the handshake, with an alert.
    case (CURLE_RECV_ERROR, .waiting) where isAlert(text), (CURLE_RECV_ERROR, .sending) where isAlert(text),
      (CURLE_SEND_ERROR, .waiting) where isAlert(text), (CURLE_SEND_ERROR, .sending) where isAlert(text):
      return .tlsFailed
    // The connection broke during the handshake: OpenSSL reports no reason.
    case (CURLE_SSL_CONNECT_ERROR, _) where interruptions.contains { text.contains($0) }: return .connectionFailed
    // The handshake of QUIC, or of TLS over GnuTLS, broke.
    case (CURLE_SEND_ERROR, .connecting), (CURLE_RECV_ERROR, .connecting): return .connectionFailed
    // The server violated the protocol and libcurl closed the QUIC connection. A later read or write then fails (ngtcp2).
    case (CURLE_RECV_ERROR, _) where text.contains("ERR_CLOSING"), (CURLE_SEND_ERROR, _) where text.contains("ERR_CLOSING"):
      return .http3Error
    // HTTP/2 errors that libcurl 8.16 detects while sending.
    case (CURLE_SEND_ERROR, .waiting) where text.contains("Invalid HTTP header field"): return .http2Error
    case (CURLE_SEND_ERROR, .waiting) where isEndWithoutNotice(text): return .connectionClosed
    // The connection was closed or reset before a response.
    case (CURLE_RECV_ERROR, .waiting) where headSize == 0, (CURLE_RECV_ERROR, .sending) where headSize == 0:
      return .connectionClosed
    case (CURLE_RECV_ERROR, .receiving) where isEndWithoutNotice(text),
      (CURLE_SEND_ERROR, .receiving) where isEndWithoutNotice(text):
      return .truncatedResponse
    case (CURLE_OUT_OF_MEMORY, .waiting), (CURLE_OUT_OF_MEMORY, .sending): return .headTooLarge
    case (CURLE_OPERATION_TIMEDOUT, _) where text.contains("too slow"): return .tooSlow
    // A client certificate without its key.
    case (CURLE_SSL_CONNECT_ERROR, .tls) where text.contains("private key"),
      // libcurl 8.16 and newer.
      (CURLE_BAD_FUNCTION_ARGUMENT, _) where headSize == 0 && text.contains("private key"):
      return .invalidClientCertificate
    // The response is not HTTP: HTTP/0.9 is disabled.
    case (CURLE_UNSUPPORTED_PROTOCOL, .waiting), (CURLE_UNSUPPORTED_PROTOCOL, .sending): return .malformedResponse
    default: return table[code.rawValue] ?? .engineFailed
    }
  }

  /// Phrases of libcurl's messages about a connection that broke during the handshake.
  private static let interruptions = [
    " in connection to ", "unexpected eof", "Recv failure", "Send failure", "non-properly terminated",
    "lib(0)::reason(0)",
  ]

  /// Whether OpenSSL or GnuTLS reports an alert of the server.
  private static func isAlert(_ text: String) -> Bool {
    text.contains("SSL routines") && text.contains(" alert ") || text.contains("A TLS fatal alert")
  }

  /// Whether OpenSSL 3, OpenSSL 1.1 or GnuTLS reports that the connection was closed without a close_notify.
  private static func isEndWithoutNotice(_ text: String) -> Bool {
    text.contains("unexpected eof") || text.contains("SSL_ERROR_SYSCALL, errno 0") || text.contains("non-properly terminated")
  }

  /// Whether the error is a TLS error. Needed because libcurl's times do not show the TLS phase before 8.0.
  static func isTLS(_ code: CURLcode, _ text: String) -> Bool {
    if code == CURLE_BAD_FUNCTION_ARGUMENT { return text.contains("private key") }
    return switch table[code.rawValue] {
    case .tlsFailed, .tlsVerificationFailed, .invalidCA, .invalidClientCertificate, .publicKeyNotPinned: true
    default: false
    }
  }

  /// A size below libcurl's limits for heads: 100 KiB for a line, 300 KiB in total, in versions with such a limit.
  private static let limitOfHead = 190 << 10

  /// CURLE_TOO_LARGE, of libcurl 8.6 and newer.
  private static let tooLarge: UInt32 = 100

  private static let table: [UInt32: TransportError.Code] = [
    CURLE_UNSUPPORTED_PROTOCOL.rawValue: .unsupportedScheme,
    CURLE_URL_MALFORMAT.rawValue: .invalidURL,
    CURLE_COULDNT_RESOLVE_PROXY.rawValue: .proxyUnreachable,
    CURLE_COULDNT_RESOLVE_HOST.rawValue: .nameNotFound,
    CURLE_COULDNT_CONNECT.rawValue: .connectionFailed,
    CURLE_WEIRD_SERVER_REPLY.rawValue: .malformedResponse,
    CURLE_HTTP2.rawValue: .http2Error,
    // An error of a transfer coding: libcurl does not decode content codings here.
    CURLE_BAD_CONTENT_ENCODING.rawValue: .malformedResponse,
    CURLE_PARTIAL_FILE.rawValue: .truncatedResponse,
    CURLE_UPLOAD_FAILED.rawValue: .sendFailed,
    CURLE_OPERATION_TIMEDOUT.rawValue: .connectTimeout,
    CURLE_SSL_CONNECT_ERROR.rawValue: .tlsFailed,
    CURLE_GOT_NOTHING.rawValue: .connectionClosed,
    CURLE_SEND_ERROR.rawValue: .sendFailed,
    CURLE_RECV_ERROR.rawValue: .receiveFailed,
    CURLE_SSL_CERTPROBLEM.rawValue: .invalidClientCertificate,
    CURLE_SSL_CIPHER.rawValue: .tlsFailed,
    CURLE_PEER_FAILED_VERIFICATION.rawValue: .tlsVerificationFailed,
    CURLE_SEND_FAIL_REWIND.rawValue: .bodyNotReplayable,
    CURLE_SSL_CACERT_BADFILE.rawValue: .invalidCA,
    CURLE_SSL_SHUTDOWN_FAILED.rawValue: .tlsFailed,
    CURLE_SSL_ISSUER_ERROR.rawValue: .tlsVerificationFailed,
    CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: .publicKeyNotPinned,
    CURLE_SSL_INVALIDCERTSTATUS.rawValue: .tlsVerificationFailed,
    CURLE_HTTP2_STREAM.rawValue: .http2Error,
    CURLE_PROXY.rawValue: .proxyFailed,
    CURLE_SSL_CLIENTCERT.rawValue: .tlsFailed,
    CURLE_SSL_CRL_BADFILE.rawValue: .invalidCA,
    CURLE_INTERFACE_FAILED.rawValue: .connectionFailed,
    CURLE_HTTP3.rawValue: .http3Error,
    CURLE_QUIC_CONNECT_ERROR.rawValue: .connectionFailed,
  ]
}

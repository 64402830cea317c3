internal import CCurl
internal import FaradayCore

/// What libcurl's codes mean here.
enum ErrorTable {
  /// - Parameters:
  ///   - text: what libcurl says, which tells apart what it has one code for.
  ///   - headSize: bytes of head received; libcurl's limit on them has no code of its own in all versions.
  static func code(
    for code: CURLcode, phase: TransportError.Phase, text: String = "", headSize: Int = 0
  ) -> TransportError.Code {
    if headSize > limitOfHead, phase != .receiving { return .headTooLarge }
    if code.rawValue == tooLarge { return .headTooLarge }
    switch (code, phase) {
    case (CURLE_RECV_ERROR, .receiving) where text.contains("chunked-encoding") || text.contains("chunk hex"),
      (CURLE_RECV_ERROR, .receiving) where text.contains("hex-length"):
      return .malformedResponse
    // A first field that is folded: libcurl has none that it would continue.
    case (CURLE_BAD_FUNCTION_ARGUMENT, .waiting) where headSize > 0, (CURLE_BAD_FUNCTION_ARGUMENT, .sending) where headSize > 0:
      return .malformedResponse
    // The connection has ended without a word, in order or not.
    case (CURLE_RECV_ERROR, .waiting) where headSize == 0, (CURLE_RECV_ERROR, .sending) where headSize == 0:
      return .connectionClosed
    case (CURLE_RECV_ERROR, .receiving) where text.contains("unexpected eof"),
      (CURLE_SEND_ERROR, .receiving) where text.contains("unexpected eof"):
      return .truncatedResponse
    // A proxy that will not open a tunnel.
    case (CURLE_RECV_ERROR, .connecting) where text.contains("CONNECT"): return .proxyFailed
    case (CURLE_RECV_ERROR, .tls) where text.contains("CONNECT"): return .proxyFailed
    case (CURLE_OUT_OF_MEMORY, .waiting), (CURLE_OUT_OF_MEMORY, .sending): return .headTooLarge
    // Something else than HTTP was answered: HTTP/0.9 is off.
    case (CURLE_UNSUPPORTED_PROTOCOL, .waiting), (CURLE_UNSUPPORTED_PROTOCOL, .sending): return .malformedResponse
    default: return table[code.rawValue] ?? .engineFailed
    }
  }

  /// Whether it is about TLS, which libcurl's times do not tell before 8.0.
  static func isTLS(_ code: CURLcode) -> Bool {
    switch table[code.rawValue] {
    case .tlsFailed, .tlsVerificationFailed, .invalidCA: true
    default: false
    }
  }

  /// One line is at most 100 KiB and all are 300 KiB in the versions that have a limit.
  private static let limitOfHead = 190 << 10

  /// CURLE_TOO_LARGE, of libcurl 8.6 and newer.
  private static let tooLarge: UInt32 = 100

  private static let table: [UInt32: TransportError.Code] = [
    CURLE_UNSUPPORTED_PROTOCOL.rawValue: .unsupportedScheme,
    CURLE_URL_MALFORMAT.rawValue: .invalidURL,
    CURLE_COULDNT_RESOLVE_PROXY.rawValue: .proxyFailed,
    CURLE_COULDNT_RESOLVE_HOST.rawValue: .nameNotFound,
    CURLE_COULDNT_CONNECT.rawValue: .connectionFailed,
    CURLE_WEIRD_SERVER_REPLY.rawValue: .malformedResponse,
    CURLE_HTTP2.rawValue: .http2Error,
    // Of a transfer coding: content codings are decoded elsewhere.
    CURLE_BAD_CONTENT_ENCODING.rawValue: .malformedResponse,
    CURLE_PARTIAL_FILE.rawValue: .truncatedResponse,
    CURLE_UPLOAD_FAILED.rawValue: .sendFailed,
    CURLE_OPERATION_TIMEDOUT.rawValue: .connectTimeout,
    CURLE_SSL_CONNECT_ERROR.rawValue: .tlsFailed,
    CURLE_GOT_NOTHING.rawValue: .connectionClosed,
    CURLE_SEND_ERROR.rawValue: .sendFailed,
    CURLE_RECV_ERROR.rawValue: .receiveFailed,
    CURLE_SSL_CERTPROBLEM.rawValue: .tlsFailed,
    CURLE_SSL_CIPHER.rawValue: .tlsFailed,
    CURLE_PEER_FAILED_VERIFICATION.rawValue: .tlsVerificationFailed,
    CURLE_SEND_FAIL_REWIND.rawValue: .bodyNotReplayable,
    CURLE_SSL_CACERT_BADFILE.rawValue: .invalidCA,
    CURLE_SSL_SHUTDOWN_FAILED.rawValue: .tlsFailed,
    CURLE_SSL_ISSUER_ERROR.rawValue: .tlsVerificationFailed,
    CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: .tlsVerificationFailed,
    CURLE_SSL_INVALIDCERTSTATUS.rawValue: .tlsVerificationFailed,
    CURLE_HTTP2_STREAM.rawValue: .http2Error,
    CURLE_PROXY.rawValue: .proxyFailed,
    CURLE_SSL_CLIENTCERT.rawValue: .tlsFailed,
  ]
}

import CCurl
@testable import FaradayCurl
@_spi(Adapters) import FaradayCore
import Testing

@Suite struct ErrorTableTests {
  /// The phase is that of connecting. The remaining codes are about other protocols or about libcurl itself.
  private static let meanings: [TransportError.Code: [UInt32]] = [
    .unsupportedScheme: [1],
    .invalidURL: [3],
    .proxyUnreachable: [5],
    .proxyFailed: [97],
    .nameNotFound: [6],
    // 55 and 56: QUIC, whose socket is no connection.
    .connectionFailed: [7, 45, 55, 56, 96],
    .malformedResponse: [8, 61],
    .http2Error: [16, 92],
    .http3Error: [95],
    .truncatedResponse: [18],
    .sendFailed: [25],
    .connectTimeout: [28],
    // A connection; a cipher; the goodbye; and that a certificate of ours is wanted.
    .tlsFailed: [35, 59, 80, 98],
    .invalidClientCertificate: [58],
    .publicKeyNotPinned: [90],
    .connectionClosed: [52],
    .tlsVerificationFailed: [60, 83, 91],
    .bodyNotReplayable: [65],
    .invalidCA: [77, 82],
    // Since 8.6.
    .headTooLarge: [100],
  ]

  @Test func `every CURLcode maps to a transport error code`() {
    for code in 1..<max(CURL_LAST.rawValue, 102) {
      let expected = Self.meanings.first { $0.value.contains(code) }?.key ?? .engineFailed
      #expect(ErrorTable.code(for: CURLcode(rawValue: code), phase: .connecting) == expected, "\(code)")
    }
  }

  @Test(arguments: [
    (CURLE_URL_MALFORMAT, TransportError.Phase.connecting, TransportError.Code.invalidURL),
    (CURLE_UNSUPPORTED_PROTOCOL, .connecting, .unsupportedScheme),
    (CURLE_UNSUPPORTED_PROTOCOL, .waiting, .malformedResponse),
    (CURLE_COULDNT_RESOLVE_HOST, .resolving, .nameNotFound),
    (CURLE_COULDNT_RESOLVE_PROXY, .resolving, .proxyUnreachable),
    (CURLE_COULDNT_CONNECT, .connecting, .connectionFailed),
    (CURLE_OPERATION_TIMEDOUT, .connecting, .connectTimeout),
    (CURLE_SSL_CONNECT_ERROR, .tls, .tlsFailed),
    (CURLE_PEER_FAILED_VERIFICATION, .tls, .tlsVerificationFailed),
    (CURLE_SSL_CACERT_BADFILE, .tls, .invalidCA),
    (CURLE_GOT_NOTHING, .waiting, .connectionClosed),
    (CURLE_SEND_ERROR, .sending, .sendFailed),
    (CURLE_RECV_ERROR, .receiving, .receiveFailed),
    (CURLE_UPLOAD_FAILED, .sending, .sendFailed),
    (CURLE_PARTIAL_FILE, .receiving, .truncatedResponse),
    (CURLE_WEIRD_SERVER_REPLY, .waiting, .malformedResponse),
    (CURLE_BAD_CONTENT_ENCODING, .receiving, .malformedResponse),
    (CURLE_OUT_OF_MEMORY, .waiting, .headTooLarge),
    (CURLE_SEND_FAIL_REWIND, .sending, .bodyNotReplayable),
    (CURLE_HTTP2_STREAM, .receiving, .http2Error), (CURLE_HTTP3, .receiving, .http3Error),
    (CURLE_FAILED_INIT, .connecting, .engineFailed),
    (CURLcode(rawValue: 4711), .connecting, .engineFailed),
  ])
  func `the phase of the exchange refines the mapped code`(
    code: CURLcode, phase: TransportError.Phase, expected: TransportError.Code
  ) {
    #expect(ErrorTable.code(for: code, phase: phase) == expected)
  }

  @Test(arguments: [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_GOT_NOTHING])
  func `a failed connection to a proxy is transient unless the proxy has responded`(code: CURLcode) {
    #expect(ErrorTable.code(for: code, phase: .connecting, proxy: .silent) == .proxyUnreachable)
    #expect(ErrorTable.code(for: code, phase: .connecting, proxy: .answered) == .proxyFailed)
    #expect(![.proxyUnreachable, .proxyFailed].contains(ErrorTable.code(for: code, phase: .connecting)))
    for proxy in [ErrorTable.ProxyState.silent, .answered] {
      #expect(ErrorTable.code(for: CURLE_PEER_FAILED_VERIFICATION, phase: .tls, proxy: proxy) == .tlsVerificationFailed)
      #expect(ErrorTable.code(for: CURLE_WEIRD_SERVER_REPLY, phase: .connecting, proxy: proxy) == .proxyFailed)
    }
  }

  @Test(arguments: [
    "OpenSSL SSL_connect: Connection reset by peer in connection to localhost:1 ",
    "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:1 ",
    "error:0A000126:SSL routines::unexpected eof while reading", "Recv failure: Connection reset by peer",
    "TLS connect error: error:00000000:lib(0)::reason(0)",
    "gnutls_handshake() failed: The TLS connection was non-properly terminated.",
  ])
  func `an interrupted handshake is a connection failure`(text: String) {
    #expect(ErrorTable.code(for: CURLE_SSL_CONNECT_ERROR, phase: .tls, text: text) == .connectionFailed)
    let reason = "error:0A00010B:SSL routines::wrong version number"
    #expect(ErrorTable.code(for: CURLE_SSL_CONNECT_ERROR, phase: .tls, text: reason) == .tlsFailed)
  }

  @Test(arguments: [
    "OpenSSL SSL_read: OpenSSL/3.5.3: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
    "OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 0", "GnuTLS recv error (-110): The TLS connection was non-properly terminated.",
  ])
  func `a body whose connection ends without close_notify is truncated`(text: String) {
    #expect(ErrorTable.code(for: CURLE_RECV_ERROR, phase: .receiving, text: text) == .truncatedResponse)
    #expect(ErrorTable.code(for: CURLE_SEND_ERROR, phase: .waiting, text: text) == .connectionClosed)
  }

  @Test(arguments: [CURLE_SSL_CERTPROBLEM, CURLE_BAD_FUNCTION_ARGUMENT])
  func `a client certificate with a wrong key is invalid with every version of TLS`(code: CURLcode) {
    let text = "unable to set private key file: 'client.key' type PEM"
    #expect(ErrorTable.code(for: code, phase: .tls, text: text) == .invalidClientCertificate)
    #expect(ErrorTable.isTLS(code, text))
  }

  @Test(arguments: [CURLE_RECV_ERROR, CURLE_SEND_ERROR], [TransportError.Phase.sending, .waiting])
  func `a TLS alert before the response is a TLS failure`(code: CURLcode, phase: TransportError.Phase) {
    let text = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
    #expect(ErrorTable.code(for: code, phase: phase, text: text) == .tlsFailed)
  }

  @Test(arguments: [CURLE_RECV_ERROR, CURLE_SEND_ERROR])
  func `a TLS end within a body truncates it`(code: CURLcode) {
    let text = "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0"
    #expect(ErrorTable.code(for: code, phase: .receiving, text: text) == .truncatedResponse)
    #expect(ErrorTable.code(for: code, phase: .receiving, text: "") != .truncatedResponse)
  }
}

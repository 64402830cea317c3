import CCurl
@testable import FaradayCurl
import FaradayCore
import Testing

@Suite struct ErrorTableTests {
  @Test(arguments: [
    (CURLE_URL_MALFORMAT, TransportError.Phase.connecting, TransportError.Code.invalidURL),
    (CURLE_UNSUPPORTED_PROTOCOL, .connecting, .unsupportedScheme),
    (CURLE_UNSUPPORTED_PROTOCOL, .waiting, .malformedResponse),
    (CURLE_COULDNT_RESOLVE_HOST, .resolving, .nameNotFound),
    (CURLE_COULDNT_RESOLVE_PROXY, .resolving, .proxyFailed),
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
    (CURLE_BAD_CONTENT_ENCODING, .receiving, .decompressionFailed),
    (CURLE_OUT_OF_MEMORY, .waiting, .headTooLarge),
    (CURLE_SEND_FAIL_REWIND, .sending, .bodyNotReplayable),
    (CURLE_HTTP2_STREAM, .receiving, .http2Error),
    (CURLE_FAILED_INIT, .connecting, .engineFailed),
    (CURLcode(rawValue: 4711), .connecting, .engineFailed),
  ])
  func `every code of libcurl's has one of ours`(
    code: CURLcode, phase: TransportError.Phase, expected: TransportError.Code
  ) {
    #expect(ErrorTable.code(for: code, phase: phase) == expected)
  }

  @Test(arguments: ["CONNECT tunnel failed, response 403", "Received HTTP code 407 from proxy after CONNECT"])
  func `a tunnel that a proxy refuses is the proxy's failure`(text: String) {
    #expect(ErrorTable.code(for: CURLE_RECV_ERROR, phase: .connecting, text: text) == .proxyFailed)
    #expect(ErrorTable.code(for: CURLE_RECV_ERROR, phase: .connecting, text: "reset by peer") == .receiveFailed)
  }
}

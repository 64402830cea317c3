@_spi(Adapters) import FaradayCore
@testable import FaradayURLSession
import Foundation
import Testing
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ErrorTableTests {
  @Test(arguments: [
    (URLError.Code.badURL, TransportError.Code.invalidURL, TransportError.Phase.building),
    (.unsupportedURL, .unsupportedScheme, .building), (.cannotFindHost, .nameNotFound, .resolving),
    (.dnsLookupFailed, .nameNotFound, .resolving), (.cannotConnectToHost, .connectionFailed, .connecting),
    (.secureConnectionFailed, .tlsFailed, .tls), (.serverCertificateUntrusted, .tlsVerificationFailed, .tls),
    (.serverCertificateHasUnknownRoot, .tlsVerificationFailed, .tls), (.requestBodyStreamExhausted, .bodyNotReplayable, .sending),
  ])
  func `an error code maps to a transport error code and phase`(
    code: URLError.Code, meaning: TransportError.Code, phase: TransportError.Phase
  ) {
    let found = ErrorTable.meaning(of: code.rawValue)
    #expect(found.code == meaning)
    #expect(found.phase == phase)
  }

  @Test func `some codes mean another error after the response has started`() {
    let lost = URLError.Code.networkConnectionLost.rawValue
    #expect(ErrorTable.meaning(of: lost).code == .connectionClosed)
    #expect(ErrorTable.meaning(of: lost, hasHead: true).code == .truncatedResponse)
    let late = URLError.Code.timedOut.rawValue
    #expect(ErrorTable.meaning(of: late).code == .connectTimeout)
    #expect(ErrorTable.meaning(of: late, hasHead: true).code == .idleTimeout)
  }

  @Test func `a TLS error after the handshake is a closed connection`() {
    let text = "OpenSSL SSL_read: OpenSSL/3.0.17: error:0A000126:SSL routines::unexpected eof while reading, errno 0"
    let unanswered = ErrorTable.meaning(of: -1, text: text)
    #expect(unanswered.code == .connectionClosed && unanswered.phase == nil)
    #expect(ErrorTable.meaning(of: -1, text: text, hasHead: true).code == .truncatedResponse)
    let handshake = ErrorTable.meaning(of: -1, text: "OpenSSL SSL_connect: Connection reset by peer in connection to h:443")
    #expect(handshake.code == .connectionFailed && handshake.phase == .tls)
    let alert = "OpenSSL SSL_read: OpenSSL/3.0.17: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
    #expect(ErrorTable.meaning(of: -1, text: alert).code == .tlsFailed)
  }

  @Test func `an unknown code is an engine failure`() {
    #expect(ErrorTable.meaning(of: -4711).code == .engineFailed)
  }
}

@_spi(Adapters) internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Maps Foundation's URLError codes to the codes of ``FaradayCore/TransportError``.
enum ErrorTable {
  /// Returns the code and phase for a Foundation error code.
  ///
  /// - Parameters:
  ///   - text: Foundation's message, which distinguishes errors with the same code.
  ///   - hasHead: whether the head of a response was received.
  static func meaning(
    of code: Int, text: String = "", hasHead: Bool = false
  ) -> (code: TransportError.Code, phase: TransportError.Phase?) {
    let said = text.lowercased()
    // With TLS 1.3, a server rejects the client's certificate after the handshake, with an alert.
    if said.contains("ssl routines"), said.contains(" alert "), !hasHead { return (.tlsFailed, .tls) }
    // The connection broke after the TLS handshake.
    if said.contains("ssl_read") || said.contains("ssl_write") { return (hasHead ? .truncatedResponse : .connectionClosed, nil) }
    // The connection broke during the handshake.
    if interruptions.contains(where: said.contains) { return (.connectionFailed, .tls) }
    let isHandshake = URLError.Code(rawValue: code) == .secureConnectionFailed
    if isHandshake, said.hasPrefix("recv failure") || said.hasPrefix("send failure") { return (.connectionFailed, .tls) }
    for (words, meaning) in phrases where said.contains(words) { return meaning }
    switch URLError.Code(rawValue: code) {
    case .badURL: return (.invalidURL, .building)
    case .unsupportedURL: return (.unsupportedScheme, .building)
    case .cannotFindHost, .dnsLookupFailed: return (.nameNotFound, .resolving)
    case .cannotConnectToHost, .notConnectedToInternet: return (.connectionFailed, .connecting)
    case .timedOut: return (hasHead ? .idleTimeout : .connectTimeout, nil)
    case .unknown where said.hasPrefix("recv failure"): return (hasHead ? .receiveFailed : .connectionClosed, nil)
    case .unknown where said.hasPrefix("send failure"): return (.sendFailed, .sending)
    case .networkConnectionLost: return (hasHead ? .truncatedResponse : .connectionClosed, nil)
    case .badServerResponse, .cannotParseResponse, .zeroByteResource: return (.malformedResponse, nil)
    case .cannotDecodeContentData, .cannotDecodeRawData: return (.decompressionFailed, nil)
    case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: return (.tlsFailed, .tls)
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      return (.tlsVerificationFailed, .tls)
    case .requestBodyStreamExhausted: return (.bodyNotReplayable, .sending)
    default: return (.engineFailed, nil)
    }
  }

  /// Phrases of libcurl's messages about a connection that broke during the TLS handshake.
  private static let interruptions = [" in connection to ", "unexpected eof"]

  /// Phrases of libcurl's messages: Foundation on Linux has few codes, and passes libcurl's messages on.
  private static let phrases: [(String, (code: TransportError.Code, phase: TransportError.Phase?))] = [
    ("transfer closed with", (.truncatedResponse, .receiving)),
    ("bytes missing", (.truncatedResponse, .receiving)),
    ("empty reply", (.connectionClosed, .waiting)),
    ("http/0.9", (.malformedResponse, .waiting)),
    ("http version", (.malformedResponse, .waiting)),
    ("invalid content-length", (.malformedResponse, .waiting)),
    ("too large response headers", (.headTooLarge, .waiting)),
    ("out of memory", (.headTooLarge, .waiting)),
    ("too many response headers", (.headTooLarge, .waiting)),
    ("grew larger than allowed", (.headTooLarge, .waiting)),
    ("subversion", (.malformedResponse, .waiting)),
    ("chunked-encoding", (.malformedResponse, .receiving)),
    ("chunk hex", (.malformedResponse, .receiving)),
    ("hex-length", (.malformedResponse, .receiving)),
    ("certificate", (.tlsVerificationFailed, .tls)),
    ("openssl", (.tlsFailed, .tls)),
    ("tls connect error", (.tlsFailed, .tls)),
    ("ssl_error", (.tlsFailed, .tls)),
  ]

  /// Foundation's message, without the URL.
  static func text(of error: any Error) -> String {
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying ?? error).localizedDescription
  }
}

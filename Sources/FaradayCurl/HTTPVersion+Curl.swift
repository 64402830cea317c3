internal import CCurl
internal import FaradayCore

extension HTTPVersionPolicy {
  func apply(to easy: EasyHandle, for transfer: Transfer) throws(EasyHandle.Refused) {
    guard mayBeHTTP2(for: transfer) else { return try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
    try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Rather waits for a handshake that is going on than opens a connection of its own.
    try easy.set(CURLOPT_PIPEWAIT, 1)
  }

  /// Whether the exchange may turn out to be HTTP/2.
  func mayBeHTTP2(for transfer: Transfer) -> Bool {
    guard transfer.target.isSecure else { return false }
    switch self {
    case .http1: return false
    case .automatic, .http2: return Library.hasHTTP2
    }
  }
}

internal import CCurl
internal import FaradayCore

/// libcurl sends a request again by itself when a kept connection ends before anything of a response has come, whatever the
/// method, and after a 417. What it may not repeat is stopped where it is about to: when it asks for a socket, or has a
/// connection.
extension Transfer {
  /// Whether the request may go out: for the first time, or again. Notes why, if not.
  func maySendNow() -> Bool {
    guard failure == nil else { return false }
    if refusedExpectations > 1 {
      return stop(.malformedResponse, "the server answers 417 also to a request that expects nothing")
    }
    guard isReady, headSize == 0, !mayRepeat else { return true }
    return stop(
      .connectionClosed,
      "the connection ended before a response, and a \(request.method) that may have arrived is not sent again")
  }

  /// Whether sending it again does what sending it once does (RFC 9110, section 9.2.2), or nothing of it has left.
  var mayRepeat: Bool {
    switch request.method {
    case .get, .head, .put, .delete, .options, .trace: true
    default: easy?.get(CURLINFO_REQUEST_SIZE) == 0
    }
  }
}

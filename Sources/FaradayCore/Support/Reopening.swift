/// A stream, of events or of a WebSocket, that may be opened again after an error.
package struct Reopening {
  /// The `Retry-After` of the response; nil if there is none.
  package let retryAfter: Duration?

  /// Nil if the stream must not be opened again: the error is not transient, or it is a status other than 429 and 500 to 599, or
  /// its `Retry-After` is longer than the maximum.
  ///
  /// - Parameter now: seconds since 1970, for dates in `Retry-After`.
  package init?(after error: any Error, maximumRetryAfter: Duration, now: () -> Int64) {
    guard let status = error as? StatusError else {
      guard error.countsAsTransient else { return nil }
      retryAfter = nil
      return
    }
    guard status.status.code == 429 || status.status.kind == .serverError else { return nil }
    retryAfter = status.response.headers.retryAfter(now: now)
    guard retryAfter ?? .zero <= maximumRetryAfter else { return nil }
  }
}

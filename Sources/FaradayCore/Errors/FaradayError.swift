/// The protocol of all errors of this package: whether it was a timeout, a cancellation or transient, and its request and response.
///
///     do {
///       user = try await connection.get("users/1").decode(User.self)
///     } catch let error as any FaradayError where error.isTransient {
///       print("try again later:", error, error.request?.url ?? "", error.response?.status ?? "no response")
///     }
///
/// ``isTimeout``, ``isTransient`` and ``isCancelled`` exist on every `Error`; they are false for errors of other packages, except
/// that a `CancellationError` is cancelled. `description` and `errorDescription` are one line, without secrets, fit for a log.
///
/// An error with one meaning is named after it (``InvalidHeader``, ``UnexpectedStatus``, ``BodyTooLarge``); one with several ends
/// in `Error` and has a `code` or `reason` (``TransportError``, ``PagingError``).
public protocol FaradayError: LocalizedError, CustomStringConvertible, Sendable {
  /// Whether a timeout expired: one of ``Timeouts``, a `Timeout` middleware's, a promise's, or that of `Constraints`.
  var isTimeout: Bool { get }
  /// Whether the task or promise was cancelled.
  var isCancelled: Bool { get }
  /// Whether a retry may succeed: a timeout, a failed or broken connection, or one of the status codes 408, 429, 502, 503 and 504.
  /// It does not say that a retry is safe: the request may not be idempotent.
  var isTransient: Bool { get }
  /// The method and redacted URL of the request that failed; nil if the error has no request.
  var request: RequestSummary? { get }
  /// The response that was received, perhaps in part; nil if there was none. It is not redacted.
  var response: Response? { get }
}

extension FaradayError {
  /// False by default.
  public var isTimeout: Bool { false }
  /// False by default.
  public var isCancelled: Bool { false }
  /// True for a timeout by default.
  public var isTransient: Bool { isTimeout }
  /// Nil by default.
  public var request: RequestSummary? { nil }
  /// Nil by default.
  public var response: Response? {
    guard let error = self as? any ErrorWithResponse else { return nil }
    // Without its type it would be this one again.
    let response: Response = error.response
    return response
  }
  /// The `description`: it is what `localizedDescription` shows.
  public var errorDescription: String? { description }
  // Here as well as in Foundation, so that a file that conforms to this need not import it.
  /// Nil by default.
  public var failureReason: String? { nil }
  /// Nil by default.
  public var recoverySuggestion: String? { nil }
  /// Nil by default.
  public var helpAnchor: String? { nil }
}

extension FaradayError {
  /// A description of the form `GET https://host/path: problem`; the problem alone if there is no request.
  package func naming(_ problem: String) -> String { request.map { "\($0): \(problem)" } ?? problem }
}

/// An error that always has a response.
package protocol ErrorWithResponse: FaradayError {
  var response: Response { get }
}

extension Error {
  /// ``FaradayError/isTimeout`` of an error of this package; false of any other.
  public var isTimeout: Bool { (self as? any FaradayError)?.isTimeout ?? false }
  /// ``FaradayError/isCancelled`` of an error of this package; of others, whether it is a `CancellationError`.
  public var isCancelled: Bool { (self as? any FaradayError)?.isCancelled ?? (self is CancellationError) }
  /// ``FaradayError/isTransient`` of an error of this package; false of any other.
  public var isTransient: Bool { (self as? any FaradayError)?.isTransient ?? false }
}

extension HTTPResponse.Status {
  /// The status codes after which a retry may succeed: 408, 429, 502, 503 and 504.
  public static let transientCodes: Set<Int> = [408, 429, 502, 503, 504]
  package var isTransient: Bool { Self.transientCodes.contains(code) }
}

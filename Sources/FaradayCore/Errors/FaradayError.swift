/// What every error of this package answers, whichever part of it was at fault.
///
///     do {
///       user = try await connection.get("users/1").decode(User.self)
///     } catch let error as any FaradayError where error.isTransient {
///       print("try again later:", error, error.request?.url ?? "", error.response?.status ?? "no response")
///     }
///
/// ``isTimeout``, ``isTransient`` and ``isCancelled`` may be asked of any `Error`, and are false of those that are somebody else's, but
/// for a `CancellationError`. `description` and `errorDescription` are one line, without a secret.
public protocol FaradayError: LocalizedError, CustomStringConvertible, Sendable {
  /// Whether something took longer than one of the caller's limits allows: ``Timeouts``, a `Timeout`, a promise's `timeout`, the limit
  /// of `Constraints`.
  var isTimeout: Bool { get }
  /// Whether the work was cancelled, and nothing is wrong with it.
  var isCancelled: Bool { get }
  /// Whether the same may succeed later: a timeout, a server that was not reached, a connection that broke, a status that says so
  /// (408, 429, 502, 503, 504). It says nothing about whether the request may be sent twice.
  var isTransient: Bool { get }
  /// The request that it is about; nil if it is about none, or did not know of it.
  var request: RequestSummary? { get }
  /// The response that it is about, as far as it came; nil if there was none.
  var response: Response? { get }
}

extension FaradayError {
  public var isTimeout: Bool { false }
  public var isCancelled: Bool { false }
  public var isTransient: Bool { isTimeout }
  public var request: RequestSummary? { nil }
  public var response: Response? {
    guard let error = self as? any ErrorWithResponse else { return nil }
    // Without its type it would be this one again.
    let response: Response = error.response
    return response
  }
  public var errorDescription: String? { description }
  // Here as well as in Foundation, so that a file that conforms to this need not import it.
  public var failureReason: String? { nil }
  public var recoverySuggestion: String? { nil }
  public var helpAnchor: String? { nil }
}

extension FaradayError {
  /// What went wrong, behind the request that it is about.
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
  /// The codes that say that the same request may succeed later: 408, 429, 502, 503, 504.
  public static let transientCodes: Set<Int> = [408, 429, 502, 503, 504]
  package var isTransient: Bool { Self.transientCodes.contains(code) }
}

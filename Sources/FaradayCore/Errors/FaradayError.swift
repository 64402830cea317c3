/// The protocol of all errors of this package: whether the error is a timeout, a cancellation or transient, and its request and
/// response.
///
///     do {
///       user = try await connection.get("users/1").decode(User.self)
///     } catch let error as any FaradayError where error.isTransient {
///       print("try again later:", error, error.request?.url ?? "", error.response?.status ?? "no response")
///     }
///
/// `description` and `errorDescription` are one line, without secrets, fit for a log. A cancelled task throws
/// `CancellationError`, which is not an error of this package: catch it by its type.
///
/// An error type with several meanings has a `code`, `kind` or `reason`: ``TransportError``, ``BodyError``,
/// ``InvalidValueError``.
public protocol FaradayError: LocalizedError, CustomStringConvertible, Sendable {
  /// Whether a timeout expired: of ``Timeouts``, a `Timeout` middleware, a promise, or `Constraints`.
  var isTimeout: Bool { get }
  /// Whether the task or promise was cancelled.
  var isCancelled: Bool { get }
  /// Whether a retry may succeed: a timeout, a failed or broken connection, or one of the status codes 408, 429, 502, 503
  /// and 504. A retry may still be unsafe: the request may not be idempotent.
  var isTransient: Bool { get }
  /// The method and redacted URL of the request that failed; nil if the error has no request.
  var request: RequestSummary? { get }
  /// The response, possibly in part; nil if none was received. The response is not redacted.
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
    // The type annotation selects the non-optional property: without it, this property would call itself.
    let response: Response = error.response
    return response
  }
  /// The `description`, which `localizedDescription` shows.
  public var errorDescription: String? { description }
  // Repeats Foundation's defaults, so that a file with a conforming type need not import Foundation.
  /// Nil by default.
  public var failureReason: String? { nil }
  /// Nil by default.
  public var recoverySuggestion: String? { nil }
  /// Nil by default.
  public var helpAnchor: String? { nil }
}

extension FaradayError {
  /// The description `GET https://host/path: problem`, or only the problem if there is no request.
  package func naming(_ problem: String) -> String { request.map { "\($0): \(problem)" } ?? problem }
}

/// An error that always has a response.
package protocol ErrorWithResponse: FaradayError {
  var response: Response { get }
}

extension Error {
  /// ``FaradayError/isTimeout`` of an error of this package; false for any other error.
  package var countsAsTimeout: Bool { (self as? any FaradayError)?.isTimeout ?? false }
  /// ``FaradayError/isCancelled`` of an error of this package; otherwise whether the error is a `CancellationError`.
  package var countsAsCancelled: Bool { (self as? any FaradayError)?.isCancelled ?? (self is CancellationError) }
  /// ``FaradayError/isTransient`` of an error of this package; false for any other error.
  package var countsAsTransient: Bool { (self as? any FaradayError)?.isTransient ?? false }
  /// ``FaradayError/isRetryRefused`` of an error of this package; false for any other error.
  package var countsAsRetryRefused: Bool { (self as? any FaradayError)?.isRetryRefused ?? false }
}

extension HTTPResponse.Status {
  /// The status codes after which a retry may succeed: 408, 429, 502, 503 and 504.
  public static let transientCodes: Set<Int> = [408, 429, 502, 503, 504]
  package var isTransient: Bool { Self.transientCodes.contains(code) }
}

/// A request's method and redacted URL, for errors and logs: `GET https://api.example.com/users?token=[secret]`.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
  /// The method.
  public let method: HTTPRequest.Method
  /// The URL without user, password and fragment, with ``Secrets/mark`` for secret values; cut off after 1 KiB.
  public let url: String

  /// The summary of a request, redacted by its ``Request/secrets``.
  public init(_ request: Request) {
    self.init(method: request.method, url: request.secrets.redacting(request.url))
  }

  /// - Parameter url: the redacted URL.
  package init(method: HTTPRequest.Method, url: String) {
    self.method = method
    self.url = url.bounded()
  }

  public var description: String { "\(method.rawValue.bounded()) \(url)" }
}

extension Response {
  /// Whether `Retry` did not send the request again because its `RetryBudget` was used up. Descriptions of errors include this
  /// fact.
  public package(set) var isRetryRefused: Bool {
    get { self[IsRetryRefused.self] ?? false }
    set { self[IsRetryRefused.self] = newValue ? true : nil }
  }

  private enum IsRetryRefused: ResponseKey { typealias Value = Bool }
}

extension FaradayError {
  /// Whether `Retry` did not send the request again because its `RetryBudget` was used up: for a ``TransportError``, and for an
  /// error with a response, such as ``StatusError``.
  public var isRetryRefused: Bool {
    (self as? TransportError)?.isRetryRefused ?? response?.isRetryRefused ?? false
  }
}

extension Error {
  /// The error, with ``isRetryRefused`` set if the error supports it.
  package var refusingRetry: any Error {
    switch self {
    case var error as TransportError:
      error.isRetryRefused = true
      return error
    case var error as StatusError:
      error.response.isRetryRefused = true
      return error
    default: return self
    }
  }
}

/// The note in the description of an error whose retry was refused.
let retryRefusedNote = "not retried: the retry budget is used up"

public import HTTPTypes

/// A response with a status that was not expected, such as 404: `ExpectStatus` and the typed calls throw it.
///
/// Its `description` has no secrets. Its ``response`` is not redacted: do not log it.
public struct UnexpectedStatus: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The response with its header fields and body. A body that is still streamed can be read once, as ``collected(upTo:within:clock:)``
  /// does; it keeps its connection busy until it has been read or this error is released.
  public package(set) var response: Response
  /// Whether ``response`` has only the beginning of the body, because it is longer than a limit, took too long or broke off.
  public private(set) var isBodyCut: Bool
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's URL, without user, password and fragment, with secret query values redacted.
  public let url: String
  /// Why the request went without the connection's header fields and credentials, if it did.
  private let crossing: Crossing?
  private let hasOwnCredentials: Bool

  private enum Crossing: String {
    case request = "it is cross-origin to the connection's base URL"
    case redirect = "a redirect led to another origin"
    case before = "a redirect or a link led to another origin before"
  }

  /// Whether the request, or a redirect that it was answered with, is cross-origin to the connection's base URL: then it was sent
  /// without the connection's header fields, and no middleware of this package added credentials. The description of a 401, 403 or
  /// 407 says so.
  public var isCrossOrigin: Bool { crossing != nil }

  /// The status.
  public var status: HTTPResponse.Status { response.status }
  /// Whether the status is one of 408, 429, 502, 503 and 504: a retry may succeed.
  public var isTransient: Bool { status.isTransient }
  /// The method and the redacted URL.
  public var request: RequestSummary? { RequestSummary(method: method, url: url) }

  /// The error about a response to a request, whose secrets are redacted.
  public init(_ response: Response, isBodyCut: Bool = false, to request: Request) {
    self.response = response
    self.isBodyCut = isBodyCut
    method = request.method
    url = request.secrets.redacting(request.url).bounded()
    crossing =
      if request.isCrossOrigin {
        request.context?.isSameOrigin(request.url) == true ? .before : .request
      } else {
        response.wasRedirectedCrossOrigin ? .redirect : nil
      }
    hasOwnCredentials = request.isCrossOrigin && request.headers[.authorization] != nil
  }

  /// The error with the beginning of the response's body in memory, so that it can be shown, decoded as JSON, and read again.
  ///
  ///     catch let error as UnexpectedStatus { print(try await error.collected().response.text()) }
  ///
  /// `ExpectStatus`, event streams, streams of JSON and typed calls throw it so already. A body in memory is not changed. The rest
  /// of a longer body is dropped with its connection, and ``isBodyCut`` is true then, and if the body breaks off or takes too long.
  /// Throws `CancellationError`, and what reading a body twice throws.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes; 64 KiB by default.
  ///   - duration: the maximum time, measured by the clock; 10 seconds by default.
  public func collected(
    upTo limit: Int = 64 << 10, within duration: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> UnexpectedStatus {
    guard response.body.isStreamed else { return self }
    var collected = self
    let (start, isCut) = try await response.body.start(upTo: limit, within: duration, clock: clock)
    collected.response.body = .data(start)
    collected.isBodyCut = isBodyCut || isCut
    return collected
  }

  public var description: String {
    "\(method) \(url): unexpected status \(status.code)\(withheld)\(response.isRetryRefused ? " (\(retryRefusedNote))" : "")"
  }

  /// What is to be known of a status that asks for credentials.
  private var withheld: String {
    guard let crossing, !hasOwnCredentials, [401, 403, 407].contains(status.code) else { return "" }
    return " (sent without the connection's header fields and credentials: \(crossing.rawValue))"
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

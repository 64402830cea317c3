public import HTTPTypes

/// The error for a response with an unexpected status, such as 404. `StatusValidation`, typed calls, and calls that read the
/// value of a response, such as `response.decode(_:)`, throw it.
///
/// Its `description` has no secrets. Its ``response`` is not redacted: do not log it.
public struct StatusError: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The response with its header fields and body, which `response.decode(_:)` and `response.text()` read whatever its status
  /// is. A streamed body can be read once, for example by ``collected(upTo:within:clock:)``. It keeps its connection busy until
  /// it has been read or this error is released.
  public package(set) var response: Response
  /// Whether ``response`` has only the beginning of the body, because the body is longer than a limit, took too long or was
  /// truncated.
  public private(set) var isBodyCut: Bool
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's URL, without user, password and fragment, with secret query values redacted.
  public let url: String
  /// The reason why the request was sent without the connection's header fields and credentials; nil if it was sent with them.
  private let crossing: Crossing?
  private let hasOwnCredentials: Bool

  private enum Crossing: String {
    case request = "it is cross-origin to the connection's base URL"
    case redirect = "a redirect led to another origin"
    case before = "a redirect or a link led to another origin before"
  }

  /// Whether the request, or a redirect in response to it, is cross-origin to the connection's base URL. A cross-origin request
  /// is sent without the connection's header fields, and no middleware of this package adds credentials. The description of a
  /// 401, 403 or 407 includes this fact.
  public var isCrossOrigin: Bool { crossing != nil }

  /// The status.
  public var status: HTTPResponse.Status { response.status }
  /// Whether the status is one of 408, 429, 502, 503 and 504: a retry may succeed.
  public var isTransient: Bool { status.isTransient }
  /// The method and the redacted URL.
  public var request: RequestSummary? { RequestSummary(method: method, url: url) }

  /// An error for a response to a request. The request's secrets are redacted.
  public init(_ response: Response, isBodyCut: Bool = false, to request: Request) {
    self.response = response.accepted()
    self.isBodyCut = isBodyCut
    method = request.method
    url = request.secrets.redacting(request.url).bounded()
    crossing =
      if request.isCrossOrigin {
        request.context?.isSameOrigin(request.url) == true ? .before : .request
      } else {
        response.wasRedirectedCrossOrigin ? .redirect : nil
      }
    hasOwnCredentials = request.hasOwnCredentials
  }

  /// An error for a response whose request is not at hand. The URL is the URL of the response, without its query, which may
  /// contain secrets that only the request names.
  init(_ response: Response) {
    self.response = response.accepted()
    isBodyCut = false
    method = response.requestMethod ?? .get
    url = response.shownURL
    crossing =
      if response.wasRedirectedCrossOrigin {
        .redirect
      } else if let context = response.context {
        !context.isSameOrigin(response.url) ? .request : context.isCrossOrigin ? .before : nil
      } else {
        nil
      }
    hasOwnCredentials = response.facts?.hadOwnCredentials ?? false
  }

  /// The error with the beginning of the response's body in memory, so that it can be shown, decoded as JSON, and read again.
  ///
  ///     catch let error as StatusError { print(try await error.collected().response.text()) }
  ///
  /// `StatusValidation`, event streams, JSON streams and typed calls already throw the error in this form. A body in memory is
  /// not changed. If the body is longer, the rest is dropped, and its connection closed. ``isBodyCut`` is true if the body is
  /// longer, fails while it is read, or takes too long. Throws `CancellationError`, and an error if the body was read before.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes; 64 KiB by default.
  ///   - duration: the maximum time, measured by the clock; 10 seconds by default.
  public func collected(
    upTo limit: Int = 64 << 10, within duration: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> StatusError {
    guard response.body.isStreamed else { return self }
    var collected = self
    let (start, isCut) = try await response.body.start(upTo: limit, within: duration, clock: clock)
    collected.response.body = .data(start)
    collected.isBodyCut = isBodyCut || isCut
    return collected
  }

  /// The error to throw where a value is read: with the beginning of the body, or unchanged if a middleware has read the body.
  package func withBody() async throws -> StatusError {
    do { return try await collected() } catch is BodyAlreadyRead { return self }
  }

  public var description: String {
    "\(method) \(url): unexpected status \(status.code)\(withheld)\(response.isRetryRefused ? " (\(retryRefusedNote))" : "")"
  }

  /// The note that credentials were not sent, for a status that requires them.
  private var withheld: String {
    guard let crossing, !hasOwnCredentials, Self.requiresCredentials(status) else { return "" }
    return " (sent without the connection's header fields and credentials: \(crossing.rawValue))"
  }

  static func requiresCredentials(_ status: HTTPResponse.Status) -> Bool {
    switch status.code {
    case 401, 403, 407: true
    default: false
    }
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Request {
  /// Whether a cross-origin request has credentials, which are not the connection's.
  var hasOwnCredentials: Bool { isCrossOrigin && headers[.authorization] != nil }
}

public import HTTPTypes

/// A response whose status was not expected: what `ExpectStatus` and the typed calls throw.
///
/// What it says of itself has no secret in it. Its ``response`` is as it came: to be looked at, not logged.
public struct UnexpectedStatus: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The response with its header fields and body. A streamed body can still be read, once; until then, or until this error
  /// goes, its connection is taken.
  public let response: Response
  /// Whether the body was longer than the limit, or a buffered one than ``Options/maximumBodySize``, and ``response`` has its
  /// beginning only.
  public let isBodyCut: Bool
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's URL, without user, password and fragment, and with a mark for the values of secret query items.
  public let url: String

  public var status: HTTPResponse.Status { response.status }
  public var isTransient: Bool { status.isTransient }
  public var request: RequestSummary? { RequestSummary(method: method, url: url) }

  public init(_ response: Response, isBodyCut: Bool = false, to request: Request) {
    self.response = response
    self.isBodyCut = isBodyCut
    method = request.method
    url = request.secrets.redacting(request.url).bounded()
  }

  public var description: String { "\(method) \(url): unexpected status \(status.code)" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

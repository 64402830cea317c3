/// A request's path template could not be expanded with the given variables. Nothing was sent.
public struct InvalidPath: FaradayError, CustomReflectable {
  /// What is wrong, with the name of the variable.
  public let reason: PathTemplateError.Reason
  /// The template, with secret query values and path segments redacted.
  public let template: String
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The base URL without user, password and fragment, with secret query values redacted; empty if there is none.
  public let baseURL: String

  package init(_ error: PathTemplateError, method: HTTPRequest.Method, baseURL: URL?, _ secrets: Secrets) {
    reason = error.reason
    template = secrets.redacting(urlText: error.template).bounded()
    self.method = method
    self.baseURL = baseURL.map { secrets.redacting($0).bounded() } ?? ""
  }

  /// The method and the base URL: the request had no other URL yet.
  public var request: RequestSummary? { RequestSummary(method: method, url: baseURL) }
  public var description: String { "\(method) \(baseURL): \(PathTemplateError(reason: reason, template: template))" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

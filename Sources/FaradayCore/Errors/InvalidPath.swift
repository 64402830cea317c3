/// A request whose path could not be made of its template and the variables. Nothing was sent.
public struct InvalidPath: FaradayError, CustomReflectable {
  /// What is wrong: the name of the variable is in it, if it is one.
  public let reason: PathTemplateError.Reason
  /// The whole template, with the mark for the values of secret query items and for secret parts of the path.
  public let template: String
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The base URL, without user, password and fragment, and with a mark for the values of secret query items; empty if there is
  /// none.
  public let baseURL: String

  package init(_ error: PathTemplateError, method: HTTPRequest.Method, connection: Connection) {
    reason = error.reason
    template = connection.secrets.redacting(urlText: error.template).bounded()
    self.method = method
    baseURL = connection.url.map { connection.secrets.redacting($0).bounded() } ?? ""
  }

  /// The method and the base URL, as there is no other.
  public var request: RequestSummary? { RequestSummary(method: method, url: baseURL) }
  public var description: String { "\(method) \(baseURL): \(PathTemplateError(reason: reason, template: template))" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

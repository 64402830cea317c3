/// A request's method and URL as errors show them: `GET https://api.example.com/users?token=[secret]`.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
  /// The method.
  public let method: HTTPRequest.Method
  /// The URL without user, password and fragment, with a mark for what is secret about it, and at most a kibibyte long.
  public let url: String

  /// The summary of a request, by its own ``Request/secrets``.
  public init(_ request: Request) {
    self.init(method: request.method, url: request.secrets.redacting(request.url))
  }

  /// - Parameter url: without what is secret about it.
  package init(method: HTTPRequest.Method, url: String) {
    self.method = method
    self.url = url.bounded()
  }

  public var description: String { "\(method.rawValue.bounded()) \(url)" }
}

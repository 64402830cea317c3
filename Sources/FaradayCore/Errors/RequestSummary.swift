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

  /// - Parameter url: the URL, redacted already.
  package init(method: HTTPRequest.Method, url: String) {
    self.method = method
    self.url = url.bounded()
  }

  public var description: String { "\(method.rawValue.bounded()) \(url)" }
}

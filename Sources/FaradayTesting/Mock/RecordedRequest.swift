public import FaradayCore

/// A request that a ``MockAdapter`` or a ``MockServer`` has received, with the bytes of its body.
public struct RecordedRequest: Sendable, CustomStringConvertible {
  /// The request: over a mock adapter after all middleware, over a server as its bytes say.
  public let request: Request
  /// The bytes of its body.
  public let body: Data

  /// The request's method.
  public var method: HTTPRequest.Method { request.method }
  /// The request's header fields.
  public var headers: HTTPFields { request.headers }
  /// The body as text; invalid UTF-8 becomes U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Method, path and query: `GET /users?page=1`, for comparisons that read well when they fail:
  /// `#expect(server.recorded.map(\.line) == ["POST /login", "GET /users?page=1"])`. Not redacted.
  public var line: String {
    let parts = URLParts(request.url.absoluteString)
    return "\(method) \(parts.path.isEmpty ? "/" : parts.path)\(parts.query.map { "?" + $0 } ?? "")"
  }

  /// The request's description, redacted, and the number of its body's bytes.
  public var description: String { "\(request)" }
}

/// An HTTP request: method, URL, header fields, body and options. A value that is cheap to copy.
public struct Request: Sendable {
  /// The method. A custom one is `HTTPRequest.Method("PURGE")`, nil if the name is not a token (RFC 9110, section 5.6.2).
  public var method: HTTPRequest.Method
  /// The absolute URL, `http` or `https`.
  public var url: URL
  /// The header fields, in order, repeated ones kept. `Content-Length` and `Transfer-Encoding` are set from the body.
  public var headers: HTTPFields
  /// The content; empty by default.
  public var body: Body
  /// Delivery, timeouts, TLS, callbacks and other options of this request.
  public var options: Options
  /// The connection that it was made by; nil if none was involved yet.
  var context: ConnectionContext?

  /// A request for an absolute URL.
  public init(
    _ method: HTTPRequest.Method = .get, url: URL, headers: HTTPFields = [:], body: Body = .empty,
    options: Options = Options()
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.options = options
  }

  /// A request for the URL in the string. Throws ``TransportError/Code/invalidURL`` if it is not a URL.
  public init(
    _ method: HTTPRequest.Method, _ url: String, headers: HTTPFields = [:], body: Body = .empty,
    options: Options = Options()
  ) throws {
    guard let parsed = URL(text: url) else { throw TransportError(invalidURL: url, method: method) }
    self.init(method, url: parsed, headers: headers, body: body, options: options)
  }

  /// A GET request for the URL in the string. Throws ``TransportError/Code/invalidURL`` if it is not a URL.
  public init(_ url: String, headers: HTTPFields = [:], options: Options = Options()) throws {
    try self.init(.get, url, headers: headers, options: options)
  }
}

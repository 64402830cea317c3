/// A request, as a value: copying it is cheap, and a copy is a new request.
public struct Request: Sendable {
  /// The method; custom ones are `HTTPRequest.Method("PURGE")`, which is nil unless the name is a token of RFC 9110.
  public var method: HTTPRequest.Method
  /// The absolute URL, `http` or `https`.
  public var url: URL
  /// The header fields, in order, repeated ones kept. Framing (`Content-Length`, `Transfer-Encoding`) is the body's.
  public var headers: HTTPFields
  /// The content.
  public var body: Body
  /// Everything else about this one call: delivery, timeouts, callbacks.
  public var options: Options
  /// What belongs to the connection and not to the caller; nil if no connection has seen it.
  var context: ConnectionContext?

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

  /// A request for the URL in the string. Throws ``TransportError/Code/invalidURL`` if it is none.
  public init(
    _ method: HTTPRequest.Method, _ url: String, headers: HTTPFields = [:], body: Body = .empty,
    options: Options = Options()
  ) throws {
    guard let parsed = URL(text: url) else { throw TransportError(invalidURL: url, method: method) }
    self.init(method, url: parsed, headers: headers, body: body, options: options)
  }

  /// A GET request for the URL in the string. Throws ``TransportError/Code/invalidURL`` if it is none.
  public init(_ url: String, headers: HTTPFields = [:], options: Options = Options()) throws {
    try self.init(.get, url, headers: headers, options: options)
  }
}

/// An HTTP request: method, URL, header fields, body and options. A value that is cheap to copy.
public struct Request: Sendable {
  private var fields: CopyOnWrite<Fields>

  /// A request for an absolute URL.
  public init(
    _ method: HTTPRequest.Method = .get, url: URL, headers: HTTPFields = [:], body: Body = .empty,
    options: Options = Options()
  ) {
    fields = CopyOnWrite(Fields(method: method, url: url, headers: headers, body: body, options: options))
  }

  /// The method. A custom one is `HTTPRequest.Method("PURGE")`, nil if the name is not a token (RFC 9110, section 5.6.2).
  public var method: HTTPRequest.Method {
    get { fields.value.method }
    set { fields.unique.value.method = newValue }
  }
  /// The absolute URL, `http` or `https`.
  public var url: URL {
    get { fields.value.url }
    set { fields.unique.value.url = newValue }
  }
  /// The header fields, in order, repeated ones kept. `Content-Length` and `Transfer-Encoding` are set from the body.
  public var headers: HTTPFields {
    get { fields.value.headers }
    _modify { yield &fields.unique.value.headers }
  }
  /// The content; empty by default.
  public var body: Body {
    get { fields.value.body }
    set { fields.unique.value.body = newValue }
  }
  /// Delivery, timeouts, TLS, callbacks and other options of this request.
  public var options: Options {
    get { fields.value.options }
    _modify { yield &fields.unique.value.options }
  }
  /// The connection that it was made by; nil if none was involved yet.
  var context: ConnectionContext? {
    get { fields.value.context }
    set { fields.unique.value.context = newValue }
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

extension Request {
  private struct Fields {
    var method: HTTPRequest.Method
    var url: URL
    var headers: HTTPFields
    var body: Body
    var options: Options
    var context: ConnectionContext?
  }
}

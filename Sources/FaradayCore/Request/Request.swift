/// An HTTP request: method, URL, header fields, body and options. A value that is cheap to copy.
public struct Request: Sendable {
  // One reference, see Response.
  private var storage: Storage

  /// A request for an absolute URL.
  public init(
    _ method: HTTPRequest.Method = .get, url: URL, headers: HTTPFields = [:], body: Body = .empty,
    options: Options = Options()
  ) {
    storage = Storage(Fields(method: method, url: url, headers: headers, body: body, options: options))
  }

  /// The method. A custom one is `HTTPRequest.Method("PURGE")`, nil if the name is not a token (RFC 9110, section 5.6.2).
  public var method: HTTPRequest.Method {
    get { storage.fields.method }
    set { mutable.fields.method = newValue }
  }
  /// The absolute URL, `http` or `https`.
  public var url: URL {
    get { storage.fields.url }
    set { mutable.fields.url = newValue }
  }
  /// The header fields, in order, repeated ones kept. `Content-Length` and `Transfer-Encoding` are set from the body.
  public var headers: HTTPFields {
    get { storage.fields.headers }
    _modify { yield &mutable.fields.headers }
  }
  /// The content; empty by default.
  public var body: Body {
    get { storage.fields.body }
    set { mutable.fields.body = newValue }
  }
  /// Delivery, timeouts, TLS, callbacks and other options of this request.
  public var options: Options {
    get { storage.fields.options }
    _modify { yield &mutable.fields.options }
  }
  /// The connection that it was made by; nil if none was involved yet.
  var context: ConnectionContext? {
    get { storage.fields.context }
    set { mutable.fields.context = newValue }
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

  // Safe to share: `fields` is written only through `mutable`, that is, while exactly one value refers to the object.
  private final class Storage: @unchecked Sendable {
    // Without a run-time check for exclusive access: a writer holds the only reference.
    @exclusivity(unchecked) var fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  /// The storage to write to, copied first if another value refers to it.
  private var mutable: Storage {
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
      return storage
    }
  }
}

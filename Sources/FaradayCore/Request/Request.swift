/// An HTTP request: method, URL, header fields, body and options. A copy-on-write value, cheap to copy.
public struct Request: Sendable {
  private var fields: CopyOnWrite<Fields>

  /// A request for an absolute URL.
  public init(
    _ method: HTTPRequest.Method = .get, url: URL, headers: HTTPFields = [:], body: Body = .empty,
    options: Options = Options()
  ) {
    fields = CopyOnWrite(Fields(method: method, url: url, headers: headers, body: body, options: options))
  }

  /// The method. A custom method is `HTTPRequest.Method("PURGE")`, nil if the name is not a token (RFC 9110, section 5.6.2).
  public var method: HTTPRequest.Method {
    get { fields.value.method }
    set { fields.unique.value.method = newValue }
  }
  /// The absolute URL, `http` or `https`.
  public var url: URL {
    get { fields.value.url }
    set { fields.unique.value.url = newValue }
  }
  /// The header fields in order, including repeated fields. `Content-Length` and `Transfer-Encoding` are set from the body.
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
  /// The context of the connection that built or sent the request; nil before the first connection.
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
  /// A copy of the fields. Testing many of them in the copy is cheaper than reading the properties of `Request`.
  var stored: Fields { fields.value }

  struct Fields: Sendable {
    var method: HTTPRequest.Method
    var url: URL
    var headers: HTTPFields
    var body: Body
    var options: Options
    var context: ConnectionContext?
  }
}

extension Request {
  /// The query parameters of the URL. Items that are not changed keep their bytes, so that a signature over them stays valid:
  ///
  ///     request.query["page"] = "2"       // ?q=a+b&sig=%2Fx%E9&page=1 -> ?q=a+b&sig=%2Fx%E9&page=2
  ///
  /// New and changed items are percent-encoded. Setting it to `[:]` removes the `?` too.
  public var query: QueryParameters {
    get { QueryParameters(ofURL: parts.query ?? "") }
    set {
      var parts = parts
      parts.query = newValue.items.isEmpty ? nil : newValue.spelling[...]
      set(parts)
    }
  }

  /// The URL's path, percent-encoded, with its leading slash. Setting a path that makes the URL invalid changes nothing.
  public var path: String {
    get { url.path(percentEncoded: true) }
    set {
      var parts = parts
      parts.path = (newValue.utf8.first == UInt8(ascii: "/") ? "" : "/") + newValue[...]
      set(parts)
    }
  }

  /// The segments of the path, percent-decoded. Setting them encodes each segment, including slashes.
  ///
  /// The segments `.` and `..` cannot be encoded (RFC 3986, section 6.2.2.3): servers and proxies resolve them (path
  /// traversal). Check untrusted names before you set them here, or use a ``PathTemplate``, which throws for these two
  /// segments.
  public var pathComponents: [String] {
    get { path.split(separator: "/").map { QueryParameters.decode($0) } }
    set { path = "/" + newValue.map { QueryParameters.encode($0) }.joined(separator: "/") }
  }

  /// Whether the URL's scheme is `https`.
  package var isSecure: Bool { url.scheme?.lowercased() == "https" }

  private var parts: URLParts { URLParts(url.absoluteString) }

  private mutating func set(_ parts: URLParts) {
    if let changed = URL(text: parts.description) { url = changed }
  }
}

extension Request {
  /// Makes the request a GET without a body and its header fields, as after a 303.
  package mutating func becomeGet() {
    method = .get
    body = .empty
    if options.requestTrailers != nil { options.requestTrailers = nil }
    for name in Set(headers.map(\.name)) where Self.isOfBody(name) { headers[fields: name] = [] }
  }

  /// Whether the name is a content-specific field of RFC 9110, section 15.4, or belongs to a body's framing.
  private static func isOfBody(_ name: HTTPField.Name) -> Bool {
    name.canonicalName.hasPrefix("content-") || fieldsOfBody.contains(name.canonicalName)
  }

  private static let fieldsOfBody: Set<String> = [
    "digest", "repr-digest", "last-modified", "expect", "transfer-encoding", "trailer", "idempotency-key",
  ]
}

extension HTTPRequest.Method {
  /// QUERY: a safe and idempotent request whose body says what to read (draft-ietf-httpbis-safe-method-w-body). `Retry` retries it.
  public static let query = HTTPRequest.Method(rawValue: "QUERY") ?? .get

  /// Whether the method is idempotent: sending a request twice has the effect of sending it once (RFC 9110, section 9.2.2).
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace, .query: true
    default: false
    }
  }

  /// Whether the method is safe, that is, read-only (RFC 9110, section 9.2.1). False for an unknown method.
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace, .query: true
    default: false
    }
  }

  /// Whether the method defines a request body: an empty body is sent as `Content-Length: 0` (RFC 9110, section 8.6).
  package var expectsBody: Bool {
    switch self {
    case .post, .put, .patch, .query: true
    default: false
    }
  }
}

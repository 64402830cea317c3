/// A base URL, default headers and options, and a stack of middleware over an adapter. Applications send requests through it.
///
///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter())
///     let response = try await connection.get("users")
///
/// A connection is a value, and thread-safe (`Sendable`). Copies share the adapter and its connection pool.
public struct Connection: Sendable {
  /// The base URL; nil if every call passes an absolute URL. ``joining`` determines how paths are joined to it. By default a
  /// path is resolved like a link (RFC 3986), so the trailing slash matters: `users` at `https://host/v2/` is `/v2/users`, and
  /// at `https://host/v2` it is `/users`.
  ///
  /// The base URL's origin is the connection's origin. A request to another origin is cross-origin: it is sent without
  /// ``headers``, and the package's middleware adds no credentials.
  public var url: URL? {
    didSet { context = makeContext() }
  }
  /// The rule for joining paths to the base URL: ``URLJoining/resolve`` by default.
  public var joining: URLJoining
  /// Default headers: sent with every same-origin request, whose URL has the base URL's scheme, host and port. A field of the
  /// request replaces the default. A cross-origin request, to `https://other.example/` or `//other.example/`, is sent without
  /// the default headers, because they may contain credentials. Without a base URL they are sent with every request.
  public var headers: HTTPFields {
    didSet {
      invalidHeader = nil
      context = makeContext()
      fields = makeFields()
    }
  }
  /// Default options of every request, such as timeouts, delivery and TLS. A request can change its options.
  public var defaults: Options
  /// The names of header fields, query items and JSON members whose values are redacted. A redirect or link to another origin
  /// removes these header fields.
  public var secrets: Secrets {
    didSet { context = makeContext() }
  }
  /// The `User-Agent` of requests without one, to any origin: ``standardUserAgent`` by default, because some servers reject
  /// requests without a `User-Agent`. Nil adds none. A value with a line break makes each request throw ``InvalidValueError``.
  ///
  /// The field is added when a verb builds the request: middleware sees it, ``headers`` and fields of the request take
  /// precedence, and `$0.headers[.userAgent] = nil` removes it from one request. ``send(_:)`` does not add it.
  public var userAgent: String? = Connection.standardUserAgent {
    didSet { fields = makeFields() }
  }
  /// The default ``userAgent``: `faraday/` and the version of this package.
  public static let standardUserAgent = "faraday/\(packageVersion)"
  /// The middleware, outermost first, over the adapter.
  public package(set) var stack: Stack
  /// The error for an invalid field that the connection was created with: each request throws it.
  private var invalidHeader: (any Error)?
  /// Whether all requests are cross-origin, whatever their URLs are.
  private var isCrossOrigin = false
  /// The context that every request of this connection gets.
  private var context = ConnectionContext.none
  /// The initial fields of requests. They are built once, so that all requests share their storage.
  private var fields: Result<Fields, any Error> = .success(Fields())

  private struct Fields {
    var sameOrigin: HTTPFields = [:]
    var crossOrigin: HTTPFields = [:]
  }

  /// A connection with an optional base URL, default headers and options, and middleware in the order of the request.
  ///
  /// - Parameter headers: the default ``headers``: `["Accept-Language": "cy"]`. With an invalid name or value each request that
  ///   a verb builds throws ``InvalidValueError``, until ``headers`` is set.
  public init(
    url: URL? = nil, joining: URLJoining = .resolve, headers: KeyValuePairs<String, String> = [:],
    defaults: Options = Options(), secrets: Secrets = Secrets(), adapter: any Adapter, middleware: [any Middleware] = []
  ) {
    self.url = url
    self.joining = joining
    do {
      self.headers = try HTTPFields(checking: headers)
    } catch {
      self.headers = [:]
      invalidHeader = error
    }
    self.defaults = defaults
    self.secrets = secrets
    stack = Stack(middleware, adapter: adapter)
    context = makeContext()
    fields = makeFields()
  }

  /// A connection with the base URL in the string. Throws ``TransportError/Code/invalidURL`` or
  /// ``TransportError/Code/unsupportedScheme`` if it is not an absolute `http` or `https` URL, and ``InvalidValueError``.
  public init(
    _ url: String, joining: URLJoining = .resolve, headers: KeyValuePairs<String, String> = [:],
    defaults: Options = Options(), secrets: Secrets = Secrets(), adapter: any Adapter, middleware: [any Middleware] = []
  ) throws {
    self.init(
      url: try Self.baseURL(url, secrets), joining: joining, headers: headers, defaults: defaults, secrets: secrets,
      adapter: adapter, middleware: middleware)
    if let invalidHeader { throw invalidHeader }
  }

  private static func baseURL(_ text: String, _ secrets: Secrets) throws -> URL {
    do {
      guard let url = URL(text: text) else { throw TransportError(invalidURL: text, method: .get, secrets: secrets) }
      _ = try Target(Request(url: url))
      return url
    } catch let error as TransportError {
      throw TransportError(
        error.code, invalidURL: text, method: .get, secrets: secrets,
        "\(error.message): a base URL is an absolute one, such as https://api.example.com/")
    }
  }

  /// Appends a middleware. It handles requests last, next to the adapter, and responses first.
  public mutating func use(_ middleware: any Middleware) {
    stack = stack.appending(middleware)
  }

  /// Appends a middleware made of one closure.
  public mutating func use(_ middleware: @escaping @Sendable (Request, Next) async throws -> Response) {
    use(MiddlewareClosure(middleware))
  }

  /// Builds the request of a verb such as ``get`` without sending it; ``send(_:)`` sends it.
  ///
  /// A same-origin request gets the connection's default headers. The arguments override them, and `edit` is applied last.
  /// Throws ``InvalidValueError`` and ``TransportError/Code/invalidURL``.
  ///
  /// - Parameters:
  ///   - path: a path or URL, as a string or a `URL`, joined to ``url`` by the rule ``joining``. It may have a query.
  ///   - variables: the values of the path's variables, `users/{id}`, each encoded as one segment (``PathTemplate``). A
  ///     variable without a value is an error, even if this argument is nil. Write a literal brace around a name as `%7B`.
  ///   - query: query items, appended to the items of the path and the base URL.
  ///   - headers: header fields that replace the connection's default headers of the same names.
  ///   - body: the content. The body's `Content-Type` is sent unless the request has another.
  ///   - timeout: sets ``Timeouts/total``; nil keeps the timeout of ``defaults``.
  ///   - edit: changes the request in place.
  public func request(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    try request(method, path.urlReference, variables, query, headers, body, timeout, edit)
  }

  // Not inlined: its temporaries would enlarge the frame of each suspended request.
  @inline(never)
  private func request(
    _ method: HTTPRequest.Method, _ path: String, _ variables: [String: any ParameterValue]?, _ query: QueryParameters,
    _ headers: KeyValuePairs<String, String>, _ body: Body, _ timeout: Duration?, _ edit: (inout Request) throws -> Void
  ) throws -> Request {
    let joined: URL
    if let variables {
      joined = try joining.url(ofExpanded: expand(path, variables, for: method), at: url, for: method, secrets)
    } else {
      joined = try joining.url(of: path, at: url, for: method, secrets)
    }
    return try request(method, at: joined, body: body) { request in
      if !query.items.isEmpty { request.query.items += query.items }
      if !headers.isEmpty { request.headers.override(with: try HTTPFields(checking: headers)) }
      if let timeout { request.options.timeouts.total = timeout }
      if variables != nil { request.options.pathTemplate = PathTemplate(path).absolute(in: joined) }
      try edit(&request)
    }
  }

  /// Builds a request for an absolute URL, whatever ``joining`` is, with the default headers if it is same-origin; `edit` is
  /// applied last.
  package func request(
    _ method: HTTPRequest.Method, at joined: URL, body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let isSameOrigin = context.isSameOrigin(joined)
    let fields = try fields.get()
    var request = Request(
      method, url: joined, headers: isSameOrigin ? fields.sameOrigin : fields.crossOrigin, body: body, options: defaults)
    let context = isSameOrigin ? context : context.crossOrigin()
    request.context = context
    // The credentials of the defaults are for the connection's origin only.
    if !isSameOrigin { request.options.removeCredentials() }
    try edit(&request)
    // `edit` may have replaced the whole request.
    request.merge(context)
    request.takeContentTypeOfBody()
    return request.removingOriginBoundHeadersIfCrossOrigin()
  }

  private func expand(
    _ path: String, _ variables: [String: any ParameterValue], for method: HTTPRequest.Method
  ) throws -> String {
    do {
      return try PathTemplate(path).path(variables)
    } catch {
      throw InvalidValueError(error, method: method, baseURL: url, secrets)
    }
  }

  /// Sends a request through the middleware and the adapter, and delivers the response according to its options: buffered,
  /// streamed, or to a callback. A response with any status is returned. The connection adds no base URL, default header or
  /// option, only the body's `Content-Type`. A cross-origin request (``Request/isCrossOrigin``) is sent without the default
  /// headers that a connection added.
  public func send(_ request: Request) async throws -> Response {
    var request = request
    request.merge(context)
    request.takeContentTypeOfBody()
    return try await exchange(request)
  }

  /// Sends a request that this connection has built.
  package func exchange(_ request: Request) async throws -> Response {
    let response = try await stack.send(request)
    // Most small responses are delivered already. This avoids another asynchronous call, which allocates.
    return response.isDelivered(to: request) ? response : try await response.delivered(to: request)
  }

  /// Makes every later request cross-origin, and drops the default headers and credentials: links of another server determine
  /// the URLs.
  package mutating func treatAllRequestsAsCrossOrigin() {
    isCrossOrigin = true
    headers = [:]
    defaults.removeCredentials()
  }

  private func makeFields() -> Result<Fields, any Error> {
    Result {
      if let invalidHeader { throw invalidHeader }
      let added: HTTPFields = try userAgent.map { try HTTPFields(checking: ["User-Agent": $0]) } ?? [:]
      return Fields(sameOrigin: headers.contains(.userAgent) ? headers : added + headers, crossOrigin: added)
    }
  }

  private func makeContext() -> ConnectionContext {
    ConnectionContext(
      baseOrigin: url.map(ConnectionContext.BaseOrigin.init), originBoundHeaders: headers,
      originBoundCredentials: defaults.credentials, secrets: secrets,
      isCrossOrigin: isCrossOrigin)
  }
}

extension Request {
  fileprivate mutating func takeContentTypeOfBody() {
    if let type = body.contentType, headers[.contentType] == nil { headers[.contentType] = type }
  }
}

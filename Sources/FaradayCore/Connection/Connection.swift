/// A base URL, default headers and options, and a stack of middleware over an adapter: what an application talks to.
///
///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter())
///     let response = try await connection.get("users")
///
/// It is a value, and thread-safe (`Sendable`); copies share the adapter, and with it the connection pool.
public struct Connection: Sendable {
  /// The base URL, which paths are joined to as ``joining`` says; nil if every call names an absolute URL. A link is resolved (RFC
  /// 3986), so the slash at the end matters: `users` at `https://host/v2/` is `/v2/users`, and at `https://host/v2` it is `/users`.
  ///
  /// Its origin is the connection's. A request to another origin is cross-origin: it is sent without ``headers``, and the
  /// package's middleware adds no credentials.
  public var url: URL? {
    didSet { context = makeContext() }
  }
  /// How paths are joined to the base URL: ``URLJoining/resolve`` by default.
  public var joining: URLJoining
  /// Default headers: sent with every same-origin request, one whose URL has the base URL's scheme, host and port, unless the
  /// request sets its own. A cross-origin request, to `https://other.example/` or `//other.example/`, is sent without them, as they
  /// may hold credentials. Without a base URL every request has them.
  public var headers: HTTPFields {
    didSet {
      context = makeContext()
      fields = makeFields()
    }
  }
  /// Default options of every request: timeouts, delivery, TLS and the like. A request can change its own.
  public var defaults: Options
  /// The names of header fields, query items and JSON members whose values are redacted, and removed from cross-origin requests.
  public var secrets: Secrets {
    didSet { context = makeContext() }
  }
  /// The `User-Agent` of requests to any origin that have none of their own: ``standardUserAgent`` by default, as some servers refuse
  /// requests without one. Nil adds none. One with a line break makes each request throw ``InvalidHeader``.
  ///
  /// It is a field of the request that a verb builds: middleware sees it, ``headers`` and the request's own go first, and
  /// `$0.headers[.userAgent] = nil` removes it from one request. ``run(_:)`` adds none.
  public var userAgent: String? = Connection.standardUserAgent {
    didSet { fields = makeFields() }
  }
  /// The default ``userAgent``: `faraday/` and the version of this package.
  public static let standardUserAgent = "faraday/\(packageVersion)"
  /// The middleware, outermost first, over the adapter.
  public package(set) var stack: Stack
  /// Whether all requests are made as cross-origin ones, whatever their URLs are.
  private var isCrossOrigin = false
  /// What every request of this connection carries with it.
  private var context = ConnectionContext.none
  /// The fields that requests begin with: made once, so that all requests share their storage.
  private var fields: Result<Fields, any Error> = .success(Fields())

  private struct Fields {
    var sameOrigin: HTTPFields = [:]
    var crossOrigin: HTTPFields = [:]
  }

  /// A connection with an optional base URL, default headers and options, and middleware in the order in which it sees a request.
  public init(
    url: URL? = nil, joining: URLJoining = .resolve, headers: HTTPFields = [:], defaults: Options = Options(),
    secrets: Secrets = Secrets(), adapter: any Adapter, middleware: [any Middleware] = []
  ) {
    self.url = url
    self.joining = joining
    self.headers = headers
    self.defaults = defaults
    self.secrets = secrets
    stack = Stack(middleware, adapter: adapter)
    context = makeContext()
    fields = makeFields()
  }

  /// A connection with the base URL in the string. Throws ``TransportError/Code/invalidURL`` or
  /// ``TransportError/Code/unsupportedScheme`` if it is not an absolute `http` or `https` URL.
  public init(
    _ url: String, joining: URLJoining = .resolve, headers: HTTPFields = [:], defaults: Options = Options(),
    secrets: Secrets = Secrets(), adapter: any Adapter, middleware: [any Middleware] = []
  ) throws {
    self.init(
      url: try Self.baseURL(url, secrets), joining: joining, headers: headers, defaults: defaults, secrets: secrets,
      adapter: adapter,
      middleware: middleware)
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

  /// Appends a middleware: it sees requests last, next to the adapter, and responses first.
  public mutating func use(_ middleware: any Middleware) {
    stack = stack.appending(middleware)
  }

  /// Appends a middleware made of one closure.
  public mutating func use(_ middleware: @escaping @Sendable (Request, Next) async throws -> Response) {
    use(MiddlewareClosure(middleware))
  }

  /// Builds the request that ``get(_:path:query:headers:timeout:edit:)`` and its siblings send, without sending it; ``run(_:)``
  /// does.
  ///
  /// A same-origin request gets the connection's default headers. The arguments override them, and `edit` is applied last. Throws
  /// ``InvalidPath``, ``InvalidHeader`` and ``TransportError/Code/invalidURL``.
  ///
  /// - Parameters:
  ///   - path: a path or URL that is joined to ``url`` as ``joining`` says; it may have a query.
  ///   - variables: the values of the path's variables, `users/{id}`, each encoded as one segment (``PathTemplate``). A variable
  ///     without a value is an error, also if this is nil; a literal brace around a name is written `%7B`.
  ///   - query: query items, appended to those of the path and the base URL.
  ///   - headers: header fields that replace the connection's default headers of the same names.
  ///   - body: the content. The `Content-Type` that it was made with is sent unless the request has another.
  ///   - timeout: sets ``Timeouts/total``; nil keeps that of ``defaults``.
  ///   - edit: changes the request in place.
  // Not inlined: its temporaries would be in the frame of each request that waits.
  @inline(never)
  public func request(
    _ method: HTTPRequest.Method, _ path: String = "", path variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let joined: URL
    if let variables {
      joined = try joining.url(ofExpanded: expand(path, variables, for: method), at: url, for: method, secrets)
    } else {
      joined = try joining.url(of: path, at: url, for: method, secrets)
    }
    return try request(method, url: joined, body: body) { request in
      if !query.items.isEmpty { request.query.items += query.items }
      if !headers.isEmpty { request.headers.override(with: try HTTPFields(checking: headers)) }
      if let timeout { request.options.timeouts.total = timeout }
      if variables != nil { request.options.pathTemplate = PathTemplate(path).absolute(in: joined) }
      try edit(&request)
    }
  }

  /// Builds a request for an absolute URL, with the default headers if it is same-origin; `edit` is applied last.
  public func request(
    _ method: HTTPRequest.Method, url joined: URL, body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let isSameOrigin = context.isSameOrigin(joined)
    let fields = try fields.get()
    var request = Request(
      method, url: joined, headers: isSameOrigin ? fields.sameOrigin : fields.crossOrigin, body: body, options: defaults)
    let context = isSameOrigin ? context : context.crossOrigin()
    request.context = context
    // Those of the defaults are for the connection's own origin.
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
      throw InvalidPath(error, method: method, baseURL: url, secrets)
    }
  }

  /// Sends a request through the middleware and the adapter, and delivers the response as its options say: buffered, streamed, or
  /// to a callback. It returns any status. It adds no base URL, default header or option, only the `Content-Type` that the body was
  /// made with. A cross-origin request (``Request/isCrossOrigin``) is sent without the default headers that a connection gave it.
  public func run(_ request: Request) async throws -> Response {
    var request = request
    request.merge(context)
    request.takeContentTypeOfBody()
    return try await send(request)
  }

  package func send(_ request: Request) async throws -> Response {
    let response = try await stack.send(request)
    // Most small ones are: without another asynchronous call, which allocates.
    return response.isDelivered(to: request) ? response : try await response.delivered(to: request)
  }

  /// Makes every later request a cross-origin one, and drops the default headers: another server's links decide where they go.
  package mutating func treatAllRequestsAsCrossOrigin() {
    isCrossOrigin = true
    headers = [:]
    defaults.removeCredentials()
  }

  private func makeFields() -> Result<Fields, any Error> {
    Result {
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

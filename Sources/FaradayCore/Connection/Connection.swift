/// A base URL, default headers and options, and a stack of middleware over an adapter: what an application talks to.
///
///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter())
///     let response = try await connection.get("users")
///
/// It is a value; copies share the adapter, and so its connections.
public struct Connection: Sendable {
  /// What paths are joined to; nil if every call names an absolute URL.
  public var url: URL? {
    didSet { context = makeContext() }
  }
  /// How paths are joined to it.
  public var joining: URLJoining
  /// Header fields of every request to the base URL's origin (scheme, host and port), unless the request sets its own. A path
  /// that leads elsewhere, such as `https://other.example/` or `//other.example/`, gets none of them: they may hold what is
  /// meant for one server only. Without a base URL every request has them.
  public var headers: HTTPFields {
    didSet { context = makeContext() }
  }
  /// What every request's options are to begin with. A request may have others: nothing that keeps secrets is in them.
  public var defaults: Options
  /// The names of what is secret about every request.
  public var secrets: Secrets {
    didSet { context = makeContext() }
  }
  /// The middleware and the adapter.
  public package(set) var stack: Stack
  /// Whether all requests are made as cross-origin ones, whatever their URLs are.
  private var isCrossOrigin = false
  /// What every request of this connection carries with it.
  private var context = ConnectionContext.none

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
  }

  /// A connection with the base URL in the string. Throws ``TransportError/Code/invalidURL`` if it is none.
  public init(
    _ url: String, joining: URLJoining = .resolve, headers: HTTPFields = [:], defaults: Options = Options(),
    secrets: Secrets = Secrets(), adapter: any Adapter, middleware: [any Middleware] = []
  ) throws {
    guard let parsed = URL(text: url) else { throw TransportError(invalidURL: url, method: .get, secrets: secrets) }
    self.init(
      url: parsed, joining: joining, headers: headers, defaults: defaults, secrets: secrets, adapter: adapter,
      middleware: middleware)
  }

  /// Adds a middleware below the others, next to the adapter.
  public mutating func use(_ middleware: any Middleware) {
    stack = Stack(stack.middleware + [middleware], adapter: stack.adapter)
  }

  /// Adds a middleware made of one closure.
  public mutating func use(_ middleware: @escaping @Sendable (Request, Next) async throws -> Response) {
    use(MiddlewareClosure(middleware))
  }

  /// The request that a verb would send, from the same arguments; ``run(_:)`` sends it.
  ///
  /// The connection's headers are copied if it stays with the base URL's origin; what the arguments say goes before them, and `edit`
  /// goes last.
  ///
  /// - Parameters:
  ///   - path: is joined to ``url`` as ``joining`` says; it may have a query.
  ///   - variables: the values of the path's variables, `users/{id}`, each encoded as one segment (``PathTemplate``). Nil takes the
  ///     path as it is, braces too: one that comes from elsewhere is no template.
  ///   - query: items behind those of the path and the base URL.
  ///   - headers: go before the connection's of the same names. A name or value that may not be sent is an ``InvalidHeader``.
  ///   - body: with the `Content-Type` that it was made with, if it was and the request has none.
  ///   - timeout: ``Timeouts/total``; nil leaves that of ``defaults``.
  ///   - edit: changes the request in place.
  public func request(
    _ method: HTTPRequest.Method, _ path: String = "", path variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let path = try variables.map { try expand(path, $0, for: method) } ?? path
    let joined = url.map { joining.join(path, to: $0) } ?? URL(text: path)
    guard let joined else { throw TransportError(invalidURL: path, method: method, secrets: secrets) }
    return try request(method, url: joined, body: body) { request in
      if !query.items.isEmpty { request.query.items += query.items }
      if !headers.isEmpty { request.headers.override(with: try HTTPFields(checking: headers)) }
      if let timeout { request.options.timeouts.total = timeout }
      try edit(&request)
    }
  }

  /// The request for an absolute URL: default headers copied if it has the base URL's origin, `edit` applied over them.
  public func request(
    _ method: HTTPRequest.Method, url joined: URL, body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let isSameOrigin = context.isSameOrigin(joined)
    var request = Request(method, url: joined, headers: isSameOrigin ? headers : [:], body: body, options: defaults)
    let context = isSameOrigin ? context : context.with(originBoundHeaders: [:], isCrossOrigin: true)
    request.context = context
    try edit(&request)
    // It may be another request altogether.
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
      throw InvalidPath(error, method: method, connection: self)
    }
  }

  /// Sends a request as it is, through the stack, and delivers the response as its options say: whole, as a stream, or to a
  /// callback. No base URL, default header or option is added, only the `Content-Type` that its body was made with; one to another
  /// origin than the base URL's is foreign, see ``Request/isCrossOrigin``, and goes without what a connection has given it.
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
  }

  private func makeContext() -> ConnectionContext {
    ConnectionContext(
      baseOrigin: url.map(ConnectionContext.BaseOrigin.init), originBoundHeaders: headers, secrets: secrets,
      isCrossOrigin: isCrossOrigin)
  }
}

extension Request {
  fileprivate mutating func takeContentTypeOfBody() {
    if let type = body.contentType, headers[.contentType] == nil { headers[.contentType] = type }
  }
}

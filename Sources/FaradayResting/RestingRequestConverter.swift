public import FaradayCoding
public import FaradayCore
internal import FaradayRequests

/// Makes a request as its ``Endpoint`` says: base URL, context path and path, one slash between them; the queries of all three,
/// and behind them the input's items; the header fields of the connection, over them those of the provider, over them the
/// request's own.
///
/// Throws ``FaradayCore/InvalidPath``, ``FaradayCoding/UnencodableBody``, ``FaradayCore/TransportError/Code/invalidURL``, and what the
/// providers throw.
public struct RestingRequestConverter: RequestConverter {
  /// What all requests of a client have in common.
  public struct Configuration: Sendable {
    /// Sorts names by default, so that a value is the same bytes each time.
    public var jsonEncoder: JSONEncoder
    /// For queries and ``RequestEncoding/formURLEncoded``.
    public var queryEncoder: QueryEncoder
    public var multipartEncoder: MultipartFormEncoder
    /// What stands before every path; it may have places for variables too.
    public var contextPath: String
    public var headerProvider: (any HeaderProvider)?
    public var pathVariableProvider: (any PathVariableProvider)?

    public init(
      jsonEncoder: JSONEncoder = .sortingKeys, queryEncoder: QueryEncoder = QueryEncoder(),
      multipartEncoder: MultipartFormEncoder = MultipartFormEncoder(), contextPath: String = "",
      headerProvider: (any HeaderProvider)? = nil, pathVariableProvider: (any PathVariableProvider)? = nil
    ) {
      self.jsonEncoder = jsonEncoder
      self.queryEncoder = queryEncoder
      self.multipartEncoder = multipartEncoder
      self.contextPath = contextPath
      self.headerProvider = headerProvider
      self.pathVariableProvider = pathVariableProvider
    }
  }

  public var configuration: Configuration

  public init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  public func request<Input, Output>(
    for wanted: RestingRequest<Input, Output>, on connection: Connection
  ) throws -> Request {
    var home = connection
    home.joining = .append
    var request = try home.request(wanted.endpoint.method, path(of: wanted, on: connection))
    if let provided = try configuration.headerProvider?.headers { request.setOriginBoundHeaders(provided) }
    request.headers.override(with: wanted.headers)
    try encode(wanted.body, as: wanted.endpoint.encoding, into: &request)
    return request
  }

  private func path<Input, Output>(
    of wanted: RestingRequest<Input, Output>, on connection: Connection
  ) throws -> String {
    let provided = try configuration.pathVariableProvider?.variables ?? [:]
    let template = Self.join(configuration.contextPath, wanted.endpoint.path)
    do {
      return try PathTemplate(template).path(wanted.pathVariables, defaults: provided)
    } catch {
      throw InvalidPath(error, method: wanted.endpoint.method, connection: connection)
    }
  }

  /// One slash stands between the two; a path that is only a query follows at once.
  private static func join(_ context: String, _ path: String) -> String {
    guard !context.isEmpty, !path.isEmpty, path.first != "?" else { return context + path }
    let context = context.hasSuffix("/") ? context.dropLast() : context[...]
    return context + (path.hasPrefix("/") ? "" : "/") + path
  }
}

public import FaradayCoding
public import FaradayCore

/// The default converter. The URL consists of base URL, context path and path, joined with single slashes, with the queries of
/// all three and the input's items appended. The header fields of the request override the fields of the header provider, which
/// override the connection's.
///
/// Throws ``FaradayCore/InvalidValueError``, ``FaradayCoding/BodyEncodingError``,
/// ``FaradayCore/TransportError/Code/invalidURL``, and the errors of the providers.
public struct RestingRequestConverter: RequestConverter {
  /// Encoders, and defaults for all requests of a client.
  public struct Configuration: Sendable {
    /// Encodes JSON bodies; nil means the ``FaradayCore/Options/jsonEncoder`` of the request.
    public var jsonEncoder: JSONEncoder?
    /// Encodes queries and ``RequestEncoding/formURLEncoded`` bodies.
    public var queryEncoder: QueryEncoder
    /// Encodes ``RequestEncoding/multipartFormData`` bodies.
    public var multipartEncoder: MultipartFormEncoder
    /// A prefix of every path, which may contain variables. Empty by default.
    public var contextPath: String
    /// Provides default header fields. None by default.
    public var headerProvider: (any HeaderProvider)?
    /// Provides default path variables. None by default.
    public var pathVariableProvider: (any PathVariableProvider)?

    /// Creates a configuration; by default with the default encoders, and without defaults for requests.
    public init(
      jsonEncoder: JSONEncoder? = nil, queryEncoder: QueryEncoder = QueryEncoder(),
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

  /// The encoders and defaults.
  public var configuration: Configuration

  /// Creates a converter with this configuration.
  public init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// Returns the HTTP request, as described for the type.
  public func request<Input, Output>(
    for typed: RestingRequest<Input, Output>, on connection: Connection
  ) throws -> Request {
    var appending = connection
    appending.joining = .append
    var request = try appending.request(typed.endpoint.method, path(of: typed, on: connection))
    if let provided = try configuration.headerProvider?.headers { request.setOriginBoundHeaders(provided) }
    request.headers.override(with: typed.headers)
    try encode(typed.endpoint.encodable(typed.body), as: typed.endpoint.encoding, into: &request)
    return request
  }

  private func path<Input, Output>(
    of typed: RestingRequest<Input, Output>, on connection: Connection
  ) throws -> String {
    let provided = try configuration.pathVariableProvider?.variables ?? [:]
    let template = Self.join(configuration.contextPath, typed.endpoint.path)
    do {
      return try PathTemplate(template).path(typed.variables, defaults: provided)
    } catch {
      throw InvalidValueError(error, method: typed.endpoint.method, baseURL: connection.url, connection.secrets)
    }
  }

  /// Joins with one slash; a path that is only a query is appended unchanged.
  private static func join(_ context: String, _ path: String) -> String {
    guard !context.isEmpty, !path.isEmpty, path.first != "?" else { return context + path }
    let context = context.hasSuffix("/") ? context.dropLast() : context[...]
    return context + (path.hasPrefix("/") ? "" : "/") + path
  }
}

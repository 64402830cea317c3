public import FaradayCore

/// Calls with any method and an encoded body, and a request as a call that returns a decoded value. The calls have the rules of
/// ``FaradayCore/Connection/post``.
extension Connection {
  /// Sends a request, and decodes the JSON of a 2xx response, by the request's ``FaradayCore/Options/jsonDecoder`` by default.
  ///
  /// Throws ``FaradayCore/StatusError`` for any other status, with the beginning of the body, and
  /// ``FaradayCoding/BodyDecodingError``.
  public func send<Value: Decodable>(
    _ request: Request, as type: Value.Type, decoder: JSONDecoder? = nil
  ) async throws -> Value {
    try await send(request).decode(type, decoder: decoder)
  }

  /// Sends a request with any method and the value as JSON body.
  @_disfavoredOverload
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: some Encodable,
    encoder: JSONEncoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await exchange(request(method, path, variables, query, headers, .json(value, encoder), timeout, edit))
  }

  /// Sends a request with any method and untyped JSON as body.
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: JSONValue,
    encoder: JSONEncoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await exchange(request(method, path, variables, query, headers, .json(value, encoder), timeout, edit))
  }

  /// Sends a request with any method and the value as a form.
  @_disfavoredOverload
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form value: some Encodable,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await exchange(request(method, path, variables, query, headers, .form(value), timeout, edit))
  }

  /// Builds a request with an encoded body.
  package func request(
    _ method: HTTPRequest.Method, _ path: some URLReference, _ variables: [String: any ParameterValue]?,
    _ query: QueryParameters, _ headers: KeyValuePairs<String, String>, _ content: RequestContent, _ timeout: Duration?,
    _ edit: (inout Request) throws -> Void
  ) throws -> Request {
    try request(method, path, variables: variables, query: query, headers: headers, timeout: timeout) { request in
      do {
        request.body = try content.encode(request.options)
      } catch let error as BodyEncodingError {
        throw error.naming(request)
      }
      try edit(&request)
    }
  }
}

/// A body to encode with the options of its request.
package struct RequestContent {
  fileprivate let encode: (Options) throws -> Body

  package static func body(_ body: Body) -> RequestContent { RequestContent { _ in body } }

  package static func json(_ value: some Encodable, _ encoder: JSONEncoder?) -> RequestContent {
    RequestContent { try .json(value, encoder: encoder ?? $0.jsonEncoder ?? .sortingKeys) }
  }

  package static func form(_ value: some Encodable) -> RequestContent {
    RequestContent { _ in
      do { return try .form(QueryEncoder().encode(value)) } catch { throw BodyEncodingError(error, encoding: value, of: nil) }
    }
  }
}

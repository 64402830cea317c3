public import FaradayCore

/// POST, PUT and PATCH with an `Encodable` value, or a literal of untyped JSON, as JSON body:
///
///     try await connection.post("users", json: User(name: "Ada"))
///     try await connection.patch("users/{id}", path: ["id": id], json: ["name": name, "age": age])
///
/// The value is encoded at once, with the `Content-Type` `application/json` unless the connection or `headers` have one. A
/// value that cannot be encoded throws ``FaradayCoding/UnencodableBody``, and nothing is sent. The encoder sorts members by
/// name by default, so that equal values have equal bytes; a ``FaradayCoding/JSONValue`` keeps its order with a `JSONEncoder()`
/// that does not. The other arguments are those of all verbs.
///
/// A literal with values of several types is a ``FaradayCoding/JSONValue``: see ``FaradayCoding/JSONConvertible``.
extension Connection {
  /// Sends a POST request with the value as JSON body.
  public func post(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: some Encodable, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        .post, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout, edit: edit)
    )
  }

  /// Sends a POST request with untyped JSON as body.
  public func post(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: JSONValue, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        .post, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout, edit: edit)
    )
  }

  /// Sends a PUT request with the value as JSON body.
  public func put(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: some Encodable, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        .put, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout, edit: edit))
  }

  /// Sends a PUT request with untyped JSON as body.
  public func put(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: JSONValue, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        .put, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout, edit: edit))
  }

  /// Sends a PATCH request with the value as JSON body.
  public func patch(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: some Encodable, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        .patch, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout, edit: edit
      ))
  }

  /// Sends a PATCH request with untyped JSON as body.
  public func patch(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: JSONValue, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        .patch, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout, edit: edit
      ))
  }

  /// The request that these methods send.
  package func request(
    _ method: HTTPRequest.Method, _ path: String, path variables: [String: any ParameterValue]?, query: QueryParameters,
    headers: KeyValuePairs<String, String>, json value: some Encodable, encoder: JSONEncoder, timeout: Duration?,
    edit: (inout Request) throws -> Void
  ) throws -> Request {
    try request(method, path, path: variables, query: query, headers: headers, timeout: timeout) { request in
      do {
        request.body = .data(try encoder.data(of: value), contentType: .json)
      } catch {
        throw UnencodableBody(error, encoding: value, of: request)
      }
      try edit(&request)
    }
  }
}

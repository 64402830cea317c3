public import FaradayCore

/// Calls with a JSON body or a form, and calls that return a decoded value:
///
///     let user = try await connection.get("users/{id}", variables: ["id": id], as: User.self)
///     try await connection.post("users", json: User(name: "Ada"))
///     let changed = try await connection.patch("users/1", json: ["name": name, "age": age], as: User.self)
///     try await connection.post("login", form: ["user": name, "remember": true])
///
/// A `json:` value is encoded at once by `encoder`, or by the ``FaradayCore/Options/jsonEncoder`` of the connection's
/// ``FaradayCore/Connection/defaults``. By default members are sorted by name, so that equal values have equal bytes. The
/// `Content-Type` is `application/json` unless the connection or `headers` have one. A literal is a
/// ``FaradayCoding/JSONValue``: its values may have several types, see ``FaradayCoding/JSONConvertible``.
///
/// A `form:` value is encoded by a ``FaradayCoding/QueryEncoder`` as `application/x-www-form-urlencoded`. A literal keeps its
/// order and repeated names. A value that cannot be encoded throws ``FaradayCoding/BodyEncodingError``, and nothing is sent.
///
/// A call with `as:` throws ``FaradayCore/StatusError`` for a status other than 2xx, with the beginning of the body. It
/// decodes JSON by `decoder`, or by the connection's ``FaradayCore/Options/jsonDecoder``, and throws
/// ``FaradayCoding/BodyDecodingError`` if the body is not a value of the type. An optional is nil exactly if the body is empty.
extension Verb {
  /// Sends the request, and decodes the JSON of a 2xx response.
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], as type: Value.Type, decoder: JSONDecoder? = nil,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await connection.send(
      connection.request(method, path, variables: variables, query: query, headers: headers, timeout: timeout, edit: edit),
      as: type, decoder: decoder)
  }
}

/// A `json:` or `form:` literal prefers untyped JSON and form items: a Swift dictionary would lose its order, and trap if a
/// name is repeated. So the calls with any `Encodable` value are disfavored.
extension BodyVerb {
  /// Sends the request with the value as JSON body.
  @_disfavoredOverload
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: some Encodable,
    encoder: JSONEncoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await connection.send(
      method, path, variables: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
      edit: edit)
  }

  /// Sends the request with untyped JSON as body.
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: JSONValue,
    encoder: JSONEncoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await connection.send(
      method, path, variables: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
      edit: edit)
  }

  /// Sends the request with the value as a form.
  @_disfavoredOverload
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form value: some Encodable,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await connection.send(
      method, path, variables: variables, query: query, headers: headers, form: value, timeout: timeout, edit: edit)
  }

  /// Sends the request with a body of any kind, empty by default. Decodes the JSON of a 2xx response.
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Body = .empty, as type: Value.Type,
    decoder: JSONDecoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await decoded(path, variables, query, headers, .body(body), timeout, edit, type, decoder)
  }

  /// Sends the request with these bytes. Decodes the JSON of a 2xx response.
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Data, as type: Value.Type,
    decoder: JSONDecoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await decoded(path, variables, query, headers, .body(.data(body)), timeout, edit, type, decoder)
  }

  /// Sends the request with the value as JSON body. Decodes the JSON of a 2xx response.
  @_disfavoredOverload
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: some Encodable,
    encoder: JSONEncoder? = nil, as type: Value.Type, decoder: JSONDecoder? = nil, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await decoded(path, variables, query, headers, .json(value, encoder), timeout, edit, type, decoder)
  }

  /// Sends the request with untyped JSON as body. Decodes the JSON of a 2xx response.
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: JSONValue,
    encoder: JSONEncoder? = nil, as type: Value.Type, decoder: JSONDecoder? = nil, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await decoded(path, variables, query, headers, .json(value, encoder), timeout, edit, type, decoder)
  }

  /// Sends the request with the value as a form. Decodes the JSON of a 2xx response.
  @_disfavoredOverload
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form value: some Encodable, as type: Value.Type,
    decoder: JSONDecoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await decoded(path, variables, query, headers, .form(value), timeout, edit, type, decoder)
  }

  /// Sends the request with a form of these items. Decodes the JSON of a 2xx response.
  public func callAsFunction<Value: Decodable>(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form items: QueryParameters, as type: Value.Type,
    decoder: JSONDecoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Value {
    try await decoded(path, variables, query, headers, .body(.form(items)), timeout, edit, type, decoder)
  }

  private func decoded<Value: Decodable>(
    _ path: some URLReference, _ variables: [String: any ParameterValue]?, _ query: QueryParameters,
    _ headers: KeyValuePairs<String, String>, _ content: RequestContent, _ timeout: Duration?,
    _ edit: (inout Request) throws -> Void, _ type: Value.Type, _ decoder: JSONDecoder?
  ) async throws -> Value {
    try await connection.send(
      connection.request(method, path, variables, query, headers, content, timeout, edit), as: type, decoder: decoder)
  }
}

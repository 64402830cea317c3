/// Requests by method, each as a call that builds a request from the base URL, default headers and options, applies `edit`, and
/// sends it.
///
///     try await connection.get("users/{id}", variables: ["id": name], query: ["expand": "teams"], timeout: .seconds(5))
///     try await connection.post("users", json: ["name": name, "age": age])
///     try await connection.put("photos/1", body: data)
///
/// For the arguments see ``Connection/request(_:_:variables:query:headers:body:timeout:edit:)``. A response with any status,
/// such as 404, is returned and not thrown. The calls throw ``TransportError``, ``InvalidValueError``,
/// `CancellationError`, and the errors of the middleware.
extension Connection {
  /// Sends a GET request.
  public var get: Verb { Verb(connection: self, method: .get) }
  /// Sends a HEAD request. The response has no body.
  public var head: Verb { Verb(connection: self, method: .head) }
  /// Sends an OPTIONS request.
  public var options: Verb { Verb(connection: self, method: .options) }
  /// Sends a POST request.
  public var post: BodyVerb { BodyVerb(connection: self, method: .post) }
  /// Sends a PUT request.
  public var put: BodyVerb { BodyVerb(connection: self, method: .put) }
  /// Sends a PATCH request.
  public var patch: BodyVerb { BodyVerb(connection: self, method: .patch) }
  /// Sends a DELETE request.
  public var delete: BodyVerb { BodyVerb(connection: self, method: .delete) }
  /// Sends a QUERY request: a safe and idempotent request whose body says what to read
  /// (draft-ietf-httpbis-safe-method-w-body).
  public var query: BodyVerb { BodyVerb(connection: self, method: .query) }
}

/// A method without a request body, as a call: `connection.get("users")`.
public struct Verb: Sendable {
  package let connection: Connection
  package let method: HTTPRequest.Method

  /// Sends the request.
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await connection.exchange(
      connection.request(method, path, variables: variables, query: query, headers: headers, timeout: timeout, edit: edit))
  }
}

/// A method with a request body, as a call: `connection.post("users", json: user)`.
///
/// The body is one of these arguments: `json:`, a value or a literal of untyped JSON; `form:`, a value or a literal of names
/// and values; `body:`, a ``Body`` or `Data`. Without any of these arguments the body is empty.
public struct BodyVerb: Sendable {
  package let connection: Connection
  package let method: HTTPRequest.Method

  /// Sends the request with a body of any kind; empty by default.
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await connection.exchange(
      connection.request(
        method, path, variables: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit))
  }

  /// Sends the request with these bytes, without a `Content-Type`.
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Data, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await self(
      path, variables: variables, query: query, headers: headers, body: .data(body), timeout: timeout, edit: edit)
  }

  /// Sends the request with a form of these items (`application/x-www-form-urlencoded`): `form: ["user": name, "page": 2]`.
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], form items: QueryParameters, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await self(
      path, variables: variables, query: query, headers: headers, body: .form(items), timeout: timeout, edit: edit)
  }
}

/// Requests by method: each call builds a request from the base URL, default headers and options, applies `edit`, and sends it.
///
///     try await connection.get("users/{id}", path: ["id": name], query: ["expand": "teams"], timeout: .seconds(5))
///
/// The arguments are those of ``Connection/request(_:_:path:query:headers:body:timeout:edit:)``. A cross-origin request is sent
/// without the default headers, see ``Connection/headers``. A status such as 404 is returned and not thrown. The calls throw
/// ``TransportError``, ``InvalidPath``, ``InvalidHeader``, `CancellationError`, or what a middleware throws.
extension Connection {
  /// Sends a request with any method.
  public func run(
    _ method: HTTPRequest.Method, _ path: String = "", path variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(
        method, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit))
  }

  /// Sends a GET.
  public func get(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .get, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
  }

  /// Sends a HEAD; its response has no body.
  public func head(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .head, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
  }

  /// Sends a POST.
  public func post(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .post, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
  }

  /// Sends a PUT.
  public func put(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .put, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
  }

  /// Sends a PATCH.
  public func patch(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .patch, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
  }

  /// Sends a DELETE.
  public func delete(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .delete, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
  }

  /// Sends an OPTIONS.
  public func options(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(
      .options, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
  }
}

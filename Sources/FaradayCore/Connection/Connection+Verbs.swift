/// Requests with any method: `try await connection.send(.trace, "users/{id}", variables: ["id": name])`. The rules are those of
/// ``Connection/get``.
extension Connection {
  /// Sends a request with any method.
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await exchange(
      request(
        method, path, variables: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit))
  }

  /// Sends a request with any method and these bytes, without a `Content-Type`.
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Data, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      method, path, variables: variables, query: query, headers: headers, body: .data(body), timeout: timeout, edit: edit)
  }

  /// Sends a request with any method and a form of these items (`application/x-www-form-urlencoded`).
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form items: QueryParameters,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      method, path, variables: variables, query: query, headers: headers, body: .form(items), timeout: timeout, edit: edit)
  }

  /// Sends a GET, or a request with another method, whose response has a streamed body (``Delivery/streamed``).
  ///
  ///     for try await line in try await connection.stream("log").lines() { … }
  public func stream(
    _ path: some URLReference = "", method: HTTPRequest.Method = .get, variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      method, path, variables: variables, query: query, headers: headers, body: body, timeout: timeout
    ) { request in
      request.options.delivery = .streamed
      try edit(&request)
    }
  }
}

/// Requests with a method name, for methods without a member of `HTTPRequest.Method`:
///
///     try await connection.send("PURGE", "articles/1")
///
/// A name is sent unchanged, and is case-sensitive (RFC 9110, section 9.1). A name that is not a token throws
/// ``TransportError/Code/invalidMethod``, and nothing is sent.
extension Connection {
  /// Sends a request with the named method.
  public func send(
    _ method: String, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await exchange(
      request(method, path, variables: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit))
  }

  /// Builds a request with the named method, without sending it; ``send(_:)`` sends it.
  public func request(
    _ method: String, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let name = HTTPRequest.Method(method)
    let request = try request(
      name ?? .get, path, variables: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    guard name != nil else {
      throw TransportError(
        .invalidMethod, building: request,
        "the method \(method.bounded().debugDescription) is not a token (RFC 9110, section 5.6.2)")
    }
    return request
  }
}

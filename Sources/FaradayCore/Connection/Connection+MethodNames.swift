/// Methods by their names, for those that `HTTPRequest.Method` has no member for:
///
///     try await connection.run("PURGE", "articles/1")
///
/// A name is sent as it is written, and is case-sensitive (RFC 9110, section 9.1). One that is no token throws
/// ``TransportError/Code/invalidMethod``, and nothing is sent.
extension Connection {
  /// Sends a request with the method of that name.
  public func run(
    _ method: String, _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(
      request(method, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit))
  }

  /// The request that the verb would send; ``run(_:)`` sends it.
  public func request(
    _ method: String, _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    let name = HTTPRequest.Method(method)
    let request = try request(
      name ?? .get, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    guard name != nil else {
      throw TransportError(
        .invalidMethod, building: request,
        "the method \(method.bounded().debugDescription) is no token (RFC 9110, section 5.6.2)")
    }
    return request
  }
}

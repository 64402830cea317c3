/// The verbs: each builds a request on the connection's URL, headers and options, lets `edit` change it in place, and
/// sends it. A path that leads to another origin than the connection's URL goes without the connection's headers, see
/// ``Connection/headers``. They return any status, and throw ``TransportError``, `CancellationError`, or what a middleware throws.
extension Connection {
  /// Sends a request with any method.
  public func run(
    _ method: HTTPRequest.Method, _ path: String = "", body: Body = .empty,
    edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await send(request(method, path, body: body, edit: edit))
  }

  /// Sends a GET.
  public func get(
    _ path: String = "", edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.get, path, edit: edit)
  }

  /// Sends a HEAD; its response has no body.
  public func head(
    _ path: String = "", edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.head, path, edit: edit)
  }

  /// Sends a POST.
  public func post(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.post, path, body: body, edit: edit)
  }

  /// Sends a PUT.
  public func put(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.put, path, body: body, edit: edit)
  }

  /// Sends a PATCH.
  public func patch(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.patch, path, body: body, edit: edit)
  }

  /// Sends a DELETE.
  public func delete(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.delete, path, body: body, edit: edit)
  }

  /// Sends an OPTIONS.
  public func options(
    _ path: String = "", edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Response {
    try await run(.options, path, edit: edit)
  }
}

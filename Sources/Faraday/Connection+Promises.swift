public import FaradayCore
public import FaradayPromises

/// The verbs once more, for those who do not wait: each sends its request at once and returns a promise of the response.
///
///     connection.promise.get("users").map(\.status).onSuccess { status in print(status) }
///
///     let upload = connection.promise.put("backup", body: try .file(path), onUploadProgress: { print($0.fraction ?? 0) })
///     upload.cancel()
///
/// They take what the asynchronous ones take, and the callbacks besides. `edit` is called before they return. All errors are the
/// promise's outcome, also those of a request that could not be built. A cancelled promise is settled at once, and its request
/// ended as soon as the adapter can: a callback that is being called meanwhile is not the last one for certain.
extension Promising where Caller == Connection {
  /// Sends a request with any method.
  @discardableResult
  public func run(
    _ method: HTTPRequest.Method, _ path: String = "", body: Body = .empty,
    edit: (inout Request) throws -> Void = { _ in }, onUploadProgress: ProgressHandler? = nil, onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    do {
      var request = try caller.request(method, path, body: body, edit: edit)
      if let onUploadProgress { request.options.onUploadProgress = onUploadProgress }
      if let onChunk { request.options.onChunk = onChunk }
      return run(request)
    } catch {
      return Promise(.failure(error))
    }
  }

  /// Sends a request as it is.
  @discardableResult
  public func run(_ request: Request) -> Promise<Response> {
    Promise { try await caller.run(request) }
  }

  /// Sends a GET.
  @discardableResult
  public func get(
    _ path: String = "", edit: (inout Request) throws -> Void = { _ in },
    onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.get, path, edit: edit, onChunk: onChunk)
  }

  /// Sends a HEAD; its response has no body.
  @discardableResult
  public func head(
    _ path: String = "", edit: (inout Request) throws -> Void = { _ in },
    onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.head, path, edit: edit, onChunk: onChunk)
  }

  /// Sends a POST.
  @discardableResult
  public func post(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in },
    onUploadProgress: ProgressHandler? = nil, onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.post, path, body: body, edit: edit, onUploadProgress: onUploadProgress, onChunk: onChunk)
  }

  /// Sends a PUT.
  @discardableResult
  public func put(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in },
    onUploadProgress: ProgressHandler? = nil, onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.put, path, body: body, edit: edit, onUploadProgress: onUploadProgress, onChunk: onChunk)
  }

  /// Sends a PATCH.
  @discardableResult
  public func patch(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in },
    onUploadProgress: ProgressHandler? = nil, onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.patch, path, body: body, edit: edit, onUploadProgress: onUploadProgress, onChunk: onChunk)
  }

  /// Sends a DELETE.
  @discardableResult
  public func delete(
    _ path: String = "", body: Body = .empty, edit: (inout Request) throws -> Void = { _ in },
    onUploadProgress: ProgressHandler? = nil, onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.delete, path, body: body, edit: edit, onUploadProgress: onUploadProgress, onChunk: onChunk)
  }

  /// Sends an OPTIONS.
  @discardableResult
  public func options(
    _ path: String = "", edit: (inout Request) throws -> Void = { _ in },
    onChunk: ChunkHandler? = nil
  ) -> Promise<Response> {
    run(.options, path, edit: edit, onChunk: onChunk)
  }
}

/// A middleware that only changes requests, and has nothing to do with their responses.
///
///     struct APIVersion: RequestTransformer {
///       let version: String
///       func transformed(_ request: Request, capabilities: Capabilities) -> Request {
///         var request = request
///         request.headers[.accept] = "application/vnd.example.\(version)+json"
///         return request
///       }
///     }
///
/// It does the same as a ``Middleware`` whose `handle` changes the request and calls `next`, and costs less: no asynchronous call, and
/// no memory while the request waits for its response. It must be thread-safe, as requests run concurrently.
public protocol RequestTransformer: Middleware {
  /// The request that is passed on. If it throws, nothing is sent, and the caller gets the error.
  ///
  /// - Parameter capabilities: what the adapter can do.
  func transformed(_ request: Request, capabilities: Capabilities) throws -> Request
}

extension RequestTransformer {
  /// Passes the changed request on.
  public func handle(_ request: Request, next: Next) async throws -> Response {
    try await next(transformed(request, capabilities: next.capabilities))
  }
}

/// An interceptor: changes requests on their way to the adapter, and responses on their way back.
///
/// A middleware calls `next` once to pass the request on, not at all to answer it itself, or several times to retry:
///
///     struct UserAgent: Middleware {
///       let name: String
///       func handle(_ request: Request, next: Next) async throws -> Response {
///         var request = request
///         request.headers[.userAgent] = name
///         return try await next(request)
///       }
///     }
///
/// It runs in the caller's isolation: a stack of ten costs ten calls, and no change of thread. It must be thread-safe, as requests
/// run concurrently.
public protocol Middleware: Sendable {
  /// Handles a request: calls `next` for the rest of the stack, and returns the response.
  func handle(_ request: Request, next: Next) async throws -> Response
}

/// A middleware made of one closure.
public struct MiddlewareClosure: Middleware {
  let body: @Sendable (Request, Next) async throws -> Response

  /// A middleware that calls the closure for each request.
  public init(_ body: @escaping @Sendable (Request, Next) async throws -> Response) {
    self.body = body
  }

  /// Calls the closure.
  public func handle(_ request: Request, next: Next) async throws -> Response {
    try await body(request, next)
  }
}

extension Middleware where Self == MiddlewareClosure {
  /// A middleware made of one closure: `middleware: [.closure { request, next in try await next(request) }]`.
  public static func closure(
    _ body: @escaping @Sendable (Request, Next) async throws -> Response
  ) -> Self {
    Self(body)
  }
}

/// An interceptor that can change requests before the adapter sends them, and responses before the caller gets them.
///
/// A middleware calls `next` once to pass the request on, several times to retry, or never to return its own response:
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
/// A middleware runs in the caller's isolation: a stack of ten costs ten calls, and no thread switch. It must be thread-safe,
/// because requests run concurrently.
public protocol Middleware: Sendable {
  /// Handles a request: calls `next` for the rest of the stack, and returns the response.
  func handle(_ request: Request, next: Next) async throws -> Response
}

/// A middleware made of one closure.
public struct MiddlewareClosure: Middleware {
  private let body: @Sendable (Request, Next) async throws -> Response

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

/// A middleware that only changes requests, not responses.
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
/// A request transformer costs less than a ``Middleware`` whose `handle` changes the request and calls `next`: no asynchronous
/// call, and no memory while the request waits for its response. It must be thread-safe, because requests run concurrently.
public protocol RequestTransformer: Middleware {
  /// Returns the request to pass on. If this method throws, nothing is sent, and the caller gets the error.
  ///
  /// - Parameter capabilities: the features of the adapter.
  func transformed(_ request: Request, capabilities: Capabilities) throws -> Request
}

extension RequestTransformer {
  /// Passes the transformed request on.
  public func handle(_ request: Request, next: Next) async throws -> Response {
    try await next(transformed(request, capabilities: next.capabilities))
  }
}

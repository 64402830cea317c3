/// Shapes a request on its way down and its response on the way up.
///
/// A middleware calls `next` once to pass the request on, not at all to answer by itself, or several times to try again:
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
/// It runs where its caller runs: a stack of ten costs ten calls, not ten hops between threads.
public protocol Middleware: Sendable {
  /// Handles the request, calling `next` for the rest of the stack.
  func handle(_ request: Request, next: Next) async throws -> Response
}

/// A middleware made of one closure, for the simple case that needs no type.
public struct MiddlewareClosure: Middleware {
  let body: @Sendable (Request, Next) async throws -> Response

  public init(_ body: @escaping @Sendable (Request, Next) async throws -> Response) {
    self.body = body
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    try await body(request, next)
  }
}

extension Middleware where Self == MiddlewareClosure {
  /// A middleware made of one closure, for a list: `[.closure { request, next in try await next(request) }]`.
  public static func closure(
    _ body: @escaping @Sendable (Request, Next) async throws -> Response
  ) -> Self {
    Self(body)
  }
}

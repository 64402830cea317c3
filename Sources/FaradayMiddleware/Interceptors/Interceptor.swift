public import FaradayCore

/// An element of ``Interceptors``: a ``RequestInterceptor``, a ``ResponseInterceptor``, or both.
public protocol Interceptor: Sendable {}

/// Inspects and modifies requests before they are sent.
public protocol RequestInterceptor: Interceptor {
  /// Returns the request to send. Throw to fail it; nothing is sent then.
  func intercept(_ request: Request) async throws -> Request
}

/// Inspects and modifies responses and errors.
public protocol ResponseInterceptor: Interceptor {
  /// Returns the response to continue with. Throw to fail the request. Returns the same response by default.
  func intercept(_ response: Response, for request: Request) async throws -> Response
  /// Returns a response in place of the error, or throws an error. Throws the same error by default. Not called for a
  /// `CancellationError`.
  ///
  /// If an earlier interceptor has thrown, its response is that of the error, if it has one, as
  /// ``FaradayCore/UnexpectedStatus`` does.
  func recover(from error: any Error, for request: Request) async throws -> Response
}

extension ResponseInterceptor {
  /// Returns the same response.
  public func intercept(_ response: Response, for request: Request) async throws -> Response { response }
  /// Throws the same error.
  public func recover(from error: any Error, for request: Request) async throws -> Response { throw error }
}

/// A request interceptor that calls a closure.
public struct RequestInterceptorClosure: RequestInterceptor {
  private let edit: @Sendable (inout Request) async throws -> Void

  /// Calls the closure to edit each request in place.
  public init(_ edit: @escaping @Sendable (inout Request) async throws -> Void) { self.edit = edit }

  /// Returns the request as the closure leaves it.
  public func intercept(_ request: Request) async throws -> Request {
    var request = request
    try await edit(&request)
    return request
  }
}

/// A response interceptor that calls closures.
public struct ResponseInterceptorClosure: ResponseInterceptor {
  private let edit: @Sendable (inout Response, Request) async throws -> Void
  private let recovery: @Sendable (any Error, Request) async throws -> Response

  /// Calls `edit` to edit each response in place, and `recovery` for each error, which it throws again by default.
  public init(
    _ edit: @escaping @Sendable (inout Response, Request) async throws -> Void,
    recover recovery: @escaping @Sendable (any Error, Request) async throws -> Response = { error, _ in throw error }
  ) {
    self.edit = edit
    self.recovery = recovery
  }

  /// Returns the response as the closure leaves it.
  public func intercept(_ response: Response, for request: Request) async throws -> Response {
    var response = response
    try await edit(&response, request)
    return response
  }

  /// Returns what the closure returns in place of the error.
  public func recover(from error: any Error, for request: Request) async throws -> Response {
    try await recovery(error, request)
  }
}

extension Interceptor where Self == RequestInterceptorClosure {
  /// Edits each request in place before it is sent.
  public static func request(_ edit: @escaping @Sendable (inout Request) async throws -> Void) -> Self { Self(edit) }
}

extension Interceptor where Self == ResponseInterceptorClosure {
  /// Edits each response in place; `recover` may return a response in place of an error.
  public static func response(
    _ edit: @escaping @Sendable (inout Response, Request) async throws -> Void,
    recover: @escaping @Sendable (any Error, Request) async throws -> Response = { error, _ in throw error }
  ) -> Self {
    Self(edit, recover: recover)
  }

  /// Calls the closure for each error, which may return a response in its place.
  public static func recover(_ recovery: @escaping @Sendable (any Error, Request) async throws -> Response) -> Self {
    Self({ _, _ in }, recover: recovery)
  }
}

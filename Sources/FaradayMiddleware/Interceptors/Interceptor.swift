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
  /// After an error of an earlier interceptor, only the error can contain a response, as ``FaradayCore/StatusError`` does.
  func recover(from error: any Error, for request: Request) async throws -> Response
}

extension ResponseInterceptor {
  /// Returns the same response.
  public func intercept(_ response: Response, for request: Request) async throws -> Response { response }
  /// Throws the same error.
  public func recover(from error: any Error, for request: Request) async throws -> Response { throw error }
}

/// An interceptor that calls closures. ``Interceptor/request(_:)``, ``Interceptor/response(_:recover:)`` and
/// ``Interceptor/recover(_:)`` create it.
public struct InterceptorClosure: RequestInterceptor, ResponseInterceptor {
  fileprivate var edit: @Sendable (inout Request) async throws -> Void = { _ in }
  fileprivate var editResponse: @Sendable (inout Response, Request) async throws -> Void = { _, _ in }
  fileprivate var recovery: @Sendable (any Error, Request) async throws -> Response = { error, _ in throw error }

  /// Returns the request after the closure's edits.
  public func intercept(_ request: Request) async throws -> Request {
    var request = request
    try await edit(&request)
    return request
  }

  /// Returns the response after the closure's edits.
  public func intercept(_ response: Response, for request: Request) async throws -> Response {
    var response = response
    try await editResponse(&response, request)
    return response
  }

  /// Returns the closure's response in place of the error.
  public func recover(from error: any Error, for request: Request) async throws -> Response {
    try await recovery(error, request)
  }
}

extension Interceptor where Self == InterceptorClosure {
  /// Edits each request in place before it is sent.
  public static func request(_ edit: @escaping @Sendable (inout Request) async throws -> Void) -> Self { Self(edit: edit) }

  /// Edits each response in place; `recover` can return a response in place of an error.
  public static func response(
    _ edit: @escaping @Sendable (inout Response, Request) async throws -> Void,
    recover: @escaping @Sendable (any Error, Request) async throws -> Response = { error, _ in throw error }
  ) -> Self {
    Self(editResponse: edit, recovery: recover)
  }

  /// Calls the closure for each error. The closure can return a response in its place.
  public static func recover(_ recovery: @escaping @Sendable (any Error, Request) async throws -> Response) -> Self {
    Self(recovery: recovery)
  }
}

public import FaradayCore

/// Something that ``Interceptors`` runs: a ``RequestInterceptor``, a ``ResponseInterceptor``, or both.
public protocol Interceptor: Sendable {}

/// Looks at a request before it is sent, and may change it or stop it with an error.
public protocol RequestInterceptor: Interceptor {
  /// Gives the request to send instead.
  func intercept(_ request: Request) async throws -> Request
}

/// Looks at what became of a request, and may make a success of a failure and a failure of a success.
public protocol ResponseInterceptor: Interceptor {
  /// Gives the response to go on with; throws to make it a failure. Gives the same response by default.
  func intercept(_ response: Response, for request: Request) async throws -> Response
  /// Gives a response in the place of the error, or throws one. Throws the same error by default.
  ///
  /// Where an earlier interceptor has made the failure, its response is to be had from the error if that brings it along, as
  /// an ``FaradayCore/UnexpectedStatus`` does. Not called for a `CancellationError`.
  func recover(from error: any Error, for request: Request) async throws -> Response
}

extension ResponseInterceptor {
  public func intercept(_ response: Response, for request: Request) async throws -> Response { response }
  public func recover(from error: any Error, for request: Request) async throws -> Response { throw error }
}

/// A request interceptor made of one closure.
public struct RequestInterceptorClosure: RequestInterceptor {
  private let edit: @Sendable (inout Request) async throws -> Void

  public init(_ edit: @escaping @Sendable (inout Request) async throws -> Void) { self.edit = edit }

  public func intercept(_ request: Request) async throws -> Request {
    var request = request
    try await edit(&request)
    return request
  }
}

/// A response interceptor made of closures.
public struct ResponseInterceptorClosure: ResponseInterceptor {
  private let edit: @Sendable (inout Response, Request) async throws -> Void
  private let recovery: @Sendable (any Error, Request) async throws -> Response

  public init(
    _ edit: @escaping @Sendable (inout Response, Request) async throws -> Void,
    recover recovery: @escaping @Sendable (any Error, Request) async throws -> Response = { error, _ in throw error }
  ) {
    self.edit = edit
    self.recovery = recovery
  }

  public func intercept(_ response: Response, for request: Request) async throws -> Response {
    var response = response
    try await edit(&response, request)
    return response
  }

  public func recover(from error: any Error, for request: Request) async throws -> Response {
    try await recovery(error, request)
  }
}

extension Interceptor where Self == RequestInterceptorClosure {
  /// Edits each request in place before it is sent.
  public static func request(_ edit: @escaping @Sendable (inout Request) async throws -> Void) -> Self { Self(edit) }
}

extension Interceptor where Self == ResponseInterceptorClosure {
  /// Edits each response in place; `recover` gives a response in the place of an error.
  public static func response(
    _ edit: @escaping @Sendable (inout Response, Request) async throws -> Void,
    recover: @escaping @Sendable (any Error, Request) async throws -> Response = { error, _ in throw error }
  ) -> Self {
    Self(edit, recover: recover)
  }

  /// Gives a response in the place of an error.
  public static func recover(_ recovery: @escaping @Sendable (any Error, Request) async throws -> Response) -> Self {
    Self({ _, _ in }, recover: recovery)
  }
}

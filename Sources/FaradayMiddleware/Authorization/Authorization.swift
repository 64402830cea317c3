public import FaradayCore

/// Adds an `Authorization` header to every request that has none.
///
///     connection.use(.authorization(.bearer(token)))
///     try await connection.get("other") { try $0.headers.authorize(.basic(user: "ada", password: "secret")) }
///
/// A cross-origin request gets no credentials: see ``FaradayCore/Request/isCrossOrigin``. A provider below a middleware that
/// sends a request several times, such as ``Retry`` or ``Redirects``, is called for each attempt. Throws
/// ``FaradayCore/InvalidValueError`` for credentials that are not valid in a header field, and the errors of the provider;
/// nothing is sent then. ``TokenRefresh`` refreshes a token after a 401.
public struct Authorization: Middleware {
  private let provider: @Sendable (Request) async throws -> Credentials?

  /// Sends the same credentials with every request.
  public init(_ credentials: Credentials) {
    provider = { _ in credentials }
  }

  /// Calls the provider for each request; nil sends no credentials. It may be called concurrently.
  public init(provider: @escaping @Sendable (Request) async throws -> Credentials?) {
    self.provider = provider
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard !request.isCrossOrigin, request.headers[.authorization] == nil else { return try await next(request) }
    guard let credentials = try await provider(request) else { return try await next(request) }
    var request = request
    try request.headers.authorize(credentials)
    return try await next(request)
  }
}

extension Middleware where Self == Authorization {
  /// Adds these credentials to every request that has none.
  public static func authorization(_ credentials: Credentials) -> Self { Self(credentials) }

  /// Adds the provider's credentials to every request that has none.
  public static func authorization(provider: @escaping @Sendable (Request) async throws -> Credentials?) -> Self {
    Self(provider: provider)
  }
}

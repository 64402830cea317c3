public import FaradayCore

/// Sends credentials with every request of a connection that brings none of its own.
///
///     connection.use(.authorization(.bearer(token)))
///     try await connection.get("other") { try $0.headers.authorize(.basic(user: "ada", password: "secret")) }
///
/// A request that has an `Authorization` field keeps it. A foreign request gets none: see ``FaradayCore/Request/isCrossOrigin``.
/// Below a middleware that sends again, such as ``Retry``, a provider is asked for each attempt. Credentials that fit into no
/// header field throw ``FaradayCore/InvalidHeader``, and what a provider throws is thrown; nothing is sent then.
public struct Authorization: Middleware {
  private let provider: @Sendable (Request) async throws -> Credentials?

  /// The same credentials for every request.
  public init(_ credentials: Credentials) {
    provider = { _ in credentials }
  }

  /// Credentials that are asked for with each request; nil sends none.
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
  /// Sends these credentials with every request that brings none.
  public static func authorization(_ credentials: Credentials) -> Self { Self(credentials) }

  /// Asks for credentials with every request that brings none.
  public static func authorization(provider: @escaping @Sendable (Request) async throws -> Credentials?) -> Self {
    Self(provider: provider)
  }
}

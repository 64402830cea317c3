public import FaradayCore

/// Header fields for every request, each only where the request has none of that name.
///
///     connection.use(.defaultHeaders([.acceptLanguage: "cy"]))
///     connection.use(.defaultHeaders { _ in try await session.headers() })
///
/// ``FaradayCore/Connection/headers`` are for the connection's own server. These go to any, but for those that are secret
/// (``FaradayCore/Secrets``, and `Authorization`, `Proxy-Authorization` and `Cookie` always): a foreign request, see
/// ``FaradayCore/Request/isCrossOrigin``, goes without them.
public struct DefaultHeaders: Middleware {
  private let fields: @Sendable (Request) async throws -> HTTPFields

  /// The same fields for every request.
  public init(_ fields: HTTPFields) {
    self.fields = { _ in fields }
  }

  /// Fields that are asked for with each request. What the closure throws is thrown, and nothing is sent.
  public init(_ fields: @escaping @Sendable (Request) async throws -> HTTPFields) {
    self.fields = fields
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let isCrossOrigin = request.isCrossOrigin
    let secrets = request.secrets
    var complete = request
    // Asked of the request as it was: a field that is there twice is added twice.
    for field in try await fields(request) where !request.headers.contains(field.name) {
      if isCrossOrigin, secrets.isRemovedCrossOrigin(field.name) { continue }
      complete.headers.append(field)
    }
    return try await next(complete)
  }
}

extension Middleware where Self == DefaultHeaders {
  /// Adds fields to every request that has none of that name.
  public static func defaultHeaders(_ fields: HTTPFields) -> Self { Self(fields) }

  /// Asks for fields with every request, and adds those that it has not.
  public static func defaultHeaders(_ fields: @escaping @Sendable (Request) async throws -> HTTPFields) -> Self {
    Self(fields)
  }
}

public import FaradayCore

/// Adds header fields to every request that has no field of that name. ``FaradayCore/Connection/standardUserAgent`` is
/// replaced.
///
///     connection.use(.defaultHeaders([.acceptLanguage: "cy"]))
///     connection.use(.defaultHeaders { _ in try await session.headers() })
///
/// ``FaradayCore/Connection/headers`` are sent to the connection's origin only; these fields are sent to every origin. Secret
/// fields (``FaradayCore/Secrets``, and always `Authorization`, `Proxy-Authorization` and `Cookie`) are not added to a
/// cross-origin request: see ``FaradayCore/Request/isCrossOrigin``.
public struct DefaultHeaders: Middleware {
  private let fields: @Sendable (Request) async throws -> HTTPFields

  /// Adds the same fields to every request.
  public init(_ fields: HTTPFields) {
    self.fields = { _ in fields }
  }

  /// Calls the closure for the fields of each request. Its errors are thrown, and nothing is sent.
  public init(_ fields: @escaping @Sendable (Request) async throws -> HTTPFields) {
    self.fields = fields
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let isCrossOrigin = request.isCrossOrigin
    let secrets = request.secrets
    var complete = request
    let fields = try await fields(request)
    if fields.contains(.userAgent), !request.headers.hasOwn(.userAgent) { complete.headers[fields: .userAgent] = [] }
    // Checks the original request: a field that occurs twice in the list is added twice.
    for field in fields where !request.headers.hasOwn(field.name) {
      if isCrossOrigin, secrets.isRemovedCrossOrigin(field.name) { continue }
      complete.headers.append(field)
    }
    return try await next(complete)
  }
}

extension Middleware where Self == DefaultHeaders {
  /// Adds fields to every request that has none of that name.
  public static func defaultHeaders(_ fields: HTTPFields) -> Self { Self(fields) }

  /// Adds the fields that the closure returns to every request that has none of that name.
  public static func defaultHeaders(_ fields: @escaping @Sendable (Request) async throws -> HTTPFields) -> Self {
    Self(fields)
  }
}

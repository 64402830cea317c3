public import FaradayCore

/// Sets the `User-Agent` header of every request that has none (RFC 9110, section 10.1.5). It replaces
/// ``FaradayCore/Connection/standardUserAgent``. ``FaradayCore/Connection/userAgent`` sets it without a middleware.
///
///     connection.use(.userAgent("backup/2.1 (+https://example.com/backup)"))
///
/// A name with a line break or a NUL throws ``FaradayCore/InvalidValueError``, and nothing is sent.
public struct UserAgent: RequestTransformer {
  private let name: String

  /// - Parameter name: product names with versions, and comments: `backup/2.1 (Linux)`.
  public init(_ name: String) { self.name = name }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard !request.headers.hasOwn(.userAgent) else { return request }
    var request = request
    try request.headers.set(name: "User-Agent", value: name)
    return request
  }
}

extension Middleware where Self == UserAgent {
  /// Sets the `User-Agent` of every request that has none.
  public static func userAgent(_ name: String) -> Self { Self(name) }
}

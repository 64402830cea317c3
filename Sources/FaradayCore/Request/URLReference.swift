/// A path or URL of a request: a string or a `URL`.
///
///     try await connection.get("users/1")
///     try await connection.get(response.links["next"]?.url ?? start)
///
/// An absolute URL replaces the connection's base URL, as the same URL in a string does. See ``URLJoining``.
public protocol URLReference: Sendable {
  /// The path, relative reference or URL as text.
  var urlReference: String { get }
}

extension String: URLReference {
  /// The string itself.
  public var urlReference: String { self }
}

extension Substring: URLReference {
  /// The substring as a string.
  public var urlReference: String { String(self) }
}

extension URL: URLReference {
  /// The absolute URL, or the relative reference of a URL without a base.
  public var urlReference: String { absoluteString }
}

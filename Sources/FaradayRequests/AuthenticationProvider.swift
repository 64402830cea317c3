public import FaradayCore

/// Authenticates a typed request: sets its credentials after the body provider has set its headers. Header fields that it sets
/// are secret, whatever their names: they are removed from cross-origin redirects, and redacted in logs.
public struct AuthenticationProvider: Sendable {
  private let authenticate: @Sendable (inout HTTPFields) throws -> Void

  /// Calls the closure for each request, to set header fields. What it throws is thrown, and nothing is sent.
  public init(_ authenticate: @escaping @Sendable (_ headers: inout HTTPFields) throws -> Void) {
    self.authenticate = authenticate
  }

  /// Sets the header fields.
  public func update(_ headers: inout HTTPFields) throws { try authenticate(&headers) }
}

extension AuthenticationProvider {
  /// Sets no credentials.
  public static let none = AuthenticationProvider { _ in }

  /// Sets `Authorization`. Credentials that are not valid in a header field throw ``FaradayCore/InvalidHeader`` when the
  /// request is made.
  public static func credentials(_ credentials: Credentials) -> AuthenticationProvider {
    AuthenticationProvider { headers in try headers.authorize(credentials) }
  }
}

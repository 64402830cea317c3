public import FaradayCore

/// Sets the header fields that a request proves its right with, after its body provider has set its own. Fields that it sets are
/// secret, whatever their names: a redirect to another origin goes without them, and logs do not show them.
public struct AuthenticationProvider: Sendable {
  private let authenticate: @Sendable (inout HTTPFields) throws -> Void

  public init(_ authenticate: @escaping @Sendable (_ headers: inout HTTPFields) throws -> Void) {
    self.authenticate = authenticate
  }

  /// Changes the fields.
  public func update(_ headers: inout HTTPFields) throws { try authenticate(&headers) }
}

extension AuthenticationProvider {
  /// Leaves the fields as they are.
  public static let none = AuthenticationProvider { _ in }

  /// Sets `Authorization`. What does not fit in it, such as a line break, throws ``FaradayCore/InvalidHeader`` when the request is
  /// made.
  public static func credentials(_ credentials: Credentials) -> AuthenticationProvider {
    AuthenticationProvider { headers in try headers.authorize(credentials) }
  }

  /// `Authorization: Bearer` (RFC 6750).
  public static func bearerToken(_ token: String) -> AuthenticationProvider { credentials(.bearer(token)) }

  /// `Authorization: Basic` (RFC 7617).
  public static func basicAuth(username: String, password: String) -> AuthenticationProvider {
    credentials(.basic(user: username, password: password))
  }
}

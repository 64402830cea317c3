public import FaradayCore

/// Provides the credentials of a typed request: sets its header fields after the body provider has set its headers. All its
/// header fields are secret, with any names: they are removed from cross-origin redirects, and redacted in logs.
public struct CredentialsProvider: Sendable {
  private let provide: @Sendable (inout HTTPFields) throws -> Void

  /// Creates a provider. The closure is called for each request, to set header fields. Its errors are thrown, and nothing is
  /// sent.
  public init(_ provide: @escaping @Sendable (_ headers: inout HTTPFields) throws -> Void) {
    self.provide = provide
  }

  /// Sets the header fields.
  public func update(_ headers: inout HTTPFields) throws { try provide(&headers) }
}

extension CredentialsProvider {
  /// Sets no credentials.
  public static let none = CredentialsProvider { _ in }

  /// Sets `Authorization`. Credentials that are not valid in a header field throw ``FaradayCore/InvalidValueError`` when the
  /// request is built.
  public static func credentials(_ credentials: Credentials) -> CredentialsProvider {
    CredentialsProvider { headers in try headers.authorize(credentials) }
  }
}

internal import FaradayCore

/// An access key with its secret key, and the session token of temporary credentials. No description shows the secrets.
public struct AWSCredentials: Sendable, Hashable {
  /// The access key, which is sent with each request: visible ASCII characters but `/`, `,` and `=`.
  public var accessKey: String
  /// The secret key, which signs and is never sent.
  public var secretKey: String
  /// The token of temporary credentials; nil or empty for permanent ones.
  public var sessionToken: String?

  /// Creates credentials; without a session token they are permanent.
  public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The access key and ``FaradayCore/Secrets/mark``.
  public var description: String { "\(accessKey.escapingControls().bounded(to: 128)) \(Secrets.mark)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

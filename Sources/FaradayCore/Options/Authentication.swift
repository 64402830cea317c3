/// A user and password that the transport negotiates with the server: Digest, NTLM, Negotiate, which need several exchanges or belong
/// to a connection. A Basic or Bearer header needs no negotiation: see ``Credentials``.
///
///     request.options.authentication = Authentication(user: "ada", password: "secret", schemes: .digest)
///
/// The server's challenges (401) are answered within one request; the response that the adapter returns is the last one. Each request
/// is challenged anew. With one scheme that needs a challenge, a body is not sent before it has come: a server that does not challenge
/// gets the request first without its body, and then with it. Its response to the first is skipped; if it has more than 1 MiB, its
/// connection is closed. The body of a challenge that has more than 1 MiB fails the request with
/// ``TransportError/Code/bodyTooLarge``. A cross-origin request has none: it is removed when a redirect leads to another origin.
public struct Authentication: Sendable, Hashable {
  /// The user name.
  public var user: String
  /// The password.
  public var password: String
  /// The schemes that may be used: of those the server offers the strongest is chosen.
  public var schemes: AuthenticationSchemes

  /// A user and password. An empty user with ``AuthenticationSchemes/negotiate`` or ``AuthenticationSchemes/ntlm`` is the user of
  /// the process.
  public init(user: String, password: String, schemes: AuthenticationSchemes) {
    self.user = user
    self.password = password
    self.schemes = schemes
  }
}

/// Authentication schemes of HTTP. Several let the server choose: that takes a request more, which has no credentials.
public struct AuthenticationSchemes: OptionSet, Sendable, Hashable {
  /// One bit for each scheme.
  public let rawValue: Int
  /// Schemes by their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Basic (RFC 7617): user and password in clear, to be used over TLS only.
  public static let basic = AuthenticationSchemes(rawValue: 1 << 0)
  /// Digest (RFC 7616): the password is not sent, and its hash with MD5 or SHA-256 is.
  public static let digest = AuthenticationSchemes(rawValue: 1 << 1)
  /// NTLM, which authenticates a connection. Deprecated by Microsoft; HTTP/1.1 only.
  public static let ntlm = AuthenticationSchemes(rawValue: 1 << 2)
  /// Negotiate (RFC 4559): Kerberos by SPNEGO.
  public static let negotiate = AuthenticationSchemes(rawValue: 1 << 3)

  /// Every scheme.
  public static let any: AuthenticationSchemes = [.basic, .digest, .ntlm, .negotiate]
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Authentication`: neither user nor password.
  public var description: String { "Authentication" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

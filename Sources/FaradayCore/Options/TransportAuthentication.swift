/// A user and password for the schemes that the transport negotiates with the server: Digest, NTLM and Negotiate. These schemes
/// need several exchanges, or authenticate a connection. A Basic or Bearer header needs no negotiation: see ``Credentials``.
///
///     request.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
///
/// The adapter responds to the server's challenges (401) within one request, and returns the last response. Each request is
/// challenged anew. With a single scheme that needs a challenge, the body is sent only after the challenge. A server that does
/// not challenge gets the request twice: first without its body, then with it. The adapter skips the first response. If that
/// response is larger than 1 MiB, its connection is closed. A challenge whose body is larger than 1 MiB fails the request with
/// ``TransportError/Code/bodyTooLarge``. A redirect to another origin removes the credentials. Default credentials of a
/// connection are never sent cross-origin.
public struct TransportAuthentication: Sendable, Hashable {
  /// The user name.
  public var user: String
  /// The password.
  public var password: String
  /// The allowed schemes. The transport chooses the strongest one that the server offers.
  public var schemes: AuthenticationSchemes

  /// A user and password. With ``AuthenticationSchemes/negotiate`` or ``AuthenticationSchemes/ntlm``, an empty user means the
  /// user of the process.
  public init(user: String, password: String, schemes: AuthenticationSchemes) {
    self.user = user
    self.password = password
    self.schemes = schemes
  }
}

/// HTTP authentication schemes. With several schemes the server chooses, which costs one more request, without credentials.
public struct AuthenticationSchemes: OptionSet, Sendable, Hashable {
  /// One bit for each scheme.
  public let rawValue: Int
  /// Schemes by their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Basic (RFC 7617): user and password in clear text. Use it over TLS only.
  public static let basic = AuthenticationSchemes(rawValue: 1 << 0)
  /// Digest (RFC 7616): sends a hash of the password (MD5 or SHA-256), not the password.
  public static let digest = AuthenticationSchemes(rawValue: 1 << 1)
  /// NTLM, which authenticates a connection. Deprecated by Microsoft; HTTP/1.1 only.
  public static let ntlm = AuthenticationSchemes(rawValue: 1 << 2)
  /// Negotiate (RFC 4559): Kerberos by SPNEGO.
  public static let negotiate = AuthenticationSchemes(rawValue: 1 << 3)

  /// Every scheme.
  public static let any: AuthenticationSchemes = [.basic, .digest, .ntlm, .negotiate]
}

extension TransportAuthentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `TransportAuthentication`, without user and password.
  public var description: String { "TransportAuthentication" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

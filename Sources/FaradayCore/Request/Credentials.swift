/// Credentials for an `Authorization` header field: basic, bearer, `Token`, or any other scheme. `description` redacts them.
public struct Credentials: Sendable, Hashable {
  /// The value of the header field, with its scheme: a secret.
  public var value: String

  /// Credentials of any scheme: `Credentials("Digest …")`.
  public init(_ value: String) { self.value = value }

  /// Basic authentication (RFC 7617), in UTF-8. A user name with a colon cannot be sent: using the credentials throws
  /// ``InvalidValueError``, for example in ``FaradayCore/HTTPTypes/HTTPFields/authorize(_:)``.
  public static func basic(user: String, password: String) -> Credentials {
    guard !user.utf8.contains(UInt8(ascii: ":")) else { return Credentials(invalid) }
    return Credentials("Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
  }

  /// A bearer token (RFC 6750).
  public static func bearer(_ token: String) -> Credentials {
    Credentials("Bearer " + token)
  }

  /// The `Token` scheme of Ruby on Rails: `Token token=abcdef,foo=bar`, the token first and the options in order.
  public static func token(_ token: String, options: KeyValuePairs<String, String> = [:]) -> Credentials {
    let options = options.filter { $0.key != "token" }.map { ",\($0.key)=\($0.value)" }
    return Credentials("Token token=" + token + options.joined())
  }

  // A line break: setting it as a header field throws.
  private static let invalid = "\n"
}

extension HTTPFields {
  /// Sets `Authorization`. Throws ``InvalidValueError`` if the credentials contain a line break or NUL, or the basic user name
  /// a colon.
  public mutating func authorize(_ credentials: Credentials) throws {
    try set(name: "Authorization", value: credentials.value)
  }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme and ``Secrets/mark``: `Bearer [secret]`.
  public var description: String {
    guard let space = value.firstIndex(of: " "), HTTPField.Name(String(value[..<space])) != nil else { return Secrets.mark }
    return "\(value[..<space]) \(Secrets.mark)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

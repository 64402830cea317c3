/// What a request proves its right with: the value of an `Authorization` field.
public struct Credentials: Sendable, Hashable {
  /// The whole value, scheme and all. A secret.
  public var value: String

  /// A value of a scheme that has no name here.
  public init(_ value: String) { self.value = value }

  /// Basic (RFC 7617), in UTF-8. Everything before the first `:` is the user, so a user cannot have one: see
  /// ``FaradayCore/HTTPTypes/HTTPFields/authorize(_:)``.
  public static func basic(user: String, password: String) -> Credentials {
    guard !user.utf8.contains(UInt8(ascii: ":")) else { return Credentials(invalid) }
    return Credentials("Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
  }

  /// Bearer (RFC 6750).
  public static func bearer(_ token: String) -> Credentials {
    Credentials("Bearer " + token)
  }

  /// The `Token` scheme of Ruby's APIs: `Token token=abcdef,foo=bar`, the token first and the options in their order.
  public static func token(_ token: String, options: KeyValuePairs<String, String> = [:]) -> Credentials {
    let options = options.filter { $0.key != "token" }.map { ",\($0.key)=\($0.value)" }
    return Credentials("Token token=" + token + options.joined())
  }

  // A line break is refused wherever it comes to a header.
  private static let invalid = "\n"
}

extension HTTPFields {
  /// Sets `Authorization`. Throws ``InvalidHeader`` for credentials that do not fit in it: a line break or a NUL anywhere, a
  /// colon in the name of a Basic user.
  public mutating func authorize(_ credentials: Credentials) throws {
    try set("Authorization", credentials.value)
  }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme alone, if there is one.
  public var description: String {
    guard let space = value.firstIndex(of: " "), HTTPField.Name(String(value[..<space])) != nil else { return Secrets.mark }
    return "\(value[..<space]) \(Secrets.mark)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

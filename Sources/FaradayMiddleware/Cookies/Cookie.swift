public import FaradayCore

/// A cookie as a ``CookieJar`` keeps it (RFC 6265bis, section 5.7). Its value is a secret: no description shows it.
public struct Cookie: Sendable, Hashable, Codable {
  /// May be empty; then only the value is sent.
  public var name: String
  public var value: String
  /// The host it came from, or the domain it is for, in lower case and ASCII.
  public var domain: String
  /// Whether it goes to that very host alone, and not to those below it too.
  public var isHostOnly: Bool
  /// Where it goes: to this path and what lies below it.
  public var path: String
  /// When it ends; nil ends with the session.
  public var expires: Date?
  /// Whether it goes over `https` only.
  public var isSecure: Bool
  /// Whether browsers keep it from scripts. There are none here: kept, and of no effect.
  public var isHTTPOnly: Bool
  /// Which requests of other sites' pages it goes with. There are no pages here: kept, and of no effect.
  public var sameSite: SameSite?
  /// When a cookie of this name, domain and path was set first.
  public var created: Date
  /// When it was sent last, or set.
  public var lastUsed: Date

  public enum SameSite: String, Sendable, Hashable, Codable {
    case strict = "Strict", lax = "Lax", everywhere = "None"
  }

  /// - Parameter isHostOnly: false lets it go to every host in the domain.
  public init(
    _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Date? = nil,
    isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil, created: Date = Date()
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
    self.created = created
    lastUsed = created
  }

  /// As it stands in a `Cookie` field.
  var pair: String { name.isEmpty ? value : name + "=" + value }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether a path is the cookie's or lies below it (section 5.1.4).
  static func path(_ path: String, liesIn cookiePath: String) -> Bool {
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// As `Set-Cookie` would have it, with a mark for the value.
  public var description: String {
    let name = name.isEmpty ? "" : CookieRefused.printable(name) + "="
    var text = name + Secrets.mark + "; Path=" + CookieRefused.printable(path)
    text += isHostOnly ? " (of \(CookieRefused.printable(domain)))" : "; Domain=" + CookieRefused.printable(domain)
    if let expires { text += "; Expires=\(expires.formatted(.iso8601))" }
    if isSecure { text += "; Secure" }
    if isHTTPOnly { text += "; HttpOnly" }
    if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
    return text
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A cookie that may not be kept, and why. The value is not in it.
public struct CookieRefused: FaradayError, Hashable {
  /// The cookie's name, control characters escaped, at most 64 bytes of it; empty where there is none.
  public let name: String
  public let reason: String

  init(_ name: some StringProtocol, _ reason: String) {
    self.name = Self.printable(String(decoding: name.utf8.prefix(64), as: UTF8.self))
    self.reason = reason
  }

  public var description: String { "cookie \(name.isEmpty ? "without a name" : name): \(reason)" }

  static func printable(_ text: String) -> String {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? text : text.debugDescription
  }
}

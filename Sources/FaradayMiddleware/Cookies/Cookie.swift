public import FaradayCore

/// A cookie with its attributes, as a ``CookieJar`` stores it (RFC 6265bis, section 5.7). Its value is a secret: no description
/// shows it.
public struct Cookie: Sendable, Hashable, Codable {
  /// The name. May be empty; then only the value is sent.
  public var name: String
  /// The value.
  public var value: String
  /// The host that set it, or its `Domain`: a lowercase ASCII host name.
  public var domain: String
  /// Whether it is sent to that very host only, and not to its subdomains.
  public var isHostOnly: Bool
  /// It is sent to this path and everything below it.
  public var path: String
  /// When it expires; nil for a session cookie.
  public var expires: Date?
  /// Whether it is sent over `https` only.
  public var isSecure: Bool
  /// The `HttpOnly` attribute, which hides it from scripts. There are none here: stored, without effect.
  public var isHTTPOnly: Bool
  /// The `SameSite` attribute, which restricts cross-site requests. There are no pages here: stored, without effect.
  public var sameSite: SameSite?
  /// When a cookie of this name, domain and path was first set.
  public var created: Date
  /// When it was last sent or set.
  public var lastUsed: Date

  /// A value of the `SameSite` attribute.
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// Sent with same-site requests only.
    case strict = "Strict"
    /// Sent with same-site requests and top-level navigation.
    case lax = "Lax"
    /// `SameSite=None`: sent with all requests. As `none`, an optional would take it for nil.
    case everywhere = "None"
  }

  /// - Parameter isHostOnly: false sends it to all subdomains of the domain too.
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

  /// As it stands in a `Cookie` header.
  var pair: String { name.isEmpty ? value : name + "=" + value }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether a path is the cookie's or below it: path-match (section 5.1.4).
  static func path(_ path: String, liesIn cookiePath: String) -> Bool {
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// As a `Set-Cookie` header, with ``FaradayCore/Secrets/mark`` for the value.
  public var description: String {
    let name = name.isEmpty ? "" : CookieRejected.printable(name) + "="
    var text = name + Secrets.mark + "; Path=" + CookieRejected.printable(path)
    text += isHostOnly ? " (of \(CookieRejected.printable(domain)))" : "; Domain=" + CookieRejected.printable(domain)
    if let expires { text += "; Expires=\(expires.formatted(.iso8601))" }
    if isSecure { text += "; Secure" }
    if isHTTPOnly { text += "; HttpOnly" }
    if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
    return text
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A cookie that was not stored, and why. The cookie's value is not in it.
public struct CookieRejected: FaradayError, Hashable {
  /// The cookie's name, control characters escaped, at most 64 bytes of it; empty where there is none.
  public let name: String
  /// Why it was not stored: `its domain is a public suffix`.
  public let reason: String

  init(_ name: some StringProtocol, _ reason: String) {
    self.name = Self.printable(String(decoding: name.utf8.prefix(64), as: UTF8.self))
    self.reason = reason
  }

  public var description: String { "cookie \(name.isEmpty ? "without a name" : name) was rejected: \(reason)" }

  static func printable(_ text: String) -> String {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? text : text.debugDescription
  }
}

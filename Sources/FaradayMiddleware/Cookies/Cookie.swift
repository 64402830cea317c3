public import FaradayCore

/// A cookie with its attributes, as a ``CookieJar`` stores it (RFC 6265bis, section 5.7). Its value is a secret: no description
/// shows it.
///
/// Name and value are bytes, because a server can use any encoding. It receives the same bytes that it set. Two names are equal
/// if their bytes are equal. Encoding writes each as a string, or as an array of numbers if it is not UTF-8.
public struct Cookie: Sendable, Hashable, Codable {
  private var nameOctets: Octets
  private var valueOctets: Octets
  /// The host that set it, or its `Domain`: a lowercase ASCII host name.
  public var domain: String
  /// Whether it is sent to exactly that host, not to its subdomains.
  public var isHostOnly: Bool
  /// The path to which it is sent, including everything below it.
  public var path: String
  /// The expiry date; nil for a session cookie.
  public var expires: Date?
  /// Whether it is sent over `https` only.
  public var isSecure: Bool
  /// The `HttpOnly` attribute, which hides the cookie from scripts. It is stored without effect, because there are no scripts
  /// here.
  public var isHTTPOnly: Bool
  /// The `SameSite` attribute, which restricts cross-site requests. It is stored without effect, because there are no pages
  /// here.
  public var sameSite: SameSite?
  /// The date at which a cookie of this name, domain and path was first set.
  public var created: Date
  /// The date at which it was last sent or set.
  public var lastUsed: Date

  private enum CodingKeys: String, CodingKey {
    case nameOctets = "name"
    case valueOctets = "value"
    case domain, isHostOnly, path, expires, isSecure, isHTTPOnly, sameSite, created, lastUsed
  }

  /// A value of the `SameSite` attribute.
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// Sent with same-site requests only.
    case strict = "Strict"
    /// Sent with same-site requests and top-level navigation.
    case lax = "Lax"
    /// `SameSite=None`: sent with all requests. Not named `none`, because that is nil for an optional.
    case unrestricted = "None"
  }

  /// - Parameter isHostOnly: if false, the cookie is sent to all subdomains of the domain too.
  public init(
    _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Date? = nil,
    isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil, created: Date = Date()
  ) {
    nameOctets = Octets(name.utf8)
    valueOctets = Octets(value.utf8)
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

  /// The name. May be empty; then only the value is sent. Bytes that are not UTF-8 are replaced with U+FFFD: ``nameBytes`` has them.
  public var name: String {
    get { nameOctets.text }
    set { nameOctets.text = newValue }
  }

  /// The value. Bytes that are not UTF-8 are replaced with U+FFFD: ``valueBytes`` has them.
  public var value: String {
    get { valueOctets.text }
    set { valueOctets.text = newValue }
  }

  /// The name as it is sent.
  public var nameBytes: [UInt8] {
    get { nameOctets.bytes }
    set { nameOctets.bytes = newValue }
  }

  /// The value as it is sent.
  public var valueBytes: [UInt8] {
    get { valueOctets.bytes }
    set { valueOctets.bytes = newValue }
  }

  /// The cookie in the form of a `Cookie` header.
  var pair: [UInt8] { nameBytes.isEmpty ? valueBytes : nameBytes + [UInt8(ascii: "=")] + valueBytes }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether a path equals the cookie's path or is below it: path-match (section 5.1.4).
  static func path(_ path: String, liesIn cookiePath: String) -> Bool {
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The cookie in the form of a `Set-Cookie` header, with ``FaradayCore/Secrets/mark`` for the value.
  public var description: String {
    let name = name.isEmpty ? "" : CookieError.printable(name) + "="
    var text = name + Secrets.mark + "; Path=" + CookieError.printable(path)
    text += isHostOnly ? " (of \(CookieError.printable(domain)))" : "; Domain=" + CookieError.printable(domain)
    if let expires { text += "; Expires=\(expires.formatted(.iso8601))" }
    if isSecure { text += "; Secure" }
    if isHTTPOnly { text += "; HttpOnly" }
    if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
    return text
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The error of a cookie that was not stored. It does not contain the cookie's value.
public struct CookieError: FaradayError, Hashable {
  /// The cookie's name, with control characters escaped, truncated to 64 bytes; empty if there is no name.
  public let name: String
  /// The reason why it was not stored: `its domain is a public suffix`.
  public let reason: String

  init(_ name: some Collection<UInt8>, _ reason: String) {
    self.name = Self.printable(String(decoding: name.prefix(64), as: UTF8.self))
    self.reason = reason
  }

  public var description: String { "cookie \(name.isEmpty ? "without a name" : name) was rejected: \(reason)" }

  static func printable(_ text: String) -> String {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? text : text.debugDescription
  }
}

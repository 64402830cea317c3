internal import FaradayCore

extension Cookie {
  /// Where a cookie comes from or goes to.
  struct Place {
    let host: String
    let path: String
    /// Whether cookies that are for `https` only may be set here, and come here.
    let isSecure: Bool

    /// Nil for a URL to which no request can be sent.
    init?(_ url: URL, trustsLoopback: Bool) {
      guard let host = CookieHost.canonical(url) else { return nil }
      self.host = host
      let path = url.path(percentEncoded: true)
      self.path = path.hasPrefix("/") ? path : "/"
      isSecure = url.scheme?.lowercased() == "https" || trustsLoopback && CookieHost.isLoopback(host)
    }

    /// The path up to its last slash (RFC 6265bis, section 5.1.4).
    var defaultPath: String {
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
      return String(path[..<slash])
    }
  }

  /// Reads a `Set-Cookie` field (section 5.6) as a cookie of that place (section 5.7), and checks it.
  init(
    parsing field: String, from place: Place, suffixes: PublicSuffixes, now: Date
  ) throws(CookieRefused) {
    var parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { Substring($0) }[...]
    let (first, second) = Self.halves(parts.popFirst() ?? "")
    // Without an equals sign it is a value.
    let (name, value) = second.map { (first, $0) } ?? ("", first)
    guard !Self.hasControl(field) else { throw CookieRefused(name, "there is a control character in it") }
    self.init(name, value, domain: place.host, path: place.defaultPath, created: now)

    var hasAge = false
    var namesPath = false
    var domain = ""
    for part in parts {
      let (attribute, text) = Self.halves(part)
      let value = text ?? ""
      guard value.utf8.count <= Self.maximumAttributeSize else { continue }
      switch attribute.lowercased() {
      case "max-age":
        guard let age = Self.age(value) else { continue }
        expires = age > 0 ? now.addingTimeInterval(min(age, Self.maximumAge)) : .distantPast
        hasAge = true
      case "expires":
        // Max-Age counts, wherever it stands.
        guard !hasAge, let date = HTTPDate.parse(value) else { continue }
        expires = min(date, now.addingTimeInterval(Self.maximumAge))
      case "domain": domain = value
      case "path":
        path = value.utf8.first == UInt8(ascii: "/") ? value : place.defaultPath
        namesPath = true
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "samesite": sameSite = Self.sameSite(value)
      default: continue
      }
    }
    try setDomain(domain, from: place, suffixes: suffixes)
    guard !isSecure || place.isSecure else { throw CookieRefused(name, "it is for https, and did not come over it") }
    try check(suffixes, namesPath: namesPath)
  }

  private mutating func setDomain(
    _ attribute: String, from place: Place, suffixes: PublicSuffixes
  ) throws(CookieRefused) {
    guard attribute.utf8.allSatisfy({ $0 < 0x80 }) else { throw CookieRefused(name, "its domain is not in ASCII") }
    let domain = CookieHost.withoutBrackets(attribute.hasPrefix(".") ? attribute.dropFirst() : attribute[...]).lowercased()
    guard !domain.isEmpty else { return }
    guard CookieHost.matches(place.host, domain: domain) else { throw CookieRefused(name, "it is for another domain") }
    // An address has nothing below it, and below a public suffix are strangers.
    if domain == place.host, CookieHost.isAddress(domain) || suffixes.isShared(domain) { return }
    self.domain = domain
    isHostOnly = false
  }

  /// What stands before and after the first equals sign, without the spaces around.
  private static func halves(_ text: Substring) -> (String, String?) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (text.trimming(), nil) }
    return (text[..<equals].trimming(), text[text.utf8.index(after: equals)...].trimming())
  }

  /// Seconds; nil for what is no whole number.
  private static func age(_ text: String) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
    return Double(text)
  }

  private static func sameSite(_ text: String) -> SameSite? {
    switch text.lowercased() {
    case "strict": .strict
    case "lax": .lax
    case "none": .everywhere
    default: nil
    }
  }
}

internal import FaradayCore

extension Cookie {
  /// The host, path and security of a URL, which decide which cookies it can set and receive.
  struct Place {
    let host: String
    let path: String
    /// Whether cookies with `Secure` can be set by and sent to this URL.
    let isSecure: Bool

    /// Returns nil for a URL without a valid host.
    init?(_ url: URL, trustsLoopback: Bool) {
      guard let host = CookieHost.canonical(url) else { return nil }
      self.host = host
      let path = url.path(percentEncoded: true)
      self.path = path.hasPrefix("/") ? path : "/"
      isSecure = url.scheme?.lowercased() == "https" || trustsLoopback && CookieHost.isLoopback(host)
    }

    /// The default path of a cookie: up to the last slash (RFC 6265bis, section 5.1.4).
    var defaultPath: String {
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
      return String(path[..<slash])
    }
  }

  /// Parses a `Set-Cookie` field (section 5.6) of a response from that place (section 5.7), and checks the cookie.
  init(
    parsing field: [UInt8], from place: Place, suffixes: PublicSuffixes, now: Date
  ) throws(CookieError) {
    var parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
    let (first, second) = Self.halves(parts.popFirst() ?? [])
    // Without an equals sign the text is a value.
    let (name, value) = second.map { (first, $0) } ?? ([], first)
    guard !Self.hasControl(field) else { throw CookieError(name, "it contains a control character") }
    self.init("", "", domain: place.host, path: place.defaultPath, created: now)
    (nameBytes, valueBytes) = (Array(name), Array(value))

    var hasAge = false
    var namesPath = false
    var domain = ""
    for part in parts {
      let (attribute, text) = Self.halves(part)
      guard text?.count ?? 0 <= Self.maximumAttributeSize else { continue }
      let value = String(decoding: text ?? [], as: UTF8.self)
      switch String(decoding: attribute, as: UTF8.self).lowercased() {
      case "max-age":
        guard let age = Self.age(value) else { continue }
        expires = age > 0 ? now.addingTimeInterval(min(age, Self.maximumAge)) : .distantPast
        hasAge = true
      case "expires":
        // Max-Age takes precedence, at any position.
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
    guard !isSecure || place.isSecure else { throw CookieError(name, "it is Secure, and was not set over https") }
    try check(suffixes, namesPath: namesPath)
  }

  private mutating func setDomain(
    _ attribute: String, from place: Place, suffixes: PublicSuffixes
  ) throws(CookieError) {
    guard attribute.utf8.allSatisfy({ $0 < 0x80 }) else { throw CookieError(nameBytes, "its Domain is not ASCII") }
    let domain = CookieHost.withoutBrackets(attribute.hasPrefix(".") ? attribute.dropFirst() : attribute[...]).lowercased()
    guard !domain.isEmpty else { return }
    guard CookieHost.matches(place.host, domain: domain) else {
      throw CookieError(nameBytes, "its Domain does not include the host that set it")
    }
    // An address has no subdomains, and the subdomains of a public suffix belong to different owners.
    if domain == place.host, CookieHost.isAddress(domain) || suffixes.isShared(domain) { return }
    self.domain = domain
    isHostOnly = false
  }

  /// Splits the text at the first equals sign into name and value, trimmed. The value is nil if there is no equals sign.
  private static func halves(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return (text.trimming(), nil) }
    return (text[..<equals].trimming(), text[(equals + 1)...].trimming())
  }

  /// Parses seconds; nil if the text is not a whole number.
  private static func age(_ text: String) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
    return Double(text)
  }

  private static func sameSite(_ text: String) -> SameSite? {
    switch text.lowercased() {
    case "strict": .strict
    case "lax": .lax
    case "none": .unrestricted
    default: nil
    }
  }
}

/// The rule for joining a path to a connection's base URL.
public enum URLJoining: Sendable, Hashable {
  /// Resolves a relative reference, as browsers resolve links (RFC 3986, section 5): `users` becomes `/v2/users` on
  /// `https://host/v2/` but `/users` on `https://host/v2`; `/users` replaces the whole path on both, and an absolute URL
  /// replaces the whole base URL.
  case resolve
  /// Appends the path to the base URL's path: `users` and `/users` on `https://host/v2` are both `/v2/users`. Both queries are
  /// kept. An absolute URL is rejected; after a slash it is a part of the path.
  case append

  /// The joined URL; nil if the result is not a URL.
  public func join(_ path: String, to base: URL) -> URL? {
    guard !path.isEmpty else { return base }
    switch self {
    case .resolve: return URL(text: path, relativeTo: base)?.absoluteURL
    case .append: return append(path, to: base)
    }
  }

  private func append(_ path: String, to base: URL) -> URL? {
    var joined = URLParts(base.absoluteString)
    let added = URLParts(URL.encoded(path))
    guard !added.isAbsolute else { return nil }
    // A host in the path becomes a part of the path: the result is always same-origin.
    let right = added.place.hasPrefix("/") ? added.place.dropFirst() : added.place[...]
    if !right.isEmpty { joined.path = (joined.path.hasSuffix("/") ? joined.path.dropLast() : joined.path) + "/" + right }
    let queries = [joined.query, added.query].compactMap { $0 }.filter { !$0.isEmpty }
    joined.query = queries.isEmpty ? nil : queries.joined(separator: "&")[...]
    joined.fragment = added.fragment
    return URL(string: joined.description)
  }
}

extension URLJoining {
  /// The URL of a request: the path joined to the base URL, or the path as a URL if there is no base URL.
  ///
  /// Throws ``InvalidValueError`` for a path with a variable, and ``TransportError`` for a text that is neither a path nor an
  /// `http` or `https` URL.
  package func url(of path: String, at base: URL?, for method: HTTPRequest.Method, _ secrets: Secrets) throws -> URL {
    let template = PathTemplate(path)
    if let name = template.firstVariable {
      throw InvalidValueError(InvalidValueError(path: .missing(name), template: path), method: method, baseURL: base, secrets)
    }
    return try url(ofExpanded: path, at: base, for: method, secrets)
  }

  /// The URL of a request whose path variables are expanded.
  package func url(ofExpanded path: String, at base: URL?, for method: HTTPRequest.Method, _ secrets: Secrets) throws -> URL {
    func fail(_ code: TransportError.Code, _ message: String) -> TransportError {
      TransportError(code, invalidURL: path, method: method, secrets: secrets, message)
    }
    let isAppended = self == .append && base != nil
    if !isAppended, URLParts.hasOtherScheme(path) {
      throw fail(
        .unsupportedScheme,
        "the path begins with a scheme that is neither http nor https: write `./` before a colon in its first segment")
    }
    if isAppended, URLParts(path).isAbsolute {
      throw fail(.invalidURL, "an absolute URL cannot be appended to the base URL: use `joining: .resolve`, or a path")
    }
    guard let url = base.map({ join(path, to: $0) }) ?? URL(text: path) else { throw fail(.invalidURL, "not a valid URL") }
    return url
  }
}

extension URL {
  /// The URL or relative reference in a text. Characters that a path, query or fragment must not have are percent-encoded (RFC
  /// 3986, section 2.1); Escapes are kept, while Foundation would encode them twice. Nil if the userinfo has an unescaped `@`,
  /// as in `http://user@example.com:80@host`, because parsers disagree about the host. Foundation would encode the `@`.
  package init?(text: some StringProtocol, relativeTo base: URL? = nil) {
    guard !text.utf8.contains(UInt8(ascii: "@")) || !URLParts(text).hasAmbiguousHost else { return nil }
    self.init(string: Self.encoded(text), relativeTo: base)
  }

  /// The text, percent-encoded to ASCII except for its host.
  package static func encoded(_ text: some StringProtocol) -> String {
    // The common case: nothing to encode.
    guard !text.utf8.allSatisfy(isAllowed) else { return String(text) }
    let parts = URLParts(text)
    guard parts.hasAuthority else { return encoded(bytes: text.utf8) }
    let authority = parts.start + parts.user + parts.host
    return String(authority) + encoded(bytes: text.utf8.dropFirst(authority.utf8.count))
  }

  private static func encoded(bytes: some Collection<UInt8>) -> String {
    var rest = Array(bytes)[...]
    var encoded: [UInt8] = []
    encoded.reserveCapacity(rest.count * 2)
    var isInFragment = false
    while let byte = rest.popFirst() {
      let isFirstHash = byte == UInt8(ascii: "#") && !isInFragment
      if isFirstHash { isInFragment = true }
      if isFirstHash || isAllowed(byte) || (byte == UInt8(ascii: "%") && beginsWithDigits(rest)) {
        encoded.append(byte)
      } else {
        encoded += QueryParameters.escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func beginsWithDigits(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= 2 && bytes.prefix(2).allSatisfy(\.isHexDigit)
  }

  /// Whether the byte is allowed in a path, query or fragment: an unreserved character, a sub-delim, or one of `:@/?` (RFC
  /// 3986, section 3.3).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    // The ranges are contiguous in ASCII: `&'()*+,-./`, digits, `:;`; and `?@` with the capitals.
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "?")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

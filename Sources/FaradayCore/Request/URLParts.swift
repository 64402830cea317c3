/// The components of a URL or relative reference, split as in RFC 3986, appendix B, byte by byte. The components are not
/// validated, decoded or normalized: `description` is the original text.
package struct URLParts: Sendable {
  /// The scheme with its colon and slashes: `http://`, `//`, `mailto:`; may be empty.
  package var start: Substring
  /// The userinfo with its `@`, the last `@` in the authority.
  package var user: Substring
  /// The host and port.
  package var host: Substring
  /// The path, with its leading slash if it has one.
  package var path: Substring
  /// The query without the `?`; nil if there is none.
  package var query: Substring?
  /// The fragment without the `#`; nil if there is none.
  package var fragment: Substring?

  package init(_ text: some StringProtocol) {
    // Byte by byte: a delimiter and a combining accent after it are one `Character`.
    var rest = Substring(text).utf8
    fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
    query = Self.cut(&rest, at: UInt8(ascii: "?"))
    let afterScheme = rest[Self.endOfScheme(in: rest)...]
    let hasAuthority = afterScheme.starts(with: "//".utf8)
    let hierarchy = hasAuthority ? afterScheme.dropFirst(2) : afterScheme
    let authority = hasAuthority ? hierarchy.prefix { $0 != UInt8(ascii: "/") } : hierarchy.prefix(0)
    let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) } ?? authority.startIndex
    start = Substring(rest[..<authority.startIndex])
    user = Substring(authority[..<hostStart])
    host = Substring(authority[hostStart...])
    path = Substring(hierarchy[authority.endIndex...])
  }

  /// The text before the query.
  package var place: String { String(start + user + host + path) }

  /// Whether the userinfo has an unescaped `@`, which RFC 3986, section 3.2.1, forbids: parsers disagree about the host.
  package var hasAmbiguousHost: Bool { user.utf8.dropLast().contains(UInt8(ascii: "@")) }

  /// Whether there is an authority, even an empty one.
  package var hasAuthority: Bool { start.utf8.last == UInt8(ascii: "/") }

  /// Whether there is a scheme followed by a slash, as in an absolute URL: `https://host`.
  package var isAbsolute: Bool { !start.isEmpty && (hasAuthority ? start.utf8.count > 2 : path.utf8.first == UInt8(ascii: "/")) }

  /// Whether a text begins with a scheme that is not `http` or `https` (RFC 3986, section 4.2): `projects:search`.
  package static func hasOtherScheme(_ text: String) -> Bool {
    let delimiters = text.utf8.firstIndex { ":/?#".utf8.contains($0) }
    guard let end = delimiters, text.utf8[end] == UInt8(ascii: ":") else { return false }
    let scheme = text[..<end].lowercased()
    return scheme != "http" && scheme != "https"
  }

  /// Removes dot segments from an absolute path (RFC 3986, section 5.2.4).
  package mutating func removeDotSegments() {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    guard segments.first == "", segments.contains(where: { $0 == "." || $0 == ".." }) else { return }
    var kept: [Substring] = []
    for segment in segments.dropFirst() {
      if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
    }
    // A path with a trailing dot segment keeps a trailing slash.
    if let last = segments.last, last == "." || last == ".." { kept.append("") }
    path = "/\(kept.joined(separator: "/"))"
  }

  /// Removes the delimiter and the text after it, and returns this text.
  private static func cut(_ text: inout Substring.UTF8View, at sign: UInt8) -> Substring? {
    guard let index = text.firstIndex(of: sign) else { return nil }
    defer { text = text[..<index] }
    return Substring(text[text.index(after: index)...])
  }

  /// The index after the scheme's colon; the start if there is no scheme.
  private static func endOfScheme(in text: Substring.UTF8View) -> Substring.Index {
    guard let end = text.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
      text[end] == UInt8(ascii: ":"), end > text.startIndex
    else { return text.startIndex }
    return text.index(after: end)
  }
}

extension URLParts: CustomStringConvertible {
  package var description: String { place + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }
}

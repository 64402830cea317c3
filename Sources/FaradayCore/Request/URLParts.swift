/// A URL or a reference, cut where RFC 3986, appendix B, cuts it: byte by byte, and nothing is checked, decoded or lost. Put
/// together again it is the text.
package struct URLParts: Sendable {
  /// Scheme and slashes: `http://`, `//`, `mailto:`; empty if there are neither.
  package var start: Substring
  /// User, password and `@`, the last one that is in the authority.
  package var user: Substring
  /// Host and port.
  package var host: Substring
  /// With its leading slash, if it has one.
  package var path: Substring
  /// Without the `?`; nil where there is none.
  package var query: Substring?
  /// Without the `#`; nil where there is none.
  package var fragment: Substring?

  package init(_ text: some StringProtocol) {
    // Byte by byte: with an accent behind it, a sign is another `Character`.
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

  /// All before the query.
  package var place: String { String(start + user + host + path) }

  /// Whether there is a host, be it an empty one.
  package var hasAuthority: Bool { start.utf8.last == UInt8(ascii: "/") }

  /// Takes the sign and what stands behind it away, and gives the latter.
  private static func cut(_ text: inout Substring.UTF8View, at sign: UInt8) -> Substring? {
    guard let index = text.firstIndex(of: sign) else { return nil }
    defer { text = text[..<index] }
    return Substring(text[text.index(after: index)...])
  }

  /// Behind the colon of the scheme.
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

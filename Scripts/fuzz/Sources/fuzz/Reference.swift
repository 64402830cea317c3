/// A URI or a reference in its five components, and what it leads to: RFC 3986, section 5, written down once more.
struct Reference {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Appendix B.
  init(_ text: String) {
    var rest = Array(text.utf8)[...]
    func cut(behind sign: Character) -> String? {
      guard let index = rest.firstIndex(of: sign.asciiValue ?? 0) else { return nil }
      defer { rest = rest[..<index] }
      return String(decoding: rest[(index + 1)...], as: UTF8.self)
    }
    fragment = cut(behind: "#")
    query = cut(behind: "?")
    if let end = rest.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }), rest[end] == UInt8(ascii: ":"),
      end > rest.startIndex
    {
      scheme = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
    }
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[end...]
    }
    path = String(decoding: rest, as: UTF8.self)
  }

  /// Section 3.1.
  static func isScheme(_ text: String) -> Bool {
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
  }

  /// Whether its scheme is one, and its host a name with a port that can be one or without.
  var isOrdinary: Bool {
    guard scheme.map(Self.isScheme) ?? true else { return false }
    guard let authority = place.authority else { return true }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    let isPort = parts.count == 1 || parts.count == 2 && UInt16(parts[1]) != nil && parts[1].utf8.first != UInt8(ascii: "+")
    return isPort && parts[0].utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || "0123456789-.".utf8.contains($0) }
  }

  /// Section 5.2.2, strict.
  func resolved(against base: Reference) -> Reference {
    var target = self
    if scheme != nil || authority != nil {
      target.scheme = scheme ?? base.scheme
      target.path = Self.removingDotSegments(path)
      return target
    }
    target.scheme = base.scheme
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else {
      target.path = Self.removingDotSegments(path.hasPrefix("/") ? path : merged(with: base))
    }
    return target
  }

  /// Section 5.2.3.
  private func merged(with base: Reference) -> String {
    if base.authority != nil, base.path.isEmpty { return "/" + path }
    return (base.path.lastIndex(of: "/").map { String(base.path[...$0]) } ?? "") + path
  }

  /// Section 5.2.4.
  static func removingDotSegments(_ path: String) -> String {
    var input = path[...]
    var output = ""
    while !input.isEmpty {
      if input.hasPrefix("../") || input.hasPrefix("./") {
        input = input.drop { $0 != "/" }.dropFirst()
      } else if input.hasPrefix("/./") || input == "/." {
        input = "/" + input.dropFirst(3)
      } else if input.hasPrefix("/../") || input == "/.." {
        input = "/" + input.dropFirst(4)
        output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? ""
      } else if input == "." || input == ".." {
        input = ""
      } else {
        let segment = input.prefix(1) + input.dropFirst().prefix { $0 != "/" }
        output += segment
        input = input.dropFirst(segment.count)
      }
    }
    return output
  }

  /// Section 5.3.
  var text: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
      + (fragment.map { "#" + $0 } ?? "")
  }

  /// User and password, without the `@`.
  var user: String? {
    guard let authority, let at = authority.lastIndex(of: "@") else { return nil }
    return String(authority[..<at])
  }

  /// Without user and password, and without a colon that no port follows (section 6.2.3).
  var place: Reference {
    var reference = self
    guard var authority else { return self }
    if let at = authority.lastIndex(of: "@") { authority = String(authority[at...].dropFirst()) }
    if authority.hasSuffix(":") { authority.removeLast() }
    reference.authority = authority
    return reference
  }

  /// Scheme, host and port in lower case, the port always there.
  var origin: String {
    let scheme = scheme?.lowercased() ?? ""
    var host = (place.authority ?? "").lowercased()
    let port = host.lastIndex(of: ":").map { host[host.index(after: $0)...] }
    if let port, !port.contains("]") { host.removeLast(port.count + 1) }
    let isPort = port.map { !$0.isEmpty && !$0.contains("]") } ?? false
    return "\(scheme)://\(host):\(isPort ? port.map(String.init) ?? "" : scheme == "https" ? "443" : "80")"
  }
}

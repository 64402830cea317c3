/// Removes user names and passwords (userinfo) from URLs, even from malformed URLs.
enum Userinfo {
  /// Removes the userinfo of RFC 3986 from an unambiguous URL. From an ambiguous text it removes everything before the last
  /// `@`, except the scheme with its slashes: parsers differ, and each `@` may end a password (`http:/user:pw@h`, `user:pw@h`,
  /// `http://user:p/w@h`, `http:\\user:pw@h`).
  ///
  /// A password that looks like a port cannot be detected: `http://user:80/x@h` is not changed.
  ///
  /// - Parameter levels: the maximum depth of URLs within URLs; deeper URLs are redacted completely. It limits stack and time,
  ///   because a server may send a megabyte of nested URLs.
  static func removed(from text: some StringProtocol, levels: Int = 4) -> String {
    var parts = URLParts(text)
    if hasOneReading(parts) {
      parts.user = ""
      return withoutInner(parts, levels: levels)
    }
    let bytes = Array(text.utf8)
    guard let end = lastEnd(in: bytes) else {
      if parts.hasAuthority, !hasPort(parts.host) { hidePort(&parts.host) }
      return parts.description
    }
    return scheme(of: bytes) + String(decoding: bytes[end...], as: UTF8.self)
  }

  /// A sentence without the userinfo of its URLs.
  static func removed(fromWordsOf text: String) -> String {
    let words = text.utf8.split(omittingEmptySubsequences: false) { endsWord.contains($0) }
    var shown = ""
    for word in words {
      shown += removed(from: Substring(word))
      if word.endIndex < text.endIndex { shown.unicodeScalars.append(text.unicodeScalars[word.endIndex]) }
    }
    return shown
  }

  private static let endsWord = Set(" \t\r\n'\"<>".utf8)

  private static func hasOneReading(_ parts: URLParts) -> Bool {
    let place = parts.place.utf8
    guard !place.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else { return false }
    if parts.hasAuthority {
      guard hasPort(parts.host) else { return false }
      // A later `@` may end the password.
      let isDoubtful = !parts.user.isEmpty || parts.host.utf8.last == colon
      return !isDoubtful || ![parts.path, parts.query ?? "", parts.fragment ?? ""].contains { $0.utf8.contains(at) }
    }
    let bytes = Array(parts.description.utf8)
    guard let end = lastEnd(in: bytes) else { return true }
    // `mailto:a@b` looks like `user:password@host`; `/@me` and `?to=a@b` do not.
    let before = bytes[..<end]
    return !before.contains(colon) && before.firstRange(of: "%3A".utf8) == nil
      && (parts.path.utf8.first == UInt8(ascii: "/") || !parts.path.utf8.contains(at))
  }

  /// Whether the text is exactly a host with an optional port.
  private static func hasPort(_ host: Substring) -> Bool {
    let bytes = Array(host.utf8)
    guard lastEnd(in: bytes) == nil else { return false }
    let name =
      bytes.first == UInt8(ascii: "[")
      ? bytes.prefix { $0 != UInt8(ascii: "]") } + [UInt8(ascii: "]")] : bytes.prefix { $0 != colon }
    guard !name.isEmpty, bytes.starts(with: name) else { return false }
    let port = bytes.dropFirst(name.count)
    guard port.first == colon else { return port.isEmpty }
    let digits = port.dropFirst()
    return digits.allSatisfy(\.isDigit)
      && (digits.isEmpty || UInt16(String(decoding: digits, as: UTF8.self)) != nil)
  }

  /// The start of the first path segment with a colon, and whether a URL begins there.
  private static func innerStart(_ path: Substring) -> (start: Substring.Index, isURL: Bool)? {
    let bytes = path.utf8
    guard let first = bytes.firstIndex(of: colon) else { return nil }
    let start = bytes[..<first].lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    return (start, bytes[bytes.index(after: first)...].first == UInt8(ascii: "/"))
  }

  /// Redacts a URL within the path (`http://proxy/http://user:pw@h`); the segments before it are kept.
  private static func withoutInner(_ parts: URLParts, levels: Int) -> String {
    guard parts.hasAuthority, let (start, isURL) = innerStart(parts.path) else { return parts.description }
    var (outer, inner) = (parts, parts)
    outer.path = parts.path[..<start]
    (outer.query, outer.fragment) = (nil, nil)
    inner.path = parts.path[start...]
    (inner.start, inner.host) = ("", "")
    if isURL {
      return outer.description + (levels > 0 ? removed(from: inner.description, levels: levels - 1) : Secrets.mark)
    }
    let rest = inner.path.utf8
    guard let first = rest.firstIndex(of: colon), let last = rest.lastIndex(of: at), first < last else {
      return parts.description
    }
    inner.path = inner.path[last...]
    return outer.description + Secrets.mark + inner.description
  }

  /// Redacts an invalid port: it may be a password whose `@` is missing. Keeps a number of up to five digits, which is a port
  /// out of range.
  private static func hidePort(_ host: inout Substring) {
    guard let start = host.utf8.firstIndex(of: colon) else { return }
    let port = host.utf8[start...].dropFirst()
    guard port.count > 5 || !port.allSatisfy(\.isDigit) else { return }
    host = host[..<start] + ":" + Secrets.mark
  }

  /// The index after the last `@` in any spelling: percent-encoded once or twice, as by Foundation, or a character that IDNA
  /// maps to `@` (U+FF20, U+FE6B).
  private static func lastEnd(in bytes: some RandomAccessCollection<UInt8>) -> Int? {
    for index in bytes.indices.reversed() {
      let rest = bytes[index...]
      guard let spelling = spellings.first(where: { rest.starts(with: $0) }) else { continue }
      return bytes.distance(from: bytes.startIndex, to: index) + spelling.count
    }
    return nil
  }

  private static let spellings = ["@", "%40", "%2540", "\u{FF20}", "\u{FE6B}", "%EF%BC%A0", "%EF%B9%AB"].map { Array($0.utf8) }

  /// `http://` of a text with a scheme and slashes or backslashes.
  private static func scheme(of bytes: [UInt8]) -> String {
    let text = bytes.drop { $0 <= 0x20 }
    let name = text.prefix { isLetter($0) || $0.isDigit || "+-.".utf8.contains($0) }
    let rest = text.dropFirst(name.count)
    guard let first = name.first, isLetter(first), rest.first == colon,
      let slash = rest.dropFirst().first, slash == UInt8(ascii: "/") || slash == UInt8(ascii: "\\")
    else { return "" }
    return String(decoding: name, as: UTF8.self) + "://"
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static let at = UInt8(ascii: "@")
  private static let colon = UInt8(ascii: ":")
}

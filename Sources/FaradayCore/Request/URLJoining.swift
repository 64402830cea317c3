/// How a path meets a connection's base URL.
public enum URLJoining: Sendable, Hashable {
  /// As a link on a page (RFC 3986, section 5): `users` on `https://host/v2/` is `/v2/users`, on `https://host/v2` it is
  /// `/users`, and `/users` drops the base's path on either.
  case resolve
  /// Behind the base: `users` or `/users` on `https://host/v2` is `/v2/users`. The base's query and the path's are both kept.
  case append

  /// The joined URL; nil if the path makes none.
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
    // A scheme or a host in it would be a part of the path too: nothing leads away from the base.
    let right = added.place.hasPrefix("/") ? added.place.dropFirst() : added.place[...]
    if !right.isEmpty { joined.path = (joined.path.hasSuffix("/") ? joined.path.dropLast() : joined.path) + "/" + right }
    let queries = [joined.query, added.query].compactMap { $0 }.filter { !$0.isEmpty }
    joined.query = queries.isEmpty ? nil : queries.joined(separator: "&")[...]
    joined.fragment = added.fragment
    return URL(string: joined.description)
  }
}

extension URL {
  /// The URL or reference in a text: what may not stand in a path, query or fragment is percent-encoded (RFC 3986, section
  /// 2.1), what is encoded already stays as it is. Foundation, left alone, would encode the whole of such a part once more.
  package init?(text: some StringProtocol, relativeTo base: URL? = nil) {
    self.init(string: Self.encoded(text), relativeTo: base)
  }

  /// The text in ASCII, but for its host.
  package static func encoded(_ text: some StringProtocol) -> String {
    // Most have nothing to encode.
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

  /// The unreserved characters, the sub-delims and `:@/?`: what may stand in a path, query or fragment (RFC 3986, section 3.3).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    // `&'()*+,-./`, digits, `:;` are in one row, and so are `?@` and the capitals.
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "?")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

public import FaradayCore

extension Response {
  /// A web link: one entry of a response's `Link` header fields (RFC 8288).
  public struct Link: Sendable, Hashable {
    /// The target, resolved against the URL of the response.
    public let url: URL
    /// The relation types, such as `next`, in lower case: they are case-insensitive.
    public let relations: [String]
    /// The other parameters, such as `title` and `type`, by their names in lower case. The first of a repeated parameter counts.
    public let parameters: [String: String]
  }

  /// The links of the `Link` header fields, in order; malformed links are skipped.
  ///
  ///     if let next = response.links["next"] { page = try await connection.get(next.url.absoluteString) }
  ///
  /// ``FaradayCore/Connection/pages(_:variables:query:headers:timeout:limit:prefetch:edit:until:next:)`` follows them, and
  /// sends no credentials to other origins.
  public var links: [Link] { headers[values: .link].flatMap { LinkParser($0).links(relativeTo: url) } }
}

extension [Response.Link] {
  /// Returns the first link with that relation type, case-insensitive. Links with an `anchor` are skipped: they belong to
  /// another
  /// resource.
  public subscript(relation: String) -> Response.Link? {
    let relation = relation.lowercased()
    return first { $0.relations.contains(relation) && $0.parameters["anchor"] == nil }
  }
}

/// Parses the value of a `Link` field, or of several joined by commas (RFC 8288, section 3).
private struct LinkParser {
  private var rest: ArraySlice<UInt8>

  init(_ value: String) { rest = Array(value.utf8)[...] }

  func links(relativeTo base: URL) -> [Response.Link] {
    var parser = self
    var links: [Response.Link] = []
    while let (target, parameters) = parser.next() {
      guard let url = resolve(target, at: base) else { continue }
      var others: [String: String] = [:]
      for (name, value) in parameters where others[name] == nil { others[name] = value }
      let relations = (others.removeValue(forKey: "rel") ?? "").lowercased().split(separator: " ").map(String.init)
      links.append(Response.Link(url: url, relations: relations, parameters: others))
    }
    return links
  }

  /// Resolves the target's URL. An empty target gives the URL of the response, because Foundation does not resolve it (RFC
  /// 3986, section 5.2.2).
  private func resolve(_ target: String, at base: URL) -> URL? {
    guard target.isEmpty else { return URL(text: target, relativeTo: base)?.absoluteURL }
    var parts = URLParts(base.absoluteString)
    parts.fragment = nil
    return URL(string: parts.description)
  }

  /// Parses the next target and its parameters; nil at the end.
  private mutating func next() -> (String, [(String, String)])? {
    // Anything before the next target is skipped.
    guard let open = rest.firstIndex(of: UInt8(ascii: "<")),
      let close = rest[open...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let target = String(decoding: rest[(open + 1)..<close], as: UTF8.self)
    rest = rest[(close + 1)...]
    var parameters: [(String, String)] = []
    while true {
      skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard rest.first == UInt8(ascii: ";") else { break }
      rest.removeFirst()
      skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let name = take { $0 != UInt8(ascii: "=") && !Self.endsParameter($0) }.trimming().lowercased()
      guard rest.first == UInt8(ascii: "=") else {
        if !name.isEmpty { parameters.append((name, "")) }
        continue
      }
      rest.removeFirst()
      skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      parameters.append((name, rest.first == UInt8(ascii: "\"") ? quoted() : take { !Self.endsParameter($0) }.trimming()))
    }
    return (target, parameters)
  }

  private static func endsParameter(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

  private mutating func skip(while isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

  private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
    let taken = rest.prefix(while: isTaken)
    rest = rest[taken.endIndex...]
    return String(decoding: taken, as: UTF8.self)
  }

  /// Parses a quoted string (RFC 9110, section 5.6.4). Without a closing quote it extends to the end.
  private mutating func quoted() -> String {
    var text: [UInt8] = []
    rest.removeFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { text.append(escaped) } else { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

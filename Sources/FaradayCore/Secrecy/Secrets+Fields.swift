/// Redaction of header fields.
extension Secrets {
  /// The field's value, redacted: ``mark`` if its name is secret; with redacted URLs in `Location`, `Content-Location`, `Referer`,
  /// `Link` and `Refresh`.
  public func redacting(_ field: HTTPField) -> String {
    if contains(field.name) { return Self.mark }
    switch field.name {
    case .location, .contentLocation, .referer: return redacting(reference: field.value)
    case _ where field.name.canonicalName == "link": return redacting(links: field.value)
    case _ where field.name.canonicalName == "refresh": return redacting(refresh: field.value)
    default: return field.value
    }
  }

  /// A URL or relative reference, redacted; the mark alone if it is not one.
  private func redacting(reference text: String) -> String {
    guard !text.isEmpty else { return text }
    return URL(string: text) == nil ? Self.mark : redacting(urlText: text)
  }

  /// One URL reference, redacted; the mark alone if it has a delimiter that no reference has (RFC 3986, appendix C).
  private func redacting(whole text: String) -> String {
    text.utf8.contains { "<>\" \t".utf8.contains($0) } ? Self.mark : redacting(reference: text)
  }

  /// A `Link` value: the text between `<` and `>` is redacted as a reference (RFC 8288, section 3), every other word as what it
  /// looks like.
  private func redacting(links text: String) -> String {
    var shown = ""
    var rest = Substring(text).unicodeScalars
    let lastClose = rest.lastIndex(of: ">") ?? rest.startIndex
    while let first = rest.first {
      if first == "<", rest.startIndex < lastClose, let close = rest.firstIndex(of: ">") {
        shown += "<" + redacting(whole: String(rest[rest.index(after: rest.startIndex)..<close])) + ">"
        rest = rest[rest.index(after: close)...]
        continue
      }
      let word = String(rest.prefix { !Self.endsWord.contains($0) })
      rest = rest.dropFirst(word.unicodeScalars.count)
      let isReference = word.unicodeScalars.contains { "?#@/".unicodeScalars.contains($0) }
      shown += isReference ? redacting(reference: word) : redacting(query: word)
      // A `<` may begin a reference: the next round handles it.
      if let end = rest.first, end != "<" || word.isEmpty {
        shown.unicodeScalars.append(end)
        rest.removeFirst()
      }
    }
    return shown
  }

  private static let endsWord = Set("<>\"' \t;".unicodeScalars)

  /// A `Refresh` value: the text behind `url=`, quoted or to the end, is redacted as a reference (the HTML standard, "shared
  /// declarative refresh steps").
  private func redacting(refresh text: String) -> String {
    let bytes = Array(text.utf8)
    let sign = Array("url=".utf8)
    let found = bytes.indices.first { bytes[$0...].prefix(4).elementsEqual(sign) { $0 | 0x20 == $1 } }
    guard let start = found.map({ $0 + 4 }) else { return redacting(links: text) }
    var reference = bytes[start...]
    var quote = ""
    if let first = reference.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      quote = String(UnicodeScalar(first))
      reference = reference.dropFirst().prefix { $0 != first }
    }
    let shown = redacting(whole: String(decoding: reference, as: UTF8.self))
    return redacting(links: String(decoding: bytes[..<start], as: UTF8.self)) + quote + shown + quote
  }
}

/// What of a header field may be shown.
extension Secrets {
  /// The field's value: the mark if its name is secret, and without what is secret of the URLs in `Location`, `Content-Location`,
  /// `Referer`, `Link` and `Refresh`.
  public func redacting(_ field: HTTPField) -> String {
    if contains(field.name) { return Self.mark }
    switch field.name {
    case .location, .contentLocation, .referer: return redacting(reference: field.value)
    case _ where Self.linking.contains(field.name.canonicalName): return redacting(links: field.value)
    default: return field.value
    }
  }

  private static let linking: Set<String> = ["link", "refresh"]

  /// A URL, absolute or not, or nothing of it if it is none.
  private func redacting(reference text: String) -> String {
    guard !text.isEmpty else { return text }
    return URL(string: text) == nil ? Self.mark : redacting(urlText: text)
  }

  /// The URLs within a `Link` or `Refresh`, which end where no URL can go on.
  private func redacting(links text: String) -> String {
    var shown = ""
    var rest = Substring(text).unicodeScalars
    while !rest.isEmpty {
      let word = Substring(rest.prefix { !Self.endURL.contains($0) })
      rest = rest.dropFirst(word.unicodeScalars.count)
      // `url=` of a Refresh is no part of the URL.
      let prefix = word.lowercased().hasPrefix("url=") ? word.prefix(4) : ""
      let url = String(word.dropFirst(prefix.count))
      shown += prefix + (url.unicodeScalars.contains { "?#@/".unicodeScalars.contains($0) } ? redacting(reference: url) : url)
      if let end = rest.popFirst() { shown.unicodeScalars.append(end) }
    }
    return shown
  }

  private static let endURL = Set("<>\"' \t;".unicodeScalars)
}

internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What may be shown of an exchange to a person.
extension Secrets {
  /// The field's value: the mark if its name is secret, and without the secrets of the URLs in those fields that hold URLs.
  func showing(_ field: HTTPField) -> String {
    let value = redacting(field)
    switch field.name {
    case .location, .contentLocation, .referer: return showing(url: value)
    case _ where Self.linking.contains(field.name.canonicalName): return showing(links: value)
    default: return value
    }
  }

  private static let linking: Set<String> = ["link", "refresh"]

  /// A URL, absolute or not, or nothing of it if it is none.
  private func showing(url text: String) -> String {
    guard !text.isEmpty, text != Self.mark else { return text }
    return URL(string: text) == nil ? Self.mark : redacting(urlText: text)
  }

  /// The URLs within a `Link` or `Refresh`, which end where no URL can go on.
  private func showing(links text: String) -> String {
    var shown = ""
    var rest = Substring(text).unicodeScalars
    while !rest.isEmpty {
      let word = Substring(rest.prefix { !Self.endURL.contains($0) })
      rest = rest.dropFirst(word.unicodeScalars.count)
      // `url=` of a Refresh is no part of the URL.
      let prefix = word.lowercased().hasPrefix("url=") ? word.prefix(4) : ""
      let url = String(word.dropFirst(prefix.count))
      shown += prefix + (url.unicodeScalars.contains { "?#@/".unicodeScalars.contains($0) } ? showing(url: url) : url)
      if let end = rest.popFirst() { shown.unicodeScalars.append(end) }
    }
    return shown
  }

  private static let endURL = Set("<>\"' \t;".unicodeScalars)

  /// A body that is text, with the mark for secret fields of a form and secret members of JSON. Of a type that says nothing
  /// the text itself tells which it could be.
  func showing(body text: String, of type: MediaType?) -> String {
    if type == .form { return redacting(query: text) }
    let first = text.first { !$0.isWhitespace }
    if type?.isJSON == true || first == "{" || first == "[" { return JSONRedaction.redacted(text, self) }
    return redacting(query: text)
  }
}

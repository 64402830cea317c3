#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Request {
  /// The items of the URL's query. Setting it to none takes the `?` away too.
  public var query: Query {
    get { Query(parsing: parts.query ?? "") }
    set {
      // A URL of Foundation's has no brackets there: it would take every `%` of such a text for one that is to be encoded.
      let text = newValue.description.replacing("[", with: "%5B").replacing("]", with: "%5D")
      set(parts.place, newValue.items.isEmpty ? nil : text, parts.fragment)
    }
  }

  /// The URL's path, percent-encoded, with its leading slash. Setting one that makes no URL changes nothing.
  public var path: String {
    get { url.path(percentEncoded: true) }
    set {
      let parts = parts
      let start = Self.pathStart(of: parts.place)
      set(parts.place[..<start] + (newValue.hasPrefix("/") ? "" : "/") + newValue, parts.query.map(String.init), parts.fragment)
    }
  }

  /// The segments of the path, decoded. Setting them encodes each, so that a slash within one stays within it.
  public var pathComponents: [String] {
    get { path.split(separator: "/").map { Query.decode($0) } }
    set { path = "/" + newValue.map { Query.encode($0) }.joined(separator: "/") }
  }

  private var parts: (place: Substring, query: Substring?, fragment: Substring?) {
    let text = url.absoluteString[...]
    let fragmentStart = text.firstIndex(of: "#") ?? text.endIndex
    let queryStart = text[..<fragmentStart].firstIndex(of: "?") ?? fragmentStart
    return (
      text[..<queryStart], queryStart < fragmentStart ? text[queryStart..<fragmentStart].dropFirst() : nil,
      fragmentStart < text.endIndex ? text[fragmentStart...].dropFirst() : nil
    )
  }

  private mutating func set(_ place: Substring, _ query: String?, _ fragment: Substring?) {
    let text = place + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
    if let changed = URL(string: String(text)) { url = changed }
  }

  private static func pathStart(of place: Substring) -> Substring.Index {
    guard let scheme = place.firstRange(of: "//") else { return place.startIndex }
    return place[scheme.upperBound...].firstIndex(of: "/") ?? place.endIndex
  }
}

/// A template of consecutive path segments with secret parts: `/bot{token}/`.
struct SecretPath: Sendable, Hashable {
  private let segments: [Segment]

  /// A literal segment, or the prefix and suffix of a secret one.
  private struct Segment: Sendable, Hashable {
    let before: String
    let after: String
    let hasSecret: Bool

    init(_ text: Substring) {
      let open = text.firstIndex(of: "{")
      let close = text.lastIndex(of: "}")
      guard let open, let close, open < close else {
        (before, after, hasSecret) = (text.lowercased(), "", false)
        return
      }
      (before, after, hasSecret) = (text[..<open].lowercased(), text[text.index(after: close)...].lowercased(), true)
    }

    func matches(_ segment: Substring) -> Bool {
      let text = QueryParameters.decode(segment).lowercased().utf8
      guard hasSecret else { return text.elementsEqual(before.utf8) }
      guard text.count > before.utf8.count + after.utf8.count else { return false }
      return text.starts(with: before.utf8) && text.suffix(after.utf8.count).elementsEqual(after.utf8)
    }
  }

  init(_ template: String) {
    segments = template.split(separator: "/").map(Segment.init)
  }

  /// The percent-encoded path with its secret parts redacted.
  func redacting(_ path: Substring) -> Substring {
    guard segments.contains(where: \.hasSecret) else { return path }
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    // Empty segments are skipped: servers treat two slashes as one.
    let places = parts.indices.filter { !parts[$0].isEmpty }
    for start in places.indices.dropLast(segments.count - 1) {
      let window = zip(places[start...], segments)
      guard window.allSatisfy({ $1.matches(parts[$0]) }) else { continue }
      for (place, segment) in window where segment.hasSecret {
        parts[place] = (segment.before + Secrets.mark + segment.after)[...]
      }
    }
    return parts.joined(separator: "/")[...]
  }
}

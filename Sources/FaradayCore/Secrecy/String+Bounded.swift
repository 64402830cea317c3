extension String {
  /// At most a kibibyte of it: errors are kept, logged and shown as they are.
  package func bounded(to limit: Int = 1024) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: limit)
    // Not within a character: its other bytes would become one that was not there.
    while String.Index(end, within: unicodeScalars) == nil { utf8.formIndex(before: &end) }
    return self[..<end] + "…"
  }
}

extension String {
  /// At most a kibibyte of it: errors are kept, logged and shown as they are.
  package func bounded(to limit: Int = 1024) -> String {
    guard utf8.count > limit else { return self }
    // An index within a character is taken for its beginning.
    return self[..<utf8.index(utf8.startIndex, offsetBy: limit)] + "…"
  }
}

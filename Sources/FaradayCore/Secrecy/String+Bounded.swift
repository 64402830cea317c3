extension String {
  /// The text, cut off after 1 KiB, so that errors stay small in memory and logs.
  package func bounded(to limit: Int = 1024) -> String {
    guard utf8.count > limit else { return self }
    // An index within a character is rounded down.
    return self[..<utf8.index(utf8.startIndex, offsetBy: limit)] + "…"
  }
}

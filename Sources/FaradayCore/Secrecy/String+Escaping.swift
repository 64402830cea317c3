extension String {
  /// On one line, whatever is in it: an escape (`\n`, `\u{1B}`) stands for everything that ends a line, moves a cursor, or
  /// turns or hides what follows.
  package func escapingControls() -> String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      case _ where scalar.isUnseen: shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

extension Unicode.Scalar {
  /// A control or format character, or the end of a line. The joiner within emoji is none.
  package var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: value != 0x200D
    default: false
    }
  }
}

extension String {
  /// The text on one line, fit for a terminal or log: control and format characters are escaped (`\n`, `\u{1B}`), so that it cannot
  /// forge a log line or hide text.
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
  /// Whether it is a control or format character or a line separator. The joiner within emoji (U+200D) is not.
  package var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: value != 0x200D
    default: false
    }
  }
}

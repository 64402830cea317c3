package import FaradayCore

/// Redaction of bodies, for logs, commands and cassettes.
extension Secrets {
  /// Redacts the values of secret form fields and JSON members in a text body. A body that is neither a form nor JSON is
  /// searched for both.
  package func showing(body text: String, of type: MediaType?) -> String {
    if type == .form { return redacting(query: text) }
    // JSON stands within other text too: events, lines, scripts.
    let shown = JSONRedaction.redacted(text, self)
    let first = text.first { !$0.isWhitespace }
    return type?.isJSON == true || first == "{" || first == "[" ? shown : redacting(query: shown)
  }
}

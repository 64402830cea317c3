package import FaradayCore

/// Redaction of bodies, for logs, commands and cassettes.
extension Secrets {
  /// Redacts the values of secret form fields and JSON members in a text body. If the type is unknown, both are searched for.
  package func showing(body text: String, of type: MediaType?) -> String {
    if type == .form { return redacting(query: text) }
    let first = text.first { !$0.isWhitespace }
    if type?.isJSON == true || first == "{" || first == "[" { return JSONRedaction.redacted(text, self) }
    return redacting(query: text)
  }
}

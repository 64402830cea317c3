internal import FaradayCore

/// Redaction of bodies, for logs and commands.
extension Secrets {
  /// A text body with the values of secret form fields and JSON members redacted. Without a known type the text is examined for
  /// either.
  func showing(body text: String, of type: MediaType?) -> String {
    if type == .form { return redacting(query: text) }
    let first = text.first { !$0.isWhitespace }
    if type?.isJSON == true || first == "{" || first == "[" { return JSONRedaction.redacted(text, self) }
    return redacting(query: text)
  }
}

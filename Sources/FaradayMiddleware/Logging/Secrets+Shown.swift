internal import FaradayCore

/// What may be shown of an exchange to a person.
extension Secrets {
  /// A body that is text, with the mark for secret fields of a form and secret members of JSON. Of a type that says nothing
  /// the text itself tells which it could be.
  func showing(body text: String, of type: MediaType?) -> String {
    if type == .form { return redacting(query: text) }
    let first = text.first { !$0.isWhitespace }
    if type?.isJSON == true || first == "{" || first == "[" { return JSONRedaction.redacted(text, self) }
    return redacting(query: text)
  }
}

/// Where and why a value could not be decoded, in words that quote none of it.
package struct DecodingFailure: Sendable {
  /// The coding path: `items.0.name`; empty for the whole.
  package let path: String
  /// `it is missing`
  package let reason: String
  /// `is missing`; nil if the reason is not about the value at the path.
  private let predicate: String?

  package init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context): self.init(context.codingPath + [key], "is missing")
    case DecodingError.valueNotFound(let expected, let context): self.init(context.codingPath, "is null, expected \(expected)")
    case DecodingError.typeMismatch(let expected, let context): self.init(context.codingPath, "is not of type \(expected)")
    // What the decoder says of it quotes the value.
    case DecodingError.dataCorrupted(let context): self.init(context.codingPath, "is not valid")
    case let located as any LocatedError: self.init(path: located.path, reason: located.reason)
    // Their descriptions quote nothing of the body.
    case is MalformedJSON, is EmptyBody, is UndecodableText, is LineTooLong: self.init(path: "", reason: "\(error)")
    default: self.init(path: "", reason: "\(type(of: error))")
    }
  }

  private init(_ path: [any CodingKey], _ predicate: String) {
    self.path = path.dotted
    self.predicate = predicate
    reason = "it " + predicate
  }

  private init(path: String, reason: String) {
    self.path = path
    self.reason = reason
    predicate = nil
  }

  /// "`items.0.name` is missing".
  ///
  /// - Parameter root: what the empty path stands for: `the body`.
  package func summary(of root: String) -> String {
    let subject = path.isEmpty ? root : "`\(path)`"
    if let predicate { return "\(subject) \(predicate)" }
    return path.isEmpty ? reason : "\(subject): \(reason)"
  }
}

/// An error of a format that knows its position, and has a reason that quotes no value.
package protocol LocatedError: Error {
  /// The path of what is wrong; empty for the whole.
  var path: String { get }
  /// `it is missing`
  var reason: String { get }
}

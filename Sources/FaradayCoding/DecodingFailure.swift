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
    // The decoder's own text quotes the value.
    case DecodingError.dataCorrupted(let context):
      self.init(context.codingPath, (context.underlyingError as? ShownReason)?.reason ?? "is not valid")
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

extension DecodingError {
  /// An error with a predicate of the value, `is not valid`, that quotes nothing secret and may be shown.
  static func invalid(at path: [any CodingKey], _ predicate: String) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: predicate, underlyingError: ShownReason(reason: predicate)))
  }
}

/// An error of a format that knows its position, and has a reason that quotes no value.
package protocol LocatedError: Error {
  /// The path of what is wrong; empty for the whole.
  var path: String { get }
  /// `it is missing`
  var reason: String { get }
}

internal import FaradayCore

/// The path and reason of a decoding error, without any part of the value.
package struct DecodingFailure: Sendable {
  /// The coding path: `items.0.name`; empty for the whole value.
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
    // The decoder's description quotes the value.
    case DecodingError.dataCorrupted(let context):
      self.init(context.codingPath, (context.underlyingError as? ShownReason)?.reason ?? "is not valid")
    case let located as any LocatedError: self.init(path: located.location, reason: located.problem)
    // The descriptions of these errors quote nothing of the body.
    case is JSONError, is BodyError: self.init(path: "", reason: "\(error)")
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
  /// - Parameter root: the subject for the empty path: `the body`.
  package func summary(of root: String) -> String {
    let subject = path.isEmpty ? root : "`\(path)`"
    if let predicate { return "\(subject) \(predicate)" }
    return path.isEmpty ? reason : "\(subject): \(reason)"
  }
}

extension DecodingError {
  /// An error with a predicate for the value, such as `is not valid`. The predicate must contain no secrets, because messages
  /// show it.
  static func invalid(at path: [any CodingKey], _ predicate: String) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: predicate, underlyingError: ShownReason(reason: predicate)))
  }
}

/// An error of a format, with a position, and a reason that quotes no value.
package protocol LocatedError: Error {
  /// The path of the invalid value; empty for the whole.
  var location: String { get }
  /// `it is missing`
  var problem: String { get }
}

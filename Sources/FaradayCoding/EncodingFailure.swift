internal import FaradayCore

/// Where and why a value could not be encoded, in words that quote none of it.
package struct EncodingFailure: Sendable {
  /// `user.tags.2`; empty for the value itself.
  package let path: String
  /// `this Double cannot be encoded`
  package let reason: String

  package init(_ error: any Error) {
    switch error {
    case EncodingError.invalidValue(let value, let context):
      path = context.codingPath.dotted
      switch context.underlyingError {
      case let shown as ShownReason: reason = shown.reason
      case let file as BodyFile.Unreadable: reason = "\(file)"
      // What an encoder or a type says of a value may quote it.
      default: reason = "this \(type(of: value)) cannot be encoded"
      }
    case let file as BodyFile.Unreadable:
      path = ""
      reason = "\(file)"
    default:
      path = ""
      reason = "\(type(of: error))"
    }
  }
}

extension EncodingError {
  /// An error with a reason that quotes nothing secret and may be shown.
  package static func invalid(_ value: Any, at path: [any CodingKey], _ reason: String) -> EncodingError {
    .invalidValue(value, Context(codingPath: path, debugDescription: reason, underlyingError: ShownReason(reason: reason)))
  }
}

/// A reason that quotes nothing secret.
struct ShownReason: Error { let reason: String }

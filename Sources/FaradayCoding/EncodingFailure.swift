internal import FaradayCore

/// The path and reason of an encoding error, without any part of the value.
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
      case let problem as BodyError: reason = "\(problem)"
      // Descriptions of encoders and types may quote the value.
      default: reason = "this \(type(of: value)) cannot be encoded"
      }
    case let problem as BodyError:
      path = ""
      reason = "\(problem)"
    default:
      path = ""
      reason = "\(type(of: error))"
    }
  }
}

extension EncodingError {
  /// An error with a reason. The reason must contain no secrets, because messages show it.
  package static func invalid(_ value: Any, at path: [any CodingKey], _ reason: String) -> EncodingError {
    .invalidValue(value, Context(codingPath: path, debugDescription: reason, underlyingError: ShownReason(reason: reason)))
  }
}

/// A reason without secrets.
struct ShownReason: Error { let reason: String }

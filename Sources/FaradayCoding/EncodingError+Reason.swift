internal import FaradayCore

extension EncodingError {
  /// The error about a value, with a reason that quotes none of it and may be shown.
  package static func invalid(_ value: Any, at path: [any CodingKey], _ reason: String) -> EncodingError {
    .invalidValue(value, Context(codingPath: path, debugDescription: reason, underlyingError: ShownReason(reason: reason)))
  }

  /// Why the value could not be encoded. What an encoder or a type says of it may quote it, and is not shown.
  var shownReason: String {
    guard case .invalidValue(let value, let context) = self else { return "EncodingError" }
    switch context.underlyingError {
    case let shown as ShownReason: return shown.reason
    case let file as BodyFile.Unreadable: return "\(file)"
    default: return "a \(type(of: value)) cannot stand there"
    }
  }

  private struct ShownReason: Error { let reason: String }
}

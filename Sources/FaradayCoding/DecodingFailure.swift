/// Where a value could not be read, and why, in words that quote none of it.
package struct DecodingFailure: Sendable {
  /// `items.0.name`; empty for the whole.
  package let path: String
  /// `it is missing`
  package let reason: String

  package init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      path = (context.codingPath + [key]).dotted
      reason = "it is missing"
    case DecodingError.valueNotFound(let wanted, let context):
      path = context.codingPath.dotted
      reason = "it is null, and a \(wanted) was wanted"
    case DecodingError.typeMismatch(let wanted, let context):
      path = context.codingPath.dotted
      reason = "it is no \(wanted)"
    case DecodingError.dataCorrupted(let context):
      path = context.codingPath.dotted
      // What the decoder says of it quotes the value.
      reason = "it is not valid"
    case let malformed as MalformedJSON:
      path = ""
      reason = malformed.description
    case let located as any LocatedError:
      path = located.path
      reason = located.reason
    default:
      path = ""
      reason = "\(type(of: error))"
    }
  }
}

/// The error of a format that knows the place where it went wrong, and can say why without quoting what stands there.
package protocol LocatedError: Error {
  var path: String { get }
  var reason: String { get }
}

public import FaradayCore

/// The error of a URI template that is malformed, or cannot be expanded with the given values. It contains the expression, and
/// nothing else of the template or the values.
public struct URITemplateError: FaradayError, Hashable {
  /// The reason for the error.
  public enum Reason: Sendable, Hashable {
    /// `{` without `}`.
    case unclosed
    /// `}` without `{`.
    case unopened
    /// An operator that RFC 6570 reserves for extensions: `=`, `,`, `!`, `@` or `|`.
    case reservedOperator
    /// A variable without a name, or with an invalid character: not a letter, digit, `_`, `.` or percent-encoded octet.
    case invalidVariable
    /// A prefix length that is not a number from 1 to 9999.
    case invalidPrefix
    /// An invalid character outside of expressions, such as a space, or a `%` that is not part of a percent-encoded octet.
    case invalidLiteral
    /// A prefix modifier on this variable, whose value is an array or pairs.
    case prefixOfComposite(String)
  }

  /// The reason for the error.
  public let reason: Reason
  /// The expression with its braces; outside of expressions, the character.
  public let expression: String
  /// The offset of its beginning, in Unicode scalars.
  public let offset: Int

  public var description: String {
    let what =
      switch reason {
      case .unclosed: "has no closing brace"
      case .unopened: "has no opening brace before it"
      case .reservedOperator: "has an operator that RFC 6570 reserves for extensions"
      case .invalidVariable: "has a variable without a valid name"
      case .invalidPrefix: "has a prefix length that is not a number from 1 to 9999"
      case .invalidLiteral: "is not allowed in a template"
      case .prefixOfComposite(let name): "has a prefix modifier on \(name), whose value is a list or pairs"
      }
    return "URI template: \(expression.debugDescription) at offset \(offset) \(what)"
  }
}

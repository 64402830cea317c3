public import FaradayCore

/// A URI template that is none, or cannot be expanded with the values it was given.
///
/// It shows the expression, and nothing else of the template or the values.
public struct URITemplateError: FaradayError, Hashable {
  public enum Reason: Sendable, Hashable {
    /// `{` without `}`.
    case unclosed
    /// `}` without `{`.
    case unopened
    /// An operator that RFC 6570 keeps for later: `=`, `,`, `!`, `@` or `|`.
    case reservedOperator
    /// A variable without a name, or with a character in it that is no letter, digit, `_`, `.` or percent-encoded octet.
    case invalidVariable
    /// A prefix that is no number from 1 to 9999.
    case invalidPrefix
    /// A character outside of expressions that may not stand in a template, such as a space, or a `%` that encodes nothing.
    case invalidLiteral
    /// A prefix of this variable, whose value is a list or pairs.
    case prefixOfComposite(String)
  }

  public let reason: Reason
  /// The expression, braces and all; outside of expressions, the character.
  public let expression: String
  /// Where it begins, in Unicode scalars from the beginning of the template.
  public let offset: Int

  public var description: String {
    let what =
      switch reason {
      case .unclosed: "has no closing brace"
      case .unopened: "has no opening brace before it"
      case .reservedOperator: "has an operator that RFC 6570 keeps for later"
      case .invalidVariable: "has a variable without a valid name"
      case .invalidPrefix: "has a prefix that is no number from 1 to 9999"
      case .invalidLiteral: "may not stand in a template"
      case .prefixOfComposite(let name): "wants a prefix of \(name), which is a list or pairs"
      }
    return "URI template: \(expression.debugDescription) at offset \(offset) \(what)"
  }
}

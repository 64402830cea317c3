internal import FaradayCore

extension URITemplate {
  /// Parses a template by the grammar of RFC 6570, section 2.
  struct Parser {
    private let scalars: [Unicode.Scalar]

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    func parts() throws(URITemplateError) -> [Part] {
      var parts: [Part] = []
      var literal = ""
      var index = 0
      while index < scalars.count {
        guard scalars[index] == "{" else {
          literal += try self.literal(at: index)
          index += 1
          continue
        }
        guard let close = scalars[index...].firstIndex(of: "}") else { throw fail(.unclosed, index..<scalars.count) }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(.expression(try expression(index..<(close + 1))))
        index = close + 1
      }
      if !literal.isEmpty { parts.append(.literal(literal)) }
      return parts
    }

    private func expression(_ range: Range<Int>) throws(URITemplateError) -> Expression {
      var content = scalars[range].dropFirst().dropLast()
      var style = Style.simple
      if let first = content.first {
        guard !Style.reservedOperators.contains(first) else { throw fail(.reservedOperator, range) }
        if let operated = Style.operators[first] {
          style = operated
          content = content.dropFirst()
        }
      }
      var variables: [Variable] = []
      for specification in content.split(separator: ",", omittingEmptySubsequences: false) {
        guard let variable = try variable(specification, in: range) else { throw fail(.invalidVariable, range) }
        variables.append(variable)
      }
      return Expression(text: text(range), offset: range.lowerBound, style: style, variables: variables)
    }

    private func variable(
      _ specification: ArraySlice<Unicode.Scalar>, in range: Range<Int>
    ) throws(URITemplateError) -> Variable? {
      var name = specification
      var modifier: Modifier?
      if name.last == "*" {
        name = name.dropLast()
        modifier = .explode
      } else if let colon = name.firstIndex(of: ":") {
        let digits = name[(colon + 1)...]
        guard let length = Self.prefixLength(digits) else { throw fail(.invalidPrefix, range) }
        name = name[..<colon]
        modifier = .prefix(length)
      }
      return Self.isName(name) ? Variable(name: Self.text(name), modifier: modifier) : nil
    }

    /// Parses a number from 1 to 9999, without leading zeros.
    private static func prefixLength(_ digits: ArraySlice<Unicode.Scalar>) -> Int? {
      guard (1...4).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }), digits.first != "0" else {
        return nil
      }
      return Int(text(digits))
    }

    /// Whether the name has only letters, digits, `_` and percent-encoded octets, separated by dots.
    private static func isName(_ name: ArraySlice<Unicode.Scalar>) -> Bool {
      name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
        var rest = part
        while let scalar = rest.popFirst() {
          switch scalar {
          case "a"..."z", "A"..."Z", "0"..."9", "_": continue
          case "%" where rest.count >= 2 && rest.prefix(2).allSatisfy(\.isHexDigit): rest = rest.dropFirst(2)
          default: return false
          }
        }
        return !part.isEmpty
      }
    }

    /// Returns a literal character, percent-encoded if necessary (RFC 6570, section 3.1).
    private func literal(at index: Int) throws(URITemplateError) -> String {
      let scalar = scalars[index]
      switch scalar {
      case "}": throw fail(.unopened, index..<(index + 1))
      case "%":
        let digits = scalars[(index + 1)...].prefix(2)
        guard digits.count == 2, digits.allSatisfy(\.isHexDigit) else { throw fail(.invalidLiteral, index..<(index + 1)) }
        return "%"
      // The apostrophe is allowed by erratum 6937.
      case "!", "#"..."$", "&"...";", "=", "?"..."[", "]", "_", "a"..."z", "~": return String(scalar)
      case _ where scalar.value >= 0xA0: return QueryParameters.encode(String(scalar))
      default: throw fail(.invalidLiteral, index..<(index + 1))
      }
    }

    private func fail(_ reason: URITemplateError.Reason, _ range: Range<Int>) -> URITemplateError {
      URITemplateError(reason: reason, expression: text(range), offset: range.lowerBound)
    }

    private func text(_ range: Range<Int>) -> String { Self.text(scalars[range]) }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      return text
    }
  }
}

extension Unicode.Scalar {
  var isHexDigit: Bool {
    switch self {
    case "0"..."9", "a"..."f", "A"..."F": true
    default: false
    }
  }
}

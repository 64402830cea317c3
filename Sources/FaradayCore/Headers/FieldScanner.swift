/// Reads a field value from left to right by the grammar of RFC 9110, section 5.6: tokens, quoted strings and delimiters.
package struct FieldScanner {
  private var rest: ArraySlice<UInt8>

  package init(_ value: String) { rest = Array(value.utf8)[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Skips spaces and tabs.
  package mutating func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

  /// Skips everything before the next of these characters, or to the end.
  package mutating func skip(to sign: Unicode.Scalar) { rest = rest.drop { $0 != UInt8(ascii: sign) } }

  /// Consumes the character; returns false if the next character differs.
  package mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Consumes and returns a token; nil if there is none.
  package mutating func token() -> String? {
    let token = rest.prefix { $0.isTokenByte }
    guard !token.isEmpty else { return nil }
    rest = rest.dropFirst(token.count)
    return String(decoding: token, as: UTF8.self)
  }

  /// Consumes a quoted string, and returns its unescaped text; nil if there is none, or its closing quote is missing.
  package mutating func quoted() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while var byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { return nil }
        byte = escaped
      }
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return nil }
      text.append(byte)
    }
    return nil
  }

  /// Consumes and returns a token or a quoted string.
  package mutating func value() -> String? { rest.first == UInt8(ascii: "\"") ? quoted() : token() }
}

extension StringProtocol {
  /// A number of seconds (RFC 9110, section 5.6.7, delta-seconds): digits only. More than twelve digits are clamped.
  package var deltaSeconds: Double? {
    guard !isEmpty, utf8.allSatisfy(\.isDigit) else { return nil }
    // Twelve digits are 30,000 years.
    let digits = utf8.drop { $0 == UInt8(ascii: "0") }
    return digits.count > 12 ? 1e12 : digits.reduce(0) { $0 * 10 + Double($1 - 0x30) }
  }
}

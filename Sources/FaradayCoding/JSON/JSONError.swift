public import FaradayCore

/// The error for text that is not valid JSON (RFC 8259), with its position. The description quotes nothing of the text.
public struct JSONError: FaradayError, Hashable {
  /// The kind of error.
  public enum Reason: Sendable, Hashable {
    /// The text is truncated or empty.
    case unexpectedEnd
    /// A value is expected.
    case expectedValue
    /// A member name is expected, which is a string in double quotes.
    case expectedName
    /// A colon is expected after the member name.
    case expectedColon
    /// A comma or the closing bracket is expected after a value.
    case expectedComma
    /// Other text follows the value.
    case trailingContent
    /// A number is malformed: a leading zero, a plus sign, no digit after the point.
    case invalidNumber
    /// A control character in a string is not escaped.
    case controlCharacter
    /// A backslash does not begin a valid escape sequence.
    case invalidEscape
    /// `\uD800` to `\uDFFF` is not part of a surrogate pair.
    case loneSurrogate
    /// A string is not valid UTF-8.
    case invalidUTF8
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// Two members of an object have the same name, and duplicate names are rejected.
    case duplicateName
  }

  /// The kind of error.
  public let reason: Reason
  /// The byte offset of the error, from 0.
  public let offset: Int
  /// The line number, from 1. Lines end with LF, CR or CRLF.
  public let line: Int
  /// The column, from 1, in Unicode scalars.
  public let column: Int

  init(_ reason: Reason, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    self.reason = reason
    self.offset = offset
    var (line, column) = (1, 1)
    var last: UInt8 = 0
    for byte in bytes.prefix(offset) {
      if byte == 0x0A && last == 0x0D {
        // The CR has ended the line.
      } else if byte == 0x0A || byte == 0x0D {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      last = byte
    }
    self.line = line
    self.column = column
  }

  public var description: String { "invalid JSON at line \(line), column \(column) (byte \(offset)): \(explanation)" }

  private var explanation: String {
    switch reason {
    case .unexpectedEnd: "unexpected end of the text"
    case .expectedValue: "expected a value"
    case .expectedName: "expected a member name in double quotes"
    case .expectedColon: "expected ':' after the member name"
    case .expectedComma: "expected ',' or the closing bracket"
    case .trailingContent: "unexpected content after the value"
    case .invalidNumber: "malformed number"
    case .controlCharacter: "unescaped control character in a string"
    case .invalidEscape: "invalid escape sequence"
    case .loneSurrogate: "unpaired surrogate"
    case .invalidUTF8: "invalid UTF-8"
    case .tooDeep(let limit): "nested deeper than the limit of \(limit)"
    case .duplicateName: "duplicate member name"
    }
  }
}

public import FaradayCore

/// A text that is no JSON (RFC 8259), and the place in it that is not. It quotes nothing of the text.
public struct MalformedJSON: FaradayError, Hashable {
  public enum Reason: Sendable, Hashable {
    /// The text ends before the value does; or has none.
    case unexpectedEnd
    /// A value is to stand there, and something else does.
    case noValue
    /// A name, which is a string, is to stand there, and something else does.
    case noName
    /// A colon is to stand behind the name.
    case noColon
    /// A comma or the end of the array or object is to stand there.
    case noComma
    /// Something stands behind the value.
    case noEnd
    /// The digits are none that JSON has: a leading zero, a plus, no digit behind the point.
    case invalidNumber
    /// A control character stands in a string without being escaped.
    case controlCharacter
    /// A backslash begins nothing that JSON knows.
    case invalidEscape
    /// `\uD800` to `\uDFFF` stand for a character only in pairs.
    case loneSurrogate
    /// The bytes of a string are not UTF-8.
    case invalidUTF8
    /// Arrays and objects stand in each other deeper than was allowed.
    case tooDeep(limit: Int)
  }

  public let reason: Reason
  /// Where it is, in bytes from the beginning.
  public let offset: Int
  /// The line, from 1. Lines end at LF, CR and CRLF.
  public let line: Int
  /// The place in the line, from 1, in Unicode scalars.
  public let column: Int

  init(_ reason: Reason, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    self.reason = reason
    self.offset = offset
    var (line, column) = (1, 1)
    var last: UInt8 = 0
    for byte in bytes.prefix(offset) {
      if byte == 0x0A && last == 0x0D {
        // CR has ended the line.
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

  public var description: String { "not JSON at byte \(offset) (line \(line), column \(column)): \(words)" }

  private var words: String {
    switch reason {
    case .unexpectedEnd: "it ends too soon"
    case .noValue: "no value stands there"
    case .noName: "no name of a member stands there"
    case .noColon: "no colon stands behind the name"
    case .noComma: "neither a comma nor the closing bracket stands there"
    case .noEnd: "something stands behind the value"
    case .invalidNumber: "the number is not written as JSON has it"
    case .controlCharacter: "a control character is not escaped"
    case .invalidEscape: "a backslash begins no escape of JSON"
    case .loneSurrogate: "half of a surrogate pair stands alone"
    case .invalidUTF8: "the bytes are not UTF-8"
    case .tooDeep(let limit): "arrays and objects are more than \(limit) deep"
    }
  }
}

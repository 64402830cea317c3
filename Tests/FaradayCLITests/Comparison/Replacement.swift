import Foundation

/// What is replaced in the texts of a comparison, by a regular expression that is compiled once: Swift's `Regex` literals are compiled
/// each time they are reached.
struct Replacement: Sendable {
  private let expression: NSRegularExpression
  private let template: String

  init(_ pattern: String, _ template: String) {
    // The patterns are constants of the tests.
    expression = try! NSRegularExpression(pattern: pattern)
    self.template = template
  }

  static func all(_ replacements: [Replacement], in text: String) -> String {
    replacements.reduce(text) { text, replacement in
      replacement.expression.stringByReplacingMatches(
        in: text, range: NSRange(location: 0, length: text.utf16.count), withTemplate: replacement.template)
    }
  }
}

extension String {
  /// The text with names in place of these numbers, where they stand alone: their digits may be a part of another number.
  func replacing(numbers: [Int: String]) -> String {
    let names = Dictionary(uniqueKeysWithValues: numbers.map { (Substring("\($0)"), $1) })
    var result = ""
    var rest = self[...]
    while let start = rest.utf8.firstIndex(where: Self.isDigit) {
      let end = rest.utf8[start...].firstIndex { !Self.isDigit($0) } ?? rest.endIndex
      result += rest[..<start] + (names[rest[start..<end]] ?? String(rest[start..<end]))
      rest = rest[end...]
    }
    return result + rest
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

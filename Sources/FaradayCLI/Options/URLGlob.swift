import Faraday

/// A URL with curl's patterns: `{a,b}`, `[1-10]`, `[001-100:2]`, `[a-z]`; a backslash before a bracket or brace takes its meaning
/// away. It is expanded while it is iterated, so that a pattern for a billion URLs costs nothing.
struct URLGlob: Sequence {
  /// One URL of the pattern.
  struct Expansion: Equatable {
    let url: String
    /// What each pattern stands for in this URL, in their order.
    let values: [String]

    /// A file name with `#1` replaced by the value of the first pattern, and so on. A number without a pattern stays.
    func filling(_ name: String) -> String {
      var filled: [UInt8] = []
      var rest = Array(name.utf8)[...]
      while let byte = rest.popFirst() {
        let digits = rest.prefix { $0.isDigit }
        if byte == UInt8(ascii: "#"), let number = Int(String(decoding: digits, as: UTF8.self)),
          (1...values.count + 1).contains(number), number <= values.count
        {
          filled += values[number - 1].utf8
          rest = rest.dropFirst(digits.count)
        } else {
          filled.append(byte)
        }
      }
      return String(decoding: filled, as: UTF8.self)
    }
  }

  let parts: [URLGlobPart]
  /// How many URLs there are.
  let count: UInt

  /// Parses the pattern. Throws curl's 3 with the position.
  init(_ text: String) throws {
    var parser = URLGlobParser(text)
    parts = try parser.parse()
    count = parser.count
  }

  private init(text: String) {
    parts = [.literal(text)]
    count = 1
  }

  /// A URL whose brackets and braces mean nothing, for `-g`.
  static func literal(_ text: String) -> URLGlob { URLGlob(text: text) }

  /// The URL with this index, from 0; the last pattern changes first.
  func expansion(at index: UInt) -> Expansion {
    var rest = index
    var words: [String] = []
    var values: [String] = []
    for part in parts.reversed() {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: part.count)
      let word = part[remainder]
      rest = quotient
      words.append(word)
      if !part.isLiteral { values.append(word) }
    }
    return Expansion(url: words.reversed().joined(), values: values.reversed())
  }

  func makeIterator() -> AnyIterator<Expansion> {
    var next: UInt = 0
    return AnyIterator {
      guard next < count else { return nil }
      defer { next += 1 }
      return expansion(at: next)
    }
  }

  var underestimatedCount: Int { Int(clamping: count) }
}

/// A part of a pattern: what stays, or what is expanded.
enum URLGlobPart: Equatable {
  case literal(String)
  case set([String])
  case letters(first: UInt8, count: UInt, step: UInt)
  /// `width` is that of the first number if it has leading zeros.
  case numbers(first: UInt, count: UInt, step: UInt, width: Int)

  var isLiteral: Bool { if case .literal = self { true } else { false } }

  /// How many values it has, at least one.
  var count: UInt {
    switch self {
    case .literal: 1
    case .set(let words): UInt(words.count)
    case .letters(_, let count, _), .numbers(_, let count, _, _): count
    }
  }

  /// The value with this index, which is below ``count``.
  subscript(index: UInt) -> String {
    switch self {
    case .literal(let text): return text
    case .set(let words): return words[Int(index)]
    case .letters(let first, _, let step): return String(UnicodeScalar(first + UInt8(index * step)))
    case .numbers(let first, _, let step, let width):
      return Figures.padded(first + index * step, to: width)
    }
  }
}

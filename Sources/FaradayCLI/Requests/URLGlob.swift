import Faraday

/// A URL with curl's patterns: `{a,b}`, `[1-10]`, `[001-100:2]`, `[a-z]`. A backslash escapes a bracket or brace. Iteration
/// expands the URL lazily: a pattern for a billion URLs costs nothing.
struct URLGlob {
  /// One URL of the pattern.
  struct Expansion: Equatable {
    let url: String
    /// The value of each pattern in this URL, in order.
    let values: [String]

    /// Replaces `#1` in a file name by the value of the first pattern, and so on. A number without a pattern is kept.
    func filling(_ name: String) -> String {
      name.replacing(#/#([0-9]+)/#) { match -> String in
        guard let number = Int(match.1), values.indices.contains(number - 1) else { return String(match.0) }
        return values[number - 1]
      }
    }
  }

  /// A part of a pattern.
  enum Part: Equatable {
    case literal(String)
    case set([String])
    /// Numbers, padded with zeros to this width; nil for letters.
    case range(first: UInt, count: UInt, step: UInt, width: Int?)

    /// The number of values, at least one.
    fileprivate var count: UInt {
      switch self {
      case .literal: 1
      case .set(let words): UInt(words.count)
      case .range(_, let count, _, _): count
      }
    }

    /// The value with this index, which is below ``count``.
    fileprivate subscript(index: UInt) -> String {
      switch self {
      case .literal(let text): return text
      case .set(let words): return words[Int(index)]
      case .range(let first, _, let step, let width):
        let value = first + index * step
        return width.map { Figures.padded(value, to: $0) } ?? String(UnicodeScalar(UInt8(value)))
      }
    }
  }

  private let parts: [Part]
  /// The number of URLs.
  let count: UInt

  /// Parses the pattern. Throws curl's error 3 with the position. For `-g`, brackets and braces are literal.
  init(_ text: String, isLiteral: Bool = false) throws {
    var parser = Parser(text)
    parts = isLiteral ? [.literal(text)] : try parser.parts()
    count = parser.count
  }

  /// Returns the URL with this index, from 0. The last pattern changes first.
  func expansion(at index: UInt) -> Expansion {
    var (rest, url, values) = (index, "", [String]())
    for part in parts.reversed() {
      let word = part[rest % part.count]
      rest /= part.count
      url = word + url
      if case .literal = part { continue }
      values.insert(word, at: 0)
    }
    return Expansion(url: url, values: values)
  }

  /// All URLs.
  var expansions: some Sequence<Expansion> { (0..<count).lazy.map(expansion) }
}

/// Parses a pattern. Positions in errors count bytes from 1, as curl's do.
private struct Parser {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0
  private(set) var count: UInt = 1

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func parts() throws -> [URLGlob.Part] {
    var parts: [URLGlob.Part] = []
    while let byte = peek {
      switch byte {
      case "{": parts.append(try set())
      case "[" where literalBrackets == 0: parts.append(try range())
      default: parts.append(try literal())
      }
      // As in curl.
      guard parts.count < 100 else { throw failure("too many globs") }
    }
    return parts
  }

  private var peek: Character? { position < bytes.count ? Character(UnicodeScalar(bytes[position])) : nil }

  /// Skips a byte if it is the next one.
  private mutating func skip(_ byte: Character) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  /// The length of an IPv6 address in brackets, or of `[]`, which are literal; 0 if the bracket begins a range.
  private var literalBrackets: Int {
    guard peek == "[", let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else { return 0 }
    let inner = bytes[(position + 1)..<end]
    if inner.isEmpty { return 2 }
    let address = IPAddress(String(decoding: inner.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self))
    return address.map { !$0.isIPv4 } == true ? inner.count + 2 : 0
  }

  private mutating func literal() throws -> URLGlob.Part {
    var word: [UInt8] = []
    while let byte = peek, byte != "{" {
      var length = literalBrackets
      if length == 0 {
        if byte == "[" { break }
        if byte == "}" || byte == "]" { throw failure("unmatched close brace/bracket") }
        if byte == "\\", position + 1 < bytes.count, "{}[]".utf8.contains(bytes[position + 1]) { position += 1 }
        length = 1
      }
      word += bytes[position..<(position + length)]
      position += length
    }
    return .literal(String(decoding: word, as: UTF8.self))
  }

  private mutating func set() throws -> URLGlob.Part {
    let start = position
    position += 1
    var words: [[UInt8]] = [[]]
    while let byte = peek {
      switch byte {
      case "{", "[": throw failure("nested brace")
      case "]": throw failure("unexpected close bracket")
      case "}" where position == start + 1: throw failure("empty string within braces")
      case "}":
        position += 1
        try multiply(UInt(words.count))
        return .set(words.map { String(decoding: $0, as: UTF8.self) })
      case ",": words.append([])
      default:
        if byte == "\\", position + 1 < bytes.count { position += 1 }
        words[words.count - 1].append(bytes[position])
      }
      position += 1
    }
    position = start
    throw failure("unmatched brace")
  }

  private mutating func range() throws -> URLGlob.Part {
    position += 1
    guard let byte = peek, byte.isASCII, byte.isLetter || byte.isNumber else { throw failure("bad range specification") }
    let start = position
    let width = byte == "0" ? bytes[position...].prefix { $0.isDigit }.count : 0
    var (first, last): (UInt?, UInt?)
    if byte.isNumber {
      first = number()
      guard first != nil, skip("-") else { throw failure("bad range") }
      while skip(" ") || skip("\t") {}
      last = number()
    } else if bytes.count > position + 3, bytes[position + 1] == UInt8(ascii: "-") {
      (first, last) = (UInt(bytes[position]), UInt(bytes[position + 2]))
      position += 3
    }
    guard let first, let last, byte.isNumber || peek == ":" || peek == "]" else {
      if byte.isLetter { position = start }
      throw failure("bad range")
    }
    var step: UInt = 1
    if skip(":") {
      guard let number = number() else { throw failure("bad range") }
      step = number
    }
    guard skip("]"), last >= first, byte.isNumber || last - first <= 25, step > 0,
      first == last ? step == 1 : step <= last - first
    else { throw failure("bad range") }
    let (count, overflow) = ((last - first) / step).addingReportingOverflow(1)
    guard !overflow else { throw failure("range overflow") }
    try multiply(count)
    return .range(first: first, count: count, step: step, width: byte.isNumber ? width : nil)
  }

  /// Parses a decimal number at the position. Returns nil and keeps the position if there is no number or it is too large.
  private mutating func number() -> UInt? {
    let digits = bytes[position...].prefix { $0.isDigit }
    guard let number = UInt(String(decoding: digits, as: UTF8.self)) else { return nil }
    position += digits.count
    return number
  }

  private mutating func multiply(_ factor: UInt) throws {
    let (product, overflow) = count.multipliedReportingOverflow(by: factor)
    guard !overflow else { throw failure("range overflow") }
    count = product
  }

  private func failure(_ reason: String) -> CommandFailure {
    // The line below the error would show a password.
    let isSecret = Secrets().redacting(urlText: text) != text
    let lines = isSecret ? [] : [text, String(repeating: " ", count: position) + "^"]
    return CommandFailure(3, "\(reason) in URL position \(position + 1):", below: lines)
  }
}

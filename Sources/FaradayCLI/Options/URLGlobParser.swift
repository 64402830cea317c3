import Faraday

/// Parses a ``URLGlob``. Positions in errors count bytes from 1, as curl's do.
struct URLGlobParser {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0
  private(set) var count: UInt = 1

  /// More parts are an error, as in curl.
  private static let maximumParts = 100

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func parse() throws -> [URLGlobPart] {
    var parts: [URLGlobPart] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "{"): parts.append(try set())
      case UInt8(ascii: "[") where literalBrackets == 0: parts.append(try range())
      default: parts.append(try literal())
      }
      guard parts.count < Self.maximumParts else { throw failure("too many globs") }
    }
    return parts
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The length of an IPv6 address in brackets, or of `[]`, which mean themselves; 0 if the bracket begins a range.
  private var literalBrackets: Int {
    guard peek == UInt8(ascii: "["), let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else { return 0 }
    let inner = bytes[(position + 1)..<end]
    if inner.isEmpty { return 2 }
    let address = IPAddress(String(decoding: inner.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self))
    return address.map { !$0.isIPv4 } == true ? inner.count + 2 : 0
  }

  private mutating func literal() throws -> URLGlobPart {
    var word: [UInt8] = []
    while let byte = peek, byte != UInt8(ascii: "{") {
      let skipped = literalBrackets
      if skipped > 0 {
        word += bytes[position..<(position + skipped)]
        position += skipped
        continue
      }
      if byte == UInt8(ascii: "[") { break }
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { throw failure("unmatched close brace/bracket") }
      if byte == UInt8(ascii: "\\"), position + 1 < bytes.count, "{}[]".utf8.contains(bytes[position + 1]) { position += 1 }
      word.append(bytes[position])
      position += 1
    }
    return .literal(String(decoding: word, as: UTF8.self))
  }

  private mutating func set() throws -> URLGlobPart {
    let start = position
    position += 1
    var words: [String] = []
    var word: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): throw failure("nested brace")
      case UInt8(ascii: "]"): throw failure("unexpected close bracket")
      case UInt8(ascii: "}") where position == start + 1: throw failure("empty string within braces")
      case UInt8(ascii: ","), UInt8(ascii: "}"):
        words.append(String(decoding: word, as: UTF8.self))
        word = []
        position += 1
        guard byte == UInt8(ascii: "}") else { continue }
        try multiply(UInt(words.count))
        return .set(words)
      default:
        if byte == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
        word.append(bytes[position])
        position += 1
      }
    }
    position = start
    throw failure("unmatched brace")
  }

  private mutating func range() throws -> URLGlobPart {
    position += 1
    guard let byte = peek else { throw failure("bad range specification") }
    if byte.isDigit { return try numbers() }
    guard (0x61...0x7A).contains(byte | 0x20) else { throw failure("bad range specification") }
    return try letters(from: byte)
  }

  private mutating func letters(from first: UInt8) throws -> URLGlobPart {
    let rest = bytes[position...]
    guard rest.count >= 4, rest[position + 1] == UInt8(ascii: "-"), rest[position + 3] != UInt8(ascii: "-") else {
      throw failure("bad range")
    }
    let last = rest[position + 2]
    var step: UInt = 1
    let mark = position + 3
    if bytes[mark] == UInt8(ascii: ":") {
      let start = position
      position = mark + 1
      guard let number = number(), peek == UInt8(ascii: "]") else {
        position = start
        throw failure("bad range")
      }
      step = number
    } else {
      guard bytes[mark] == UInt8(ascii: "]") else { throw failure("bad range") }
      position = mark
    }
    position += 1
    let span = UInt(last) &- UInt(first)
    guard last >= first, span <= 25, step > 0, first == last ? step == 1 : step <= span else { throw failure("bad range") }
    try multiply(span / step + 1)
    return .letters(first: first, count: span / step + 1, step: step)
  }

  private mutating func numbers() throws -> URLGlobPart {
    let width = peek == UInt8(ascii: "0") ? bytes[position...].prefix { $0.isDigit }.count : 0
    guard let first = number(), peek == UInt8(ascii: "-") else { throw failure("bad range") }
    position += 1
    while peek == 0x20 || peek == 0x09 { position += 1 }
    guard let last = number() else { throw failure("bad range") }
    var step: UInt = 1
    if peek == UInt8(ascii: ":") {
      position += 1
      guard let number = number() else { throw failure("bad range") }
      step = number
    }
    guard peek == UInt8(ascii: "]") else { throw failure("bad range") }
    position += 1
    guard last >= first, step > 0, first == last ? step == 1 : step <= last - first else { throw failure("bad range") }
    let (count, overflow) = ((last - first) / step).addingReportingOverflow(1)
    guard !overflow else { throw failure("range overflow") }
    try multiply(count)
    return .numbers(first: first, count: count, step: step, width: width)
  }

  /// The decimal number here, which is left behind only if it is one that fits.
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
    // The line below it would show a password.
    let isSecret = Secrets().redacting(urlText: text) != text
    let lines = isSecret ? [] : [text, String(repeating: " ", count: position) + "^"]
    return CommandFailure(3, "\(reason) in URL position \(position + 1):", below: lines)
  }
}

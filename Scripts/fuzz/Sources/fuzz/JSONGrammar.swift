/// Says of bytes whether they are JSON: the grammar of RFC 8259, written down once more, with nothing read out of it.
struct JSONGrammar {
  private var rest: ArraySlice<UInt8>
  /// Whether there is a number in it that a double may be too small for.
  private var isHuge = false

  enum Verdict { case json, hugeJSON, none }

  static func verdict(on bytes: [UInt8]) -> Verdict {
    var grammar = JSONGrammar(rest: bytes[...])
    guard String(validating: bytes, as: UTF8.self) != nil, grammar.element(), grammar.rest.isEmpty else { return .none }
    return grammar.isHuge ? .hugeJSON : .json
  }

  private init(rest: ArraySlice<UInt8>) { self.rest = rest }

  /// A value with the white space around it.
  private mutating func element() -> Bool {
    skipBlanks()
    defer { skipBlanks() }
    switch rest.first {
    case UInt8(ascii: "{"): return list(to: "}") { $0.member() }
    case UInt8(ascii: "["): return list(to: "]") { $0.element() }
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return take("true")
    case UInt8(ascii: "f"): return take("false")
    case UInt8(ascii: "n"): return take("null")
    default: return number()
    }
  }

  private mutating func list(to end: String, of element: (inout JSONGrammar) -> Bool) -> Bool {
    rest.removeFirst()
    skipBlanks()
    if take(end) { return true }
    repeat { guard element(&self) else { return false } } while take(",")
    return take(end)
  }

  private mutating func member() -> Bool {
    skipBlanks()
    guard string() else { return false }
    skipBlanks()
    return take(":") && element()
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return true }
      if byte < 0x20 || byte == UInt8(ascii: "\\") && !escape() { return false }
    }
    return false
  }

  /// What follows the backslash. A surrogate has its other half behind it (section 8.2 leaves that open; here it must).
  private mutating func escape() -> Bool {
    guard let byte = rest.popFirst() else { return false }
    guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
    guard let unit = codeUnit() else { return false }
    switch unit {
    case 0xD800..<0xDC00: return take("\\") && take("u") && codeUnit().map { (0xDC00..<0xE000).contains($0) } == true
    case 0xDC00..<0xE000: return false
    default: return true
    }
  }

  private mutating func codeUnit() -> UInt16? {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isASCIIHexDigit }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard let whole = digits(), whole.count == 1 || whole.first != UInt8(ascii: "0") else { return false }
    if whole.count > 200 { isHuge = true }
    if take(".") { guard digits() != nil else { return false } }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard let exponent = digits() else { return false }
      if exponent.count > 2 { isHuge = true }
    }
    return true
  }

  private mutating func digits() -> ArraySlice<UInt8>? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest[digits.endIndex...]
    return digits.isEmpty ? nil : digits
  }

  private mutating func take(_ word: String) -> Bool {
    guard rest.starts(with: word.utf8) else { return false }
    rest = rest.dropFirst(word.utf8.count)
    return true
  }

  private mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } }
}

extension Character {
  fileprivate var isASCIIHexDigit: Bool { isASCII && isHexDigit }
}

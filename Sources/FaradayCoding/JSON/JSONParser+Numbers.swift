extension JSONParser {
  /// Reads a number (RFC 8259, section 6). A whole one that fits is an `Int64`; of any other the text is kept.
  mutating func number() throws(MalformedJSON) -> JSONNumber {
    let start = offset
    let isNegative = bytes[offset] == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    let firstDigit = offset
    var value: UInt64 = 0
    while offset < bytes.count, bytes[offset].isDigit {
      // It is not looked at where it would be too large.
      value = value &* 10 &+ UInt64(bytes[offset] &- UInt8(ascii: "0"))
      offset += 1
    }
    let digits = offset - firstDigit
    guard digits > 0 else { throw missingDigit() }
    guard digits == 1 || bytes[firstDigit] != UInt8(ascii: "0") else { throw fail(.invalidNumber, at: firstDigit + 1) }
    let hasFraction = try fraction()
    let hasExponent = try exponent()
    // Nineteen digits fit in 64 bits without a sign.
    if !hasFraction, !hasExponent, digits <= 19, value <= UInt64(Int64.max), !(isNegative && value == 0) {
      return JSONNumber(.int64(isNegative ? -Int64(value) : Int64(value)))
    }
    return JSONNumber(.literal(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self)))
  }

  private mutating func fraction() throws(MalformedJSON) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: ".") else { return false }
    offset += 1
    try digits()
    return true
  }

  private mutating func exponent() throws(MalformedJSON) -> Bool {
    guard offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") else { return false }
    offset += 1
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") { offset += 1 }
    try digits()
    return true
  }

  private mutating func digits() throws(MalformedJSON) {
    let start = offset
    while offset < bytes.count, bytes[offset].isDigit { offset += 1 }
    guard offset > start else { throw missingDigit() }
  }

  private func missingDigit() -> MalformedJSON { fail(offset < bytes.count ? .invalidNumber : .unexpectedEnd) }
}

extension UInt8 {
  /// Whether it is an ASCII `0` to `9`.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

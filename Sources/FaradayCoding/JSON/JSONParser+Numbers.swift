internal import FaradayCore

extension JSONParser {
  /// Parses a number (RFC 8259, section 6). Keeps the text of a number that ``JSONNumber/Storage/decimal(_:places:)`` cannot
  /// represent.
  mutating func number() throws(JSONError) -> JSONNumber {
    let start = offset
    let isNegative = skip(UInt8(ascii: "-"))
    // An overflowed value is never used.
    var value: UInt64 = 0
    let whole = try digits(&value)
    guard whole == 1 || bytes[offset - whole] != UInt8(ascii: "0") else { throw fail(.invalidNumber, at: offset - whole + 1) }
    let places = skip(UInt8(ascii: ".")) ? try digits(&value) : 0
    let hasExponent = try exponent()
    // Nineteen digits fit in 64 unsigned bits. A decimal zero has no sign.
    if !hasExponent, whole + places <= 19, value <= UInt64(Int64.max), !isNegative || value > 0 {
      return JSONNumber(.decimal(isNegative ? -Int64(value) : Int64(value), places: UInt8(places)))
    }
    return JSONNumber(.literal(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self)))
  }

  private mutating func exponent() throws(JSONError) -> Bool {
    guard offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") else { return false }
    offset += 1
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") { offset += 1 }
    var value: UInt64 = 0
    _ = try digits(&value)
    return true
  }

  /// Parses one or more digits and returns their number. Appends them to the value, which may overflow silently.
  @inline(__always)
  private mutating func digits(_ value: inout UInt64) throws(JSONError) -> Int {
    let start = offset
    var place = start
    while place < bytes.count, bytes[place].isDigit {
      value = value &* 10 &+ UInt64(bytes[place] &- UInt8(ascii: "0"))
      place &+= 1
    }
    offset = place
    guard place > start else { throw fail(place < bytes.count ? .invalidNumber : .unexpectedEnd) }
    return place &- start
  }
}

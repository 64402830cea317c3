internal import FaradayCore

extension JSONParser {
  /// Parses a string after its opening quote (RFC 8259, section 7).
  @inline(__always)
  mutating func string() throws(JSONError) -> String {
    let start = offset
    let isASCII = skipPlain()
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    guard bytes[offset] == UInt8(ascii: "\"") else { return try escapedString(from: start, isASCII: isASCII) }
    let content = UnsafeBufferPointer(rebasing: bytes[start..<offset])
    offset += 1
    if !isASCII, let place = content.firstInvalidUTF8 { throw fail(.invalidUTF8, at: start + place) }
    // Validated above, because `String(validating:as:)` takes several times as long.
    return String(decoding: content, as: UTF8.self)
  }

  /// Parses a member name after its opening quote. The bits are a small hash: equal names have equal bits.
  @inline(__always)
  mutating func name() throws(JSONError) -> (String, bits: UInt64) {
    let start = offset
    if let (name, bit, count) = names.expected(at: start, in: bytes) {
      offset = start &+ count &+ 1
      return (name, bit)
    }
    guard skipPlain(), offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      offset = start
      // All bits: an escaped name may equal any unescaped name.
      return (try string(), .max)
    }
    offset &+= 1
    let (name, bit) = names.find(start..<(offset - 1), in: bytes)
    return (name, bit)
  }

  /// The rest of a string that contains an escape or an invalid character.
  private mutating func escapedString(from start: Int, isASCII: Bool) throws(JSONError) -> String {
    scratch.removeAll(keepingCapacity: true)
    var plain = start
    var isASCII = isASCII
    while true {
      let content = UnsafeBufferPointer(rebasing: bytes[plain..<offset])
      if !isASCII, let place = content.firstInvalidUTF8 { throw fail(.invalidUTF8, at: plain + place) }
      scratch.append(contentsOf: content)
      guard offset < bytes.count else { throw fail(.unexpectedEnd) }
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        return String(decoding: scratch, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape()
      default: throw fail(.controlCharacter)
      }
      plain = offset
      isASCII = skipPlain()
    }
  }

  /// Skips to the next quote, backslash or control character, eight bytes at a time (SWAR). Returns false if there may be
  /// non-ASCII bytes before it.
  @inline(__always)
  private mutating func skipPlain() -> Bool {
    var seen: UInt64 = 0
    var place = offset
    defer { offset = place }
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let raw = UnsafeRawBufferPointer(bytes)
    while place &+ 8 <= raw.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      // A byte is zero if its highest bit is set after subtracting one, and was not set before. Only the first zero byte found
      // is reliable, because the subtraction may borrow from the bytes after it.
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- (ones &* 0x20)) & ~word)
      seen |= word
      guard found & highs == 0 else {
        place &+= (found & highs).trailingZeroBitCount / 8
        return seen & highs == 0
      }
      place &+= 8
    }
    while place < bytes.count, bytes[place] >= 0x20, bytes[place] != 0x22, bytes[place] != 0x5C {
      seen |= UInt64(bytes[place])
      place &+= 1
    }
    return seen & highs == 0
  }

  private mutating func escape() throws(JSONError) {
    guard offset + 1 < bytes.count else { throw fail(.unexpectedEnd, at: bytes.count) }
    let character = bytes[offset + 1]
    switch character {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(character)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw fail(.invalidEscape)
    }
    offset += 2
  }

  /// Parses one `\u` escape, or two escapes that form a surrogate pair.
  private mutating func unicodeEscape() throws(JSONError) {
    let start = offset
    var scalar = UInt32(try codeUnit())
    if scalar & 0xFC00 == 0xD800 {
      guard offset + 1 < bytes.count else {
        // The second escape of the pair is missing.
        throw offset == bytes.count ? fail(.unexpectedEnd) : fail(.loneSurrogate, at: start)
      }
      guard bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") else {
        throw fail(.loneSurrogate, at: start)
      }
      let low = UInt32(try codeUnit())
      guard low & 0xFC00 == 0xDC00 else { throw fail(.loneSurrogate, at: start) }
      scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
    }
    // Only unpaired low surrogates fail here.
    guard let scalar = Unicode.Scalar(scalar) else { throw fail(.loneSurrogate, at: start) }
    scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for place in (offset + 2)..<(offset + 6) {
      guard place < bytes.count else { throw fail(.unexpectedEnd, at: bytes.count) }
      guard let digit = bytes[place].hexDigitValue else { throw fail(.invalidEscape) }
      unit = unit << 4 | UInt16(digit)
    }
    offset += 6
    return unit
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The index of the first byte sequence that is not valid UTF-8 (RFC 3629): truncated, overlong, a surrogate, or above
  /// U+10FFFF.
  var firstInvalidUTF8: Int? {
    var place = 0
    while place < count {
      let first = self[place]
      guard first >= 0x80 else {
        place += 1
        continue
      }
      let (length, second): (Int, ClosedRange<UInt8>)
      switch first {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return place
      }
      guard place + length <= count, second.contains(self[place + 1]) else { return place }
      for rest in stride(from: place + 2, to: place + length, by: 1) where self[rest] & 0xC0 != 0x80 { return place }
      place += length
    }
    return nil
  }
}

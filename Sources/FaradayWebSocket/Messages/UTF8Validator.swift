/// A validator for UTF-8 in pieces (RFC 3629, section 4): it finds an error at its first wrong byte.
struct UTF8Validator {
  /// The number of bytes that the current character lacks.
  private var missing = 0
  /// The bounds of the next byte of the current character.
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  /// Whether the bytes so far do not end within a character.
  var isComplete: Bool { missing == 0 }

  /// Adds bytes. Returns false if the text is invalid.
  mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          index += 8
        }
        guard index < bytes.count else { return true }
      }
      guard accepts(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  private mutating func accepts(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard byte >= lower, byte <= upper else { return false }
      missing -= 1
      (lower, upper) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case 0...0x7F: break
    case 0xC2...0xDF: missing = 1
    // Neither overlong forms nor surrogates, and nothing beyond U+10FFFF.
    case 0xE0: (missing, lower) = (2, 0xA0)
    case 0xED: (missing, upper) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lower) = (3, 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, upper) = (3, 0x8F)
    default: return false
    }
    return true
  }
}

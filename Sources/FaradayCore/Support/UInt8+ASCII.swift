extension UInt8 {
  /// Whether the byte is an ASCII digit, `0` to `9`.
  @inlinable package var isDigit: Bool { self &- 0x30 < 10 }

  /// The byte in lower case if it is an ASCII letter, for case-insensitive comparison.
  @inlinable package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// Whether the byte is an ASCII hexadecimal digit: `0` to `9`, `a` to `f` or `A` to `F`.
  package var isHexDigit: Bool { hexDigitValue != nil }

  /// The value of an ASCII hexadecimal digit; nil for any other byte.
  package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether the byte is a token character: a method or field name (RFC 9110, section 5.6.2).
  package var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
      UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether the byte is CR, LF or NUL, which a field value must not contain (RFC 9110, section 5.5).
  package var endsLine: Bool { self == 0x0A || self == 0x0D || self == 0 }
}

extension UInt8 {
  /// Whether it is an ASCII `0` to `9`, `a` to `f` or `A` to `F`.
  package var isHexDigit: Bool { hexDigitValue != nil }

  /// What it stands for as an ASCII digit of base 16.
  package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

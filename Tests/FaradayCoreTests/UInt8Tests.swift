import FaradayCore
import Testing

@Suite struct UInt8Tests {
  @Test func `digits of base 16 are those of ASCII alone`() {
    let digits = Array("0123456789abcdefABCDEF".utf8)
    #expect((UInt8.min ... .max).filter(\.isHexDigit) == digits.sorted())
    for digit in digits { #expect(digit.hexDigitValue == UInt8(String(UnicodeScalar(digit)), radix: 16)) }
  }
}

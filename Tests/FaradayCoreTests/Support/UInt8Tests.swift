import FaradayCore
import Testing

@Suite struct UInt8Tests {
  @Test func `only ASCII hexadecimal digits are accepted`() {
    let digits = Array("0123456789abcdefABCDEF".utf8)
    #expect((UInt8.min ... .max).filter(\.isHexDigit) == digits.sorted())
    for digit in digits { #expect(digit.hexDigitValue == UInt8(String(UnicodeScalar(digit)), radix: 16)) }
  }

  @Test func `only ASCII digits and letters are accepted`() {
    #expect((UInt8.min ... .max).filter(\.isDigit) == Array("0123456789".utf8))
    let capitals = (UInt8.min ... .max).filter { $0.asciiLowercased != $0 }
    #expect(String(decoding: capitals, as: UTF8.self) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    #expect(String(decoding: capitals.map(\.asciiLowercased), as: UTF8.self) == "abcdefghijklmnopqrstuvwxyz")
  }
}

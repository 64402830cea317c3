import FaradayCoding
import FoundationEssentials
import Testing

@Suite struct JSONNumberTests {
  private func read(_ text: String) throws -> JSONNumber { try #require(JSONValue(text: text).number) }

  @Test(arguments: ["", "+1", "01", "1.", ".5", "1e", " 1", "1 ", "0x1", "nan", "inf", "1,0", "\"1\"", "[1]"])
  func `numbers that JSON cannot express are nil`(text: String) { #expect(JSONNumber(text) == nil) }

  @Test(arguments: [
    "0", "-0", "1", "-1", "1.0", "1.50", "0.10", "1e2", "1E+02", "-0.0e-0", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "18446744073709551615", "123456789012345678901234567890", "3.141592653589793238462643383279502884",
    "1e400", "1e-400", "0.0", "-0.0", "-0.5", "0.05", "-10.010", "999999999999999999.9", "0.000000000000000001",
    "0.0000000000000000001", "922337203685477580.7", "-922337203685477580.7", "922337203685477580.8", "-922337203685477580.8",
  ])
  func `a number keeps its digits`(text: String) throws {
    #expect(try read(text).literal == text && JSONNumber(text)?.description == text)
    #expect(try JSONValue(text: "[\(text)]").text() == "[\(text)]")
  }

  @Test(
    arguments: [
      ("0", 0, 0), ("-0", 0, 0), ("-1", -1, nil), ("1.0", 1, 1), ("10e-1", 1, 1), ("1.5", nil, nil), ("1e3", 1000, 1000),
      ("-1.20e1", -12, nil), ("9223372036854775807", .max, UInt64(Int64.max)), ("9223372036854775808", nil, 1 << 63),
      ("-9223372036854775808", .min, nil), ("-9223372036854775809", nil, nil), ("18446744073709551615", nil, .max),
      ("18446744073709551616", nil, nil), ("1e19", nil, 10_000_000_000_000_000_000), ("1e20", nil, nil), ("0e99", 0, 0),
      ("1e999999999999999999999", nil, nil), ("0.00000000000000000000000000000e5", 0, 0),
    ] as [(String, Int64?, UInt64?)])
  func `a whole number is an integer in any notation if it fits`(text: String, signed: Int64?, unsigned: UInt64?) throws {
    let number = try read(text)
    #expect(number.int64 == signed && number.uint64 == unsigned && JSONValue.number(number).int == signed)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", -0.0), ("0.1", 0.1), ("1e2", 100), ("9007199254740993", 9_007_199_254_740_992), ("1e-400", 0),
      ("1e400", nil),
      ("-1e400", nil), ("0.3", 0.3), ("-19.90", -19.9), ("0.000000000000000001", 1e-18),
      ("9007199254740991.5", 9_007_199_254_740_992),
      ("900719925474099.1", 900_719_925_474_099.1), ("0.14285714285714285", 1.0 / 7), ("7.3785690282684228", 7.378569028268423),
      ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude),
    ] as [(String, Double?)])
  func `a Double is the nearest one, if there is one`(text: String, double: Double?) throws {
    #expect(try read(text).double == double && JSONValue.number(read(text)).double == double)
  }

  @Test(arguments: [
    ["1", "1.0", "10e-1", "0.1E1", "1.000"], ["0", "-0", "0.0", "0e5"], ["-120", "-1.2e2", "-1200e-1"],
    ["19.9", "19.90", "199e-1"],
  ])
  func `numbers are equal by value`(texts: [String]) throws {
    for left in texts {
      for right in texts { #expect(try read(left) == read(right) && read(left).hashValue == read(right).hashValue) }
    }
  }

  @Test(arguments: [
    ("1", "-1"), ("1", "10"), ("1.5", "15"), ("1.5", "0.15"), ("0.5", "-0.5"), ("1", "1.0000000000000000000000001"),
    ("9007199254740993", "9007199254740992"), ("0.1", "0.10001"),
    ("12", "21"), ("1e99999999999", "1e99999999998"), ("1e400", "1e401"),
  ])
  func `numbers that differ in any digit are not equal`(left: String, right: String) throws {
    #expect(try read(left) != read(right))
  }

  @Test func `numbers can be made from Swift numbers`() throws {
    #expect(JSONNumber(UInt64.max).literal == "18446744073709551615" && JSONNumber(-5).literal == "-5")
    #expect(JSONNumber(0.1).literal == "0.1" && JSONNumber(1e300).double == 1e300)
    #expect(JSONValue.int(UInt64.max).number?.uint64 == .max && JSONValue.double(2.5).double == 2.5)
    #expect(JSONNumber(Double.nan).isFinite == false && JSONNumber(-Double.infinity).isFinite == false)
    #expect(JSONNumber(Double.infinity).double == .infinity && JSONNumber(Double.nan).int64 == nil)
  }
}

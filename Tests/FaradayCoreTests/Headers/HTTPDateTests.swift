import FaradayCore
import FoundationEssentials
import Testing

@Suite struct HTTPDateTests {
  /// 2026-01-01 00:00:00.
  private let now = Date(timeIntervalSince1970: 1_767_225_600)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "sun, 06 nov 1994 08:49:37 utc",
  ])
  func `the formats of RFC 9110 are parsed strictly and leniently`(text: String) {
    let date = Date(timeIntervalSince1970: 784_111_777)
    #expect(HTTPDate.parseStrictly(text, now: now) == date && HTTPDate.parse(text) == date)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12])
  func `a two-digit year parses to nil if the current time is invalid`(now: Double) {
    #expect(HTTPDate.parseStrictly("Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: now)) == nil)
  }

  @Test(arguments: [("94", 1994), ("19", 2019), ("20", 1920), ("69", 1969), ("70", 1970)])
  func `a two-digit year is the latest one at most 50 years after the current time`(digits: String, year: Int) {
    let date = HTTPDate.parseStrictly("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: Date(timeIntervalSince1970: 0))
    #expect(date == HTTPDate.parse("Sun, 06 Nov \(year) 08:49:37 GMT"))
  }
}

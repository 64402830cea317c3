import FoundationEssentials
import Testing

@testable import FaradayMiddleware

@Suite struct TimestampTests {
  @Test(arguments: [Double.nan, -.infinity, .infinity, -1e300, 1e300])
  func `a clock without a valid date expires nothing`(seconds: Double) {
    let text = Timestamp.basic(Date(timeIntervalSince1970: seconds))
    #expect(text == (seconds > 0 ? "99991231T235959Z" : "19700101T000000Z"))
  }

  @Test(arguments: [
    (0.0, "19700101 00:00:00"), (951_782_399, "20000228 23:59:59"), (951_782_400, "20000229 00:00:00"),
    (1_440_938_160, "20150830 12:36:00"), (1_767_225_599.9, "20251231 23:59:59"), (4_107_542_400, "21000301 00:00:00"),
  ])
  func `dates can be written and read back`(seconds: Double, text: String) throws {
    #expect(Timestamp.spaced(Date(timeIntervalSince1970: seconds)) == text)
    #expect(Timestamp.parse(text) == Date(timeIntervalSince1970: seconds.rounded(.down)))
  }

  @Test(arguments: ["", "20150230 12:36:00", "20151330 12:36:00", "20150830 24:36:00", "20150830T12:36:00", "2015083 12:36:000"])
  func `invalid dates parse to nil`(text: String) {
    #expect(Timestamp.parse(text) == nil)
  }
}

import Faraday
import FoundationEssentials
import Testing

/// Parsing of the date of `Expires` (RFC 6265bis, section 5.1.1). A cookie with an invalid date is a session cookie.
@Suite struct CookieDateTests {
  /// The parsed `Expires`, in seconds since 1970.
  private func expiry(_ text: String, now: Double) throws -> Double? {
    let jar = CookieJar(now: { Date(timeIntervalSince1970: now) })
    try jar.receive("a=1; Expires=\(text)", from: #require(URL(string: "http://example.com/")))
    return try #require(jar.cookies.first).expires?.timeIntervalSince1970
  }

  @Test(arguments: [
    "", "tomorrow", "0", "Thu, 01 Jan 2026", "01 Jan 08:00:00", "Jan 2026 08:00:00", "01 2026 08:00:00",
    // A day that no month has, and years without a leap day.
    "00 Jan 2026 08:00:00", "32 Jan 2026 08:00:00", "31 Apr 2026 08:00:00", "29 Feb 2026 08:00:00", "29 Feb 2100 08:00:00",
    // Times that no clock shows.
    "01 Jan 2026 24:00:00", "01 Jan 2026 08:60:00", "01 Jan 2026 08:00:60",
    // Too few and too many digits.
    "01 Jan 2026 08:00", "01 Jan 2026 008:00:00", "01 Jan 2026 08:000:00", "01 Jan 2026 08:00:000", "01 Jan 2026 8h:00:00",
    "001 Jan 2026 08:00:00", "01 Jan 20260 08:00:00", "01 Jan 6 08:00:00", "01 Jan 1600 08:00:00",
    // The minus separates parts, and the colon does not.
    "01:Jan:2026 08:00:00", "01 Januar2026 08:00:00", "01 Jan 2026 08-00-00",
  ])
  func `incomplete or impossible dates parse to nil`(text: String) throws {
    #expect(try expiry(text, now: 1_767_200_000) == nil)
  }

  @Test(arguments: [
    ("Wed, 09 Dec 2009 16:27:23 GMT", 1_260_376_043.0), ("Mon, 10-Dec-2007 17:02:24 GMT", 1_197_306_144),
    ("Mon Dec 10 16:32:30 2007 GMT", 1_197_304_350), ("Wednesday, 01-Jan-10 00:00:00 GMT", 1_262_304_000),
    ("Saturday, 8-Dec-2012 21:24:09 GMT", 1_355_001_849), ("Thu, 31 Dec 23:55:55 2037 GMT", 2_145_916_555),
    ("Sun,  9 Dec 2012 13:42:05 GMT", 1_355_060_525), ("Wednesday, 01-Jan-10 0:0:00 GMT", 1_262_304_000),
    ("Thu, 10 Dec 2009 13:57:2 GMT", 1_260_453_422),
    // Zones are not looked at.
    ("Wed Dec 12 2007 08:44:07 GMT-0500 (EST)", 1_197_449_047), ("Wed, 12 Dec 2007 08:44:07 +0200", 1_197_449_047),
    // Any order, any mark, any case, and whatever stands behind a number or a month.
    ("08:44:07 2007 dec 12", 1_197_449_047), ("12-DEcember_2007/08:44:07pm", 1_197_449_047),
    ("2007th 12th Dec 08:44:07.5", 1_197_449_047), ("(12)\"Dec\"<2007>=08:44:07", 1_197_449_047),
    // The first that fits is taken: this is the 20th of a year 12.
    ("20 12 Dec 08:44:07", 1_355_993_047),
    // Years of two digits.
    ("01 Jan 69 00:00:00", 3_124_224_000), ("01 Jan 70 00:00:00", 0),
    ("29 Feb 2000 12:00:00", 951_825_600), ("29 Feb 2024 12:00:00", 1_709_208_000),
  ])
  func `dates parse in nearly any order and format`(text: String, seconds: Double) throws {
    // One day before the limit, so that it is neither in the past nor too far ahead.
    #expect(try expiry(text, now: seconds - 86_400) == seconds)
  }

  @Test(arguments: ["01 Jan 1601 00:00:00 GMT", "Thu, 01-Jan-1970 00:00:00 GMT"])
  func `a date in the past removes the cookie`(text: String) throws {
    let jar = CookieJar()
    let url = try #require(URL(string: "http://example.com/"))
    try jar.receive("a=1", from: url)
    try jar.receive("a=; Expires=\(text)", from: url)
    #expect(jar.cookies.isEmpty && jar.header(for: url) == nil)
  }

  @Test func `no cookie is kept longer than 400 days`() throws {
    let now = 1_767_225_600.0
    let latest = now + 400 * 86_400
    #expect(try expiry("Fri, 31 Dec 9999 23:59:59 GMT", now: now) == latest)
    for age in ["34560001", "99999999999999999999999999"] {
      let jar = CookieJar(now: { Date(timeIntervalSince1970: now) })
      try jar.receive("a=1; Max-Age=\(age)", from: #require(URL(string: "http://example.com/")))
      #expect(jar.cookies.first?.expires?.timeIntervalSince1970 == latest)
    }
  }
}

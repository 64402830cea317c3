/// Parses HTTP dates, leniently or strictly in the formats of RFC 9110.
package enum HTTPDate {
  /// Parses a date leniently, as cookies require: the parts in nearly any order and with nearly any delimiters (RFC 6265bis,
  /// section 5.1.1), which includes the three formats of RFC 9110, section 5.6.7. Nil if a part is missing or out of range.
  /// Time zones are ignored: the date is in UTC.
  package static func parse(_ text: some StringProtocol) -> Date? {
    var time: [Int]?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      let token = Array(token)
      // Each token is the first missing part that it matches, in this order.
      if time == nil, let found = clock(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = self.month(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year, time[2] < 60 else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    return date(day, month, year, time)
  }

  /// Parses only the three formats of RFC 9110, section 5.6.7: for `Expires`, where a malformed date means the past (RFC 9111,
  /// section 5.3). The comparison ignores case, and accepts `UTC` for `GMT`, as recommended for caches (section 4.2). The day
  /// of the week is not checked against the date.
  ///
  /// - Parameter now: the current time. A two-digit year means the latest matching date that is at most 50 years later.
  package static func parseStrictly(_ text: String, now: Date) -> Date? {
    let text = text.utf8.map(\.asciiLowercased)
    let words = text.split(separator: 0x20, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let zones = ["gmt", "utc"]
    switch words.count {
    case 6 where weekdays.contains { words[0] == $0.prefix(3) + "," }:
      // Sun, 06 Nov 1994 08:49:37 GMT
      guard let day = digits(words[1], 2), let year = digits(words[3], 4), zones.contains(words[5]) else { return nil }
      return date(day, words[2], year, words[4])
    case 4 where weekdays.contains { words[0] == $0 + "," }:
      // Sunday, 06-Nov-94 08:49:37 GMT
      let parts = words[1].utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { String($0) ?? "" }
      guard parts.count == 3, let day = digits(parts[0], 2), let year = digits(parts[2], 2), zones.contains(words[3]) else {
        return nil
      }
      // A time from a file can be any number, or NaN.
      guard now.timeIntervalSince1970.magnitude < 1e12 else { return nil }
      let latest = 1970 + Int(now.timeIntervalSince1970 / secondsPerYear) + 51
      let near = latest - (latest - year) % 100
      let found = date(day, parts[1], near, words[2])
      guard let found, found > now + 50 * secondsPerYear else { return found }
      return date(day, parts[1], near - 100, words[2])
    case 5 where weekdays.contains { words[0] == $0.prefix(3) }:
      // Sun Nov 16 08:49:37 1994
      guard let day = digits(words[2], 2), let year = digits(words[4], 4) else { return nil }
      return date(day, words[1], year, words[3])
    case 6 where weekdays.contains { words[0] == $0.prefix(3) } && words[2].isEmpty:
      // Sun Nov  6 08:49:37 1994
      guard let day = digits(words[3], 1), let year = digits(words[5], 4) else { return nil }
      return date(day, words[1], year, words[4])
    default: return nil
    }
  }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  /// The mean length of a year of the Gregorian calendar.
  private static let secondsPerYear = 31_556_952.0

  /// A date from a month and a time in the formats of RFC 9110: `nov` and `08:49:37`, which may be a leap second.
  private static func date(_ day: Int, _ month: String, _ year: Int, _ time: String) -> Date? {
    let parts = time.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { String($0).flatMap { digits($0, 2) } }
    guard let month = months.firstIndex(of: month), parts.count == 3, numbers.count == 3, numbers[2] <= 60 else { return nil }
    return date(day, month + 1, year, numbers)
  }

  /// A date from numbers; nil if a part is out of range.
  private static func date(_ day: Int, _ month: Int, _ year: Int, _ time: [Int]) -> Date? {
    guard year >= 1601, (1...length(ofMonth: month, year: year)).contains(day), time[0] < 24, time[1] < 60 else { return nil }
    let seconds = ((days(year: year, month: month, day: day) * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// A number with exactly `count` digits.
  private static func digits(_ text: String, _ count: Int) -> Int? {
    text.utf8.count == count && text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// A number of digits at the start of the token, followed by nothing or a non-digit.
  private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
    let number = token.prefix(while: \.isDigit)
    guard digits.contains(number.count) else { return nil }
    return number.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Hours, minutes and seconds, separated by colons, followed by nothing or a non-digit.
  private static func clock(_ token: [UInt8]) -> [Int]? {
    let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2 else { return nil }
    let numbers = parts.compactMap { number($0, digits: 1...2) }
    let areWhole = parts.prefix(2).allSatisfy { $0.allSatisfy(\.isDigit) }
    return numbers.count == 3 && areWhole ? numbers : nil
  }

  private static func month(_ token: [UInt8]) -> Int? {
    let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
    return months.firstIndex(of: name).map { $0 + 1 }
  }

  /// The three-letter names of the months in HTTP, in lower case.
  package static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  package static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day is the last day.
  package static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}

extension HTTPFields {
  /// The delay of `Retry-After` (RFC 9110, section 10.2.3), in seconds or as a date. With several fields the longest delay
  /// counts. Nil if there is no valid field.
  ///
  /// - Parameter now: the current time in seconds since 1970, for comparison with a date.
  package func retryAfter(now: () -> Int64) -> Duration? {
    self[values: .retryAfter].compactMap { Self.delay($0, now) }.max()
  }

  private static func delay(_ text: String, _ now: () -> Int64) -> Duration? {
    // Some adapters join several fields by commas. The longest delay counts.
    let numbers = text.split(separator: ",").map { $0.trimming() }
    if !numbers.isEmpty, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) {
      // A number with too many digits is a very long time.
      return .seconds(numbers.map { Swift.min(Int64($0) ?? .max, 1 << 40) }.max() ?? 0)
    }
    return HTTPDate.parse(text).map { .seconds(Swift.max(0, Int64($0.timeIntervalSince1970) - now())) }
  }
}

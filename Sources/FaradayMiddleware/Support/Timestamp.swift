internal import FaradayCore

/// Dates in UTC without the punctuation of ISO 8601: `20150830T123600Z` and `20150830 12:36:00`. Dates before 1970 and after
/// 9999 are clamped to the nearest date with a four-digit year; a date that is not a number is 1970.
enum Timestamp {
  /// The last second of the year 9999.
  static let latest = Date(timeIntervalSince1970: 253_402_300_799)

  /// `20150830T123600Z`, the basic format of ISO 8601.
  static func basic(_ date: Date) -> String {
    let (day, time) = digits(date)
    return "\(day)T\(time.joined())Z"
  }

  /// `20150830 12:36:00`, the format of curl's files. A fraction of a second is dropped.
  static func spaced(_ date: Date) -> String {
    let (day, time) = digits(date)
    return "\(day) \(time.joined(separator: ":"))"
  }

  /// Parses `20150830 12:36:00`, and the formats that ``HTTPDate`` parses, as curl does. Returns nil for an invalid date.
  static func parse(_ text: some StringProtocol) -> Date? {
    let bytes = Array(text.utf8)
    let signs: [Int: UInt8] = [8: UInt8(ascii: " "), 11: UInt8(ascii: ":"), 14: UInt8(ascii: ":")]
    let isSpaced = bytes.enumerated().allSatisfy { index, byte in signs[index].map { $0 == byte } ?? byte.isDigit }
    guard bytes.count == 17, isSpaced else { return HTTPDate.parse(text) }
    let number = { (range: Range<Int>) in bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
    let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
    let (hour, minute, second) = (number(9..<11), number(12..<14), number(15..<17))
    guard year >= 1, (1...12).contains(month), (1...HTTPDate.length(ofMonth: month, year: year)).contains(day), hour < 24,
      minute < 60, second < 60
    else { return nil }
    let days = HTTPDate.days(year: year, month: month, day: day)
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  private static func digits(_ date: Date) -> (day: String, time: [String]) {
    let seconds = date.timeIntervalSince1970
    let whole = seconds.isNaN ? 0 : Int(min(max(seconds, 0), latest.timeIntervalSince1970))
    let (days, second) = (whole / 86_400, whole % 86_400)
    // The Gregorian calendar, with years that start in March.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fifth = (5 * dayOfYear + 2) / 153
    let month = fifth < 10 ? fifth + 3 : fifth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let day = dayOfYear - (153 * fifth + 2) / 5 + 1
    return (
      padded(year, 4) + padded(month, 2) + padded(day, 2),
      [padded(second / 3600, 2), padded(second / 60 % 60, 2), padded(second % 60, 2)]
    )
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

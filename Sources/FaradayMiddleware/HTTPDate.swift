/// A date of HTTP (RFC 9110, section 5.6.7), in seconds since 1970.
enum HTTPDate {
  /// Reads the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`. Nil
  /// for anything else.
  ///
  /// - Parameter thisYear: a year of two digits that would be over 50 years ahead of it is one of the past.
  static func seconds(_ text: some StringProtocol, thisYear: Int = 2026) -> Int64? {
    let words = text.split(whereSeparator: { " ,-".contains($0) }).map { String($0) }
    switch words.count {
    case 6 where words[5] == "GMT":
      guard let day = number(words[1]), let month = month(words[2]), var year = number(words[3]) else { return nil }
      if words[3].count == 2 {
        year += thisYear / 100 * 100
        if year > thisYear + 50 { year -= 100 }
      } else if words[3].count != 4 {
        return nil
      }
      return seconds(year: year, month: month, day: day, time: words[4])
    case 5:
      guard let month = month(words[1]), let day = number(words[2]), let year = number(words[4]), words[4].count == 4 else {
        return nil
      }
      return seconds(year: year, month: month, day: day, time: words[3])
    default: return nil
    }
  }

  private static func seconds(year: Int, month: Int, day: Int, time: String) -> Int64? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], (1...31).contains(day),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return Int64(days(year: year, month: month, day: day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Days since 1970-01-01 of the Gregorian calendar, years counted from March so that the leap day is the last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static func month(_ text: String) -> Int? {
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].firstIndex(of: text).map { $0 + 1 }
  }
}

/// Parses HTTP dates leniently, as cookies require: the parts in nearly any order and with nearly any delimiters (RFC 6265bis,
/// section 5.1.1), which includes the three formats of RFC 9110, section 5.6.7.
package enum HTTPDate {
  /// Nil if a part is missing or out of range. Time zones are ignored: it is UTC.
  package static func parse(_ text: some StringProtocol) -> Date? {
    var time: [Int]?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      let token = Array(token)
      // Each part is the first token that fits and is not taken, and they are looked for in this order.
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
    guard let time, let day, let month, var year else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    guard year >= 1601, (1...length(ofMonth: month, year: year)).contains(day), time[0] < 24, time[1] < 60, time[2] < 60
    else { return nil }
    let seconds = ((days(year: year, month: month, day: day) * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// A number of so many digits, with nothing or a non-digit behind it.
  private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
    let number = token.prefix(while: \.isDigit)
    guard digits.contains(number.count) else { return nil }
    return number.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Hours, minutes and seconds, separated by colons, with nothing or a non-digit behind them.
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

  /// The months in the three letters of HTTP, in lower case.
  package static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  package static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 of the Gregorian calendar, years counted from March so that the leap day is the last.
  package static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}

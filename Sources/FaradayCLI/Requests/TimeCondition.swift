import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The time of `-z`: a date, or that of a file.
struct TimeCondition: Sendable, Equatable {
  /// Whether the response is wanted if it is older than that, and not if it is newer: a text that begins with a dash.
  let wantsOlder: Bool
  /// Since 1970.
  let seconds: Int

  /// Nil if the text is neither a date nor the name of a file.
  init?(_ text: String) {
    wantsOlder = text.hasPrefix("-")
    let date = text.first.map { "-+=".contains($0) } == true ? String(text.dropFirst()) : text
    guard let seconds = DateArgument.seconds(date) ?? Self.modification(of: date) else { return nil }
    self.seconds = seconds
  }

  /// The field of the request.
  var field: (name: String, value: String) {
    (wantsOlder ? "If-Unmodified-Since" : "If-Modified-Since", DateArgument.text(of: seconds))
  }

  /// Whether the response is wanted. A server may ignore the field, and its `Last-Modified` tells.
  func isMet(by response: Response) -> Bool {
    guard let modified = response.headers[.lastModified].flatMap({ DateArgument.seconds($0) }), modified != 0 else { return true }
    return wantsOlder ? modified < seconds : modified > seconds
  }

  private static func modification(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Glibc)
    return status.st_mtim.tv_sec
    #else
    return status.st_mtimespec.tv_sec
    #endif
  }
}

/// Dates in the forms that curl reads: those of HTTP, `2026-11-22`, `20261122 12:00`, `22 Nov 2026 12:00:00 +0100` and their like.
enum DateArgument {
  private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
  /// Hours east of Greenwich.
  private static let zones = [
    "gmt": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    "wet": 0, "bst": 1, "met": 1, "cet": 1, "mest": 2, "cest": 2, "eet": 2, "jst": 9,
  ]

  /// The seconds since 1970; nil for a text that is no date.
  static func seconds(_ text: String) -> Int? {
    var year: Int?
    var month: Int?
    var day: Int?
    var clock: [Int] = [0, 0, 0]
    var hasClock = false
    var offset: Int?
    for word in words(of: text) {
      let lower = word.lowercased()
      if let letter = lower.first, letter.isLetter {
        if let zone = zones[lower] {
          offset = zone * 3600
        } else if let number = HTTPDate.months.firstIndex(where: { lower.hasPrefix($0) }), month == nil {
          month = number
        } else if !days.contains(where: { lower.hasPrefix($0) }) {
          return nil
        }
      } else if lower.contains(":") {
        let parts = lower.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard (2...3).contains(parts.count), parts.allSatisfy({ (0...60).contains($0) }), parts[0] < 24, !hasClock else {
          return nil
        }
        clock = parts + (parts.count == 2 ? [0] : [])
        hasClock = true
      } else if let sign = lower.first, sign == "+" || sign == "-" {
        guard lower.count == 5, let number = Int(lower.dropFirst()), offset == nil || offset == 0 else { return nil }
        offset = (number / 100 * 60 + number % 100) * (sign == "+" ? 60 : -60)
      } else if let number = Int(lower) {
        if lower.count == 8, year == nil {
          (year, month, day) = (number / 10_000, number / 100 % 100 - 1, number % 100)
        } else if lower.count == 4, year == nil {
          year = number
        } else if month == nil, year != nil {
          month = number - 1
        } else if day == nil {
          day = number
        } else if year == nil, number < 100 {
          year = number > 70 ? 1900 + number : 2000 + number
        } else {
          return nil
        }
      }
    }
    guard let year, let month, let day, (1583...9999).contains(year), (0...11).contains(month), (1...31).contains(day) else {
      return nil
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(clock[0]), Int32(clock[1]), Int32(clock[2]))
    return timegm(&parts) - (offset ?? 0)
  }

  /// Words, numbers, times with their colons, and offsets with their sign.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    for piece in text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" }) {
      if piece.count == 5, let sign = piece.first, sign == "+" || sign == "-", !words.isEmpty {
        words.append(String(piece))
      } else {
        words += piece.split { $0 == "-" || $0 == "T" && piece.first?.isNumber == true }.map(String.init)
      }
    }
    return words
  }

  /// A date of HTTP: `Sun, 22 Nov 2026 12:00:00 GMT`.
  static func text(of seconds: Int) -> String {
    var seconds = time_t(seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Figures.padded($0, to: 2) }.joined(separator: ":")
    let (day, month) = (days[Int(parts.tm_wday)].capitalized, HTTPDate.months[Int(parts.tm_mon)].capitalized)
    return "\(day), \(Figures.padded(parts.tm_mday, to: 2)) \(month) \(1900 + Int(parts.tm_year)) \(clock) GMT"
  }
}

internal import FaradayCore

/// The value of a `Content-Range` of bytes (RFC 9110, section 14.4).
enum ContentRange: Equatable {
  /// `bytes 0-99/1000`, or `/*`: the first byte, the position after the last byte, and the total size if it is known.
  case part(start: Int64, end: Int64, total: Int64?)
  /// `bytes */1000`, of a 416.
  case unsatisfied(total: Int64)

  /// Returns nil unless there is exactly one field, its unit is bytes, and its numbers are consistent.
  init?(_ headers: HTTPFields) {
    let values = headers[values: .contentRange]
    guard values.count == 1 else { return nil }
    let words = values[0].split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let total = Self.number(halves[1])
    if halves[0] == "*" {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      total != nil || halves[1] == "*",  // Also if the total is unknown: a byte follows the last one.
      last < total ?? .max
    else { return nil }
    self = .part(start: first, end: last + 1, total: total)
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
  }
}

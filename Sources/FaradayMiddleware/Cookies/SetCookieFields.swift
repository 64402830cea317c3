internal import FaradayCore

/// Splits the `Set-Cookie` fields of a response into single cookies.
enum SetCookieFields {
  /// - Parameter keepsRepeatedHeaders: whether the adapter keeps repeated fields separate. If it joins them, they are split.
  static func values(in headers: HTTPFields, keepsRepeatedHeaders: Bool) -> [[UInt8]] {
    headers[fields: .setCookie].flatMap { field in
      let value = field.withUnsafeBytesOfValue { Array($0) }
      return keepsRepeatedHeaders ? [value] : split(value)
    }
  }

  /// Splits fields that were joined by commas. A comma separates two cookies if a name and an equals sign follow it, which
  /// never happens within a date, and if the comma is not within the quotes of a value. Two cases are ambiguous: a cookie
  /// without a name stays joined to the cookie before it, and a value that contains `, name=` without quotes is split.
  static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "="): index = endOfQuotes(bytes, from: index + 1)
      case UInt8(ascii: ",") where beginsCookie(bytes[(index + 1)...]):
        pieces.append(bytes[start..<index])
        start = index + 1
        index = start
      default: index += 1
      }
    }
    pieces.append(bytes[start...])
    return pieces.map { Array($0.trimming()) }
  }

  /// Returns the index after the closing quote if the whole value is quoted, else `start`.
  private static func endOfQuotes(_ bytes: [UInt8], from start: Int) -> Int {
    let quote = UInt8(ascii: "\"")
    guard start < bytes.count, bytes[start] == quote, let end = bytes[(start + 1)...].firstIndex(of: quote) else { return start }
    let rest = bytes[(end + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
    return rest.isEmpty || rest.first == UInt8(ascii: ";") || rest.first == UInt8(ascii: ",") ? end + 1 : start
  }

  private static func beginsCookie(_ bytes: ArraySlice<UInt8>) -> Bool {
    let bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    let name = bytes.prefix { !"()<>@,;:\\\"/[]?={} \t".utf8.contains($0) && $0 > 0x20 && $0 != 0x7F }
    return !name.isEmpty && bytes.dropFirst(name.count).first == UInt8(ascii: "=")
  }
}

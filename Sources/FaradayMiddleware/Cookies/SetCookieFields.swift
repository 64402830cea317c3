internal import FaradayCore

/// The `Set-Cookie` fields of a response, one cookie each.
enum SetCookieFields {
  /// - Parameter areApart: whether the adapter gives repeated fields as they came. Where it joins them, they are taken apart.
  /// - Returns: nil for a field that is not UTF-8.
  static func values(in headers: HTTPFields, areApart: Bool) -> [String?] {
    headers[fields: .setCookie].flatMap { field -> [String?] in
      guard let value = field.withUnsafeBytesOfValue({ String(validating: $0, as: UTF8.self) }) else { return [nil] }
      return areApart ? [value] : split(value)
    }
  }

  /// Takes apart what was joined by commas. A comma stands between two cookies if a name and an equals sign follow it, as they
  /// never do within a date, and if it is not within the quotes of a value. What cannot be told is left together: a cookie
  /// without a name behind another one, and it is taken apart wrongly where a value holds `, name=` without quotes.
  static func split(_ value: String) -> [String] {
    let bytes = Array(value.utf8)
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
    return pieces.map { String(decoding: $0, as: UTF8.self).trimming() }
  }

  /// Behind the closing quote, if there are quotes around the whole value; else where it was.
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

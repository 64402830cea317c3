internal import FaradayCore

/// The Netscape format, tab-separated: domain, whether subdomains match, path, `Secure`, expiry in seconds since 1970 or 0,
/// name, value.
extension CookieJar {
  var netscape: Data {
    var text = "# Netscape HTTP Cookie File\n# Written by Faraday. These are secrets.\n\n"
    for cookie in cookies where !(cookie.name + cookie.path).utf8.contains(0x09) {
      let columns = [
        (cookie.isHTTPOnly ? Self.httpOnlyMark : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
        cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
        cookie.expires.map { String(Int64($0.timeIntervalSince1970.rounded(.up))) } ?? "0", cookie.name, cookie.value,
      ]
      text += columns.joined(separator: "\t") + "\n"
    }
    return Data(text.utf8)
  }

  func readNetscape(_ data: Data) -> CookieFile.ReadResult {
    let now = now()
    var numbers: [Int] = []
    var cookies: [Cookie?] = []
    for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = line.last == 0x0D ? line.dropLast() : line
      let isComment = line.first == UInt8(ascii: "#") && !line.starts(with: Self.httpOnlyMark.utf8)
      guard !line.isEmpty, !isComment else { continue }
      numbers.append(index + 1)
      cookies.append(String(validating: line, as: UTF8.self).flatMap { Self.cookie($0, now: now) })
    }
    var reading = insert(read: cookies)
    reading.rejected = reading.rejected.map { numbers[$0] }
    return reading
  }

  private static let httpOnlyMark = "#HttpOnly_"

  private static func cookie(_ line: String, now: Date) -> Cookie? {
    let columns = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
    guard columns.count == 7, let goesBelow = flag(columns[1]), let isSecure = flag(columns[3]), let seconds = Int64(columns[4])
    else { return nil }
    let isHTTPOnly = columns[0].hasPrefix(httpOnlyMark)
    let domain = isHTTPOnly ? columns[0].dropFirst(httpOnlyMark.count) : columns[0]
    return Cookie(
      String(columns[5]), String(columns[6]), domain: (domain.hasPrefix(".") ? domain.dropFirst() : domain).lowercased(),
      isHostOnly: !goesBelow, path: String(columns[2]),
      expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)), isSecure: isSecure, isHTTPOnly: isHTTPOnly,
      created: now)
  }

  private static func flag(_ text: Substring) -> Bool? {
    switch text.uppercased() {
    case "TRUE": true
    case "FALSE": false
    default: nil
    }
  }
}

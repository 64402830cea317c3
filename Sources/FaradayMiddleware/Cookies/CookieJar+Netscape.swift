internal import FaradayCore

/// The Netscape format, tab-separated: domain, whether subdomains match, path, `Secure`, expiry in seconds since 1970 or 0,
/// name, value.
extension CookieJar {
  var netscape: Data {
    var data = Data("# Netscape HTTP Cookie File\n# Written by Faraday. These are secrets.\n\n".utf8)
    for cookie in cookies where !cookie.nameBytes.contains(0x09) && !cookie.path.utf8.contains(0x09) {
      let attributes = [
        (cookie.isHTTPOnly ? Self.httpOnlyMark : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
        cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
        cookie.expires.map { String(Int64($0.timeIntervalSince1970.rounded(.up))) } ?? "0",
      ]
      data += attributes.map { Array($0.utf8) }.joined(separator: [0x09])
      data += [0x09] + cookie.nameBytes + [0x09] + cookie.valueBytes + [0x0A]
    }
    return data
  }

  func readNetscape(_ data: Data) -> StoreReadResult {
    let now = now()
    var numbers: [Int] = []
    var cookies: [Cookie?] = []
    for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = line.last == 0x0D ? line.dropLast() : line
      let isComment = line.first == UInt8(ascii: "#") && !line.starts(with: Self.httpOnlyMark.utf8)
      guard !line.isEmpty, !isComment else { continue }
      numbers.append(index + 1)
      cookies.append(Self.cookie(line, now: now))
    }
    var reading = insert(read: cookies)
    reading.rejected = reading.rejected.map { numbers[$0] }
    return reading
  }

  private static let httpOnlyMark = "#HttpOnly_"

  private static func cookie(_ line: Data, now: Date) -> Cookie? {
    let columns = line.split(separator: 0x09, maxSplits: 6, omittingEmptySubsequences: false)
    let attributes = columns.prefix(5).compactMap { String(validating: $0, as: UTF8.self) }
    guard columns.count == 7, attributes.count == 5, let goesBelow = flag(attributes[1]), let isSecure = flag(attributes[3]),
      let seconds = Int64(attributes[4])
    else { return nil }
    let isHTTPOnly = attributes[0].hasPrefix(httpOnlyMark)
    let domain = attributes[0].dropFirst(isHTTPOnly ? httpOnlyMark.count : 0)
    var cookie = Cookie(
      "", "", domain: (domain.hasPrefix(".") ? domain.dropFirst() : domain).lowercased(), isHostOnly: !goesBelow,
      path: attributes[2], expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)), isSecure: isSecure,
      isHTTPOnly: isHTTPOnly, created: now)
    (cookie.nameBytes, cookie.valueBytes) = (Array(columns[5]), Array(columns[6]))
    return cookie
  }

  private static func flag(_ text: String) -> Bool? {
    switch text.uppercased() {
    case "TRUE": true
    case "FALSE": false
    default: nil
    }
  }
}

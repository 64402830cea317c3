package import FaradayCore

/// The supported character encodings of responses: UTF-8, UTF-16, ISO-8859-1 and windows-1252.
package enum Charset: String, CaseIterable, Sendable {
  case utf8 = "utf-8"
  case utf16BigEndian = "utf-16be"
  case utf16LittleEndian = "utf-16le"
  case latin1 = "iso-8859-1"
  case windows1252 = "windows-1252"

  /// A charset from its IANA name, case-insensitive; nil if it is not supported.
  package init?(named name: String) {
    let name = name.lowercased()
    guard let known = Charset(rawValue: name) ?? Self.aliases[name] else { return nil }
    self = known
  }

  private static let aliases: [String: Charset] = [
    "utf8": .utf8, "us-ascii": .utf8, "ascii": .utf8,
    // A byte order mark selects the byte order. Without a mark it is big-endian (RFC 2781, section 4.3).
    "utf-16": .utf16BigEndian,
    "latin1": .latin1, "iso8859-1": .latin1, "iso_8859-1": .latin1, "l1": .latin1, "cp819": .latin1,
    "cp1252": .windows1252, "x-cp1252": .windows1252,
  ]

  /// The encoding that a byte order mark indicates, and the length of the mark.
  package static func marked(_ data: Data) -> (charset: Charset, markLength: Int)? {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    return nil
  }

  /// Decodes the bytes. Invalid bytes become U+FFFD.
  package func decode(_ data: Data) -> String {
    switch self {
    case .utf8: String(decoding: data, as: UTF8.self)
    case .utf16BigEndian, .utf16LittleEndian: String(decoding: units(data), as: UTF16.self)
    case .latin1: text(of: data) { $0 }
    case .windows1252: text(of: data) { (0x80...0x9F).contains($0) ? Self.above7F[Int($0) - 0x80] : $0 }
    }
  }

  /// Whether all bytes are valid.
  func isValid(_ data: Data) -> Bool {
    switch self {
    case .utf8: data.withUnsafeBytes { $0.bindMemory(to: UInt8.self).firstInvalidUTF8 == nil }
    case .utf16BigEndian, .utf16LittleEndian:
      data.count.isMultiple(of: 2) && String(validating: units(data), as: UTF16.self) != nil
    case .latin1, .windows1252: true
    }
  }

  /// UTF-16 code units. An odd byte at the end becomes U+FFFD.
  private func units(_ data: Data) -> [UInt16] {
    let bytes = [UInt8](data)
    let whole = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return self == .utf16BigEndian ? first << 8 | second : second << 8 | first
    }
    return bytes.count.isMultiple(of: 2) ? whole : whole + [0xFFFD]
  }

  private func text(of data: Data, _ character: (UInt16) -> UInt16) -> String {
    String(decoding: data.map { character(UInt16($0)) }, as: UTF16.self)
  }

  /// The characters for 0x80 to 0x9F; undefined ones map to themselves, as in browsers (WHATWG Encoding).
  private static let above7F: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D,
    0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E,
    0x0178,
  ]
}

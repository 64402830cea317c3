internal import FaradayCore

extension MediaType {
  /// Sniffs the media type from the first 1,445 bytes of the content (WHATWG MIME Sniffing, sections 5 to 7): the type of a
  /// signature, or `text/plain` for UTF-8 without the control characters that section 3 calls binary data bytes, and for UTF-16
  /// with its byte order mark. ``FaradayCore/MediaType/binary`` if it is unknown.
  init(sniffing data: Data) {
    self = Self.signatures.first { data.starts(with: $0.bytes) }?.type ?? Self.textType(of: data) ?? .binary
  }

  private static func textType(of data: Data) -> MediaType? {
    // The byte order mark of UTF-32 begins with the byte order mark of UTF-16.
    guard !data.isEmpty, !data.starts(with: [0xFF, 0xFE, 0, 0]) else { return nil }
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) {
      return data.count.isMultiple(of: 2) ? MediaType("text", "plain", parameters: ["charset": "utf-16"]) : nil
    }
    let start = data.prefix(1445)
    // The prefix may end within a character.
    let cuts = 0...(start.count < data.count ? 3 : 0)
    let isText =
      !start.contains(where: isBinary) && cuts.contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
    return isText ? .text : nil
  }

  /// Whether the byte is below the space, and not a tab, line feed, form feed, carriage return or escape.
  private static func isBinary(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0A, 0x0C, 0x0D, 0x1B: false
    default: byte < 0x20
    }
  }

  private static let signatures: [(bytes: [UInt8], type: MediaType)] = [
    ([0xFF, 0xD8, 0xFF], .jpeg),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
    (Array("GIF8".utf8), .gif),
    ([0x49, 0x49, 0x2A, 0x00], MediaType("image", "tiff")),
    ([0x4D, 0x4D, 0x00, 0x2A], MediaType("image", "tiff")),
    (Array("%PDF-".utf8), MediaType("application", "pdf")),
    // The container format of .doc, .xls and .ppt.
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], MediaType("application", "vnd.ms-office")),
  ]
}

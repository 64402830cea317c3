internal import FaradayCore

extension MediaType {
  /// The media type by the first bytes of the content (WHATWG MIME Sniffing, section 6); ``FaradayCore/MediaType/binary`` if it
  /// is unknown.
  init(sniffing data: Data) {
    self = Self.signatures.first { data.starts(with: $0.bytes) }?.type ?? .binary
  }

  private static let signatures: [(bytes: [UInt8], type: MediaType)] = [
    ([0xFF, 0xD8, 0xFF], .jpeg),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
    (Array("GIF8".utf8), .gif),
    ([0x49, 0x49, 0x2A, 0x00], MediaType("image", "tiff")),
    ([0x4D, 0x4D, 0x00, 0x2A], MediaType("image", "tiff")),
    (Array("%PDF-".utf8), MediaType("application", "pdf")),
    // The container of .doc, .xls and .ppt.
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], MediaType("application", "vnd.ms-office")),
  ]
}

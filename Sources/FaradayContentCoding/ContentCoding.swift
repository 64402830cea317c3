internal import CLibraries

/// A content coding (compression) of RFC 9110, section 8.4.1: gzip and deflate, which zlib decodes, and br and zstd, whose
/// libraries are loaded at run time.
package enum ContentCoding: String, Sendable, CaseIterable {
  /// gzip: deflate data with a CRC-32, in one or more members (RFC 1952).
  case gzip
  /// The zlib format (RFC 1950), or raw deflate data (RFC 1951), which some servers send under this name.
  case deflate
  /// Brotli (RFC 7932), by libbrotlidec.
  case brotli = "br"
  /// Zstandard (RFC 8878), by libzstd.
  case zstd

  /// The maximum number of nested codings. More than one is rare, and each coding multiplies the effect of a decompression
  /// bomb.
  package static let maximumNesting = 4

  /// The codings that this process can decode.
  package static let available = available(brotli: faraday_brotli.loaded != nil, zstd: faraday_zstd.loaded != nil)

  /// The codings that a process with these libraries can decode.
  static func available(brotli: Bool, zstd: Bool) -> [ContentCoding] {
    allCases.filter { $0 == .brotli ? brotli : $0 == .zstd ? zstd : true }
  }

  /// The value of `Accept-Encoding` for the available codings: `gzip, deflate, br, zstd`.
  package static let accepted = available.map(\.rawValue).joined(separator: ", ")

  /// Parses `Content-Encoding` values: the codings in the order in which they were applied. Empty if there are none; nil if a
  /// coding is unknown or not available, so that the body cannot be decoded.
  ///
  /// Names are case-insensitive; `x-gzip` means gzip; `identity` and empty list members are ignored.
  package static func list(
    _ values: some Sequence<String>, of available: [ContentCoding] = available
  ) -> [ContentCoding]? {
    var codings: [ContentCoding] = []
    for member in values.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
      switch name(member) {
      case "", "identity": break
      case "x-gzip": codings.append(.gzip)
      case let name:
        guard let coding = ContentCoding(rawValue: name), available.contains(coding) else { return nil }
        codings.append(coding)
      }
    }
    return codings
  }

  /// The name in ASCII lower case, trimmed of spaces and tabs.
  private static func name(_ member: Substring.UTF8View) -> String {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let inner = member.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(decoding: inner.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

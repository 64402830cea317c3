/// A content coding (compression) that this build can decode: gzip, deflate, and br with the package's trait `Brotli` (RFC 9110,
/// section 8.4.1).
package enum ContentCoding: String, Sendable, CaseIterable {
  /// gzip: deflate data with a CRC-32, in one or more members (RFC 1952).
  case gzip
  /// The zlib format (RFC 1950), or raw deflate data (RFC 1951), which some servers send under this name.
  case deflate
  #if Brotli
  /// Brotli (RFC 7932).
  case brotli = "br"
  #endif

  /// The maximum number of nested codings. More than one is rare, and each multiplies the effect of a decompression bomb.
  package static let maximumNesting = 4

  /// The value of `Accept-Encoding` for these codings: `gzip, deflate`, and `br` with the trait.
  package static let accepted = allCases.map(\.rawValue).joined(separator: ", ")

  /// Parses `Content-Encoding` values: the codings in the order in which they were applied. Empty if there are none; nil if one is
  /// unknown, so that the body cannot be decoded.
  ///
  /// Names are case-insensitive; `x-gzip` means gzip; `identity` and empty list members are ignored.
  package static func list(_ values: some Sequence<String>) -> [ContentCoding]? {
    var codings: [ContentCoding] = []
    for member in values.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
      switch name(member) {
      case "", "identity": break
      case "x-gzip": codings.append(.gzip)
      case let name:
        guard let coding = ContentCoding(rawValue: name) else { return nil }
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

/// A content coding (RFC 9110, section 8.4.1) that this build decodes: gzip and deflate, and br with the package's trait `Brotli`.
package enum ContentCoding: String, Sendable, CaseIterable {
  /// LZ77 with a CRC-32, in members one after the other (RFC 1952).
  case gzip
  /// The zlib format (RFC 1950), or deflate data (RFC 1951) without that wrapper, which some servers send by this name.
  case deflate
  #if Brotli
  /// Brotli (RFC 7932).
  case brotli = "br"
  #endif

  /// How many codings one on top of the other are undone. More than one is rare, and each multiplies what a few bytes can cost.
  package static let mostStacked = 4

  /// The value of `Accept-Encoding` that asks for these codings, and for no other.
  package static let accepted = allCases.map(\.rawValue).joined(separator: ", ")

  /// The codings that the values of `Content-Encoding` name, in the order in which they were applied; empty if there is none; nil if
  /// one of them is not known, so that the body can be taken as it came only.
  ///
  /// Names are case-insensitive, `x-gzip` is gzip, and `identity` and empty members of a list are nothing.
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

  /// In lowercase, without the spaces and tabs around it.
  private static func name(_ member: Substring.UTF8View) -> String {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let inner = member.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(decoding: inner.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

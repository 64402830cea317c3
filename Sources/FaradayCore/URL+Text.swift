#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension URL {
  /// The URL or reference in a text: what may not stand in a path, query or fragment is percent-encoded (RFC 3986, section
  /// 2.1), what is encoded already stays as it is. Foundation, left alone, would encode the whole of such a part once more.
  package init?(text: some StringProtocol, relativeTo base: URL? = nil) {
    self.init(string: Self.encoded(text), relativeTo: base)
  }

  /// The text in ASCII, but for its host.
  package static func encoded(_ text: some StringProtocol) -> String {
    let bytes = Array(text.utf8)
    let start = pathStart(of: bytes)
    var encoded = Array(bytes[..<start])
    var isInFragment = false
    for index in start..<bytes.count {
      let byte = bytes[index]
      let isFirstHash = byte == UInt8(ascii: "#") && !isInFragment
      if isFirstHash { isInFragment = true }
      if isFirstHash || allowed.contains(byte) || (byte == UInt8(ascii: "%") && isEscape(bytes[index...])) {
        encoded.append(byte)
      } else {
        encoded += Query.escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?".utf8)

  private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count > 2 && bytes.dropFirst().prefix(2).allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// Behind scheme and authority, if there are any.
  private static func pathStart(of bytes: [UInt8]) -> Int {
    let ends = bytes.firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    guard bytes[ends...].starts(with: "//".utf8), ends == 0 || bytes[ends - 1] == UInt8(ascii: ":") else { return 0 }
    return bytes[(ends + 2)...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
  }
}

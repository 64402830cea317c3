#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A URL that may be sent to: absolute, `http` or `https`, with a host. The engine parses the rest, and nobody else does.
package struct Target {
  /// The URL in ASCII, as the engine gets it.
  package let text: String
  /// Scheme, host and port in lower case: whose connections it can share.
  package let origin: String
  package let isSecure: Bool

  package init(_ request: Request) throws {
    let text = request.url.absoluteString
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      throw TransportError(.invalidURL, building: request, "the URL is not absolute")
    }
    let scheme = bytes[..<colon]
    isSecure = Self.matches(scheme, "https")
    guard isSecure || Self.matches(scheme, "http") else {
      throw TransportError(.unsupportedScheme, building: request, "only http and https URLs can be sent")
    }
    let rest = bytes[bytes.index(after: colon)...]
    guard rest.starts(with: "//".utf8) else {
      throw TransportError(.invalidURL, building: request, "the URL has no host")
    }
    let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
    guard let first = host.first, first != UInt8(ascii: ":") else {
      throw TransportError(.invalidURL, building: request, "the URL has no host")
    }
    // Engines skip some of these and this would not: refusing them leaves one reading of where the request goes.
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
      throw TransportError(.invalidURL, building: request, "the URL has a space, control character or backslash")
    }
    self.text = text
    let isCanonical = host.startIndex == authority.startIndex && !bytes[..<host.endIndex].contains { (0x41...0x5A).contains($0) }
    origin =
      isCanonical
      ? String(text[..<host.endIndex])
      : (isSecure ? "https://" : "http://") + text[host.startIndex..<host.endIndex].lowercased()
  }

  /// Whether it is that, written in lower case, in either case.
  private static func matches(_ bytes: Substring.UTF8View, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes.elementsEqual($0) { $0 | 0x20 == $1 } }
  }
}

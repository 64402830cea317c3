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
    let hasUpperCase = bytes.contains { (0x41...0x5A).contains($0) }
    func lowercased(_ part: Substring) -> String { hasUpperCase ? part.lowercased() : String(part) }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      throw TransportError(.invalidURL, building: request, "the URL is not absolute")
    }
    switch lowercased(text[..<colon]) {
    case "http": isSecure = false
    case "https": isSecure = true
    default: throw TransportError(.unsupportedScheme, building: request, "only http and https URLs can be sent")
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
    origin = (isSecure ? "https://" : "http://") + lowercased(text[host.startIndex..<host.endIndex])
  }
}

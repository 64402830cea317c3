/// A URL that may be sent to: absolute, `http` or `https`, with a host. The engine parses the rest, and nobody else does.
package struct Target {
  /// The URL in ASCII, as the engine gets it.
  package let text: String
  /// Scheme, host and port in lower case: whose connections it can share.
  package let origin: String
  package let isSecure: Bool

  /// It ends, but for a fragment, in the question mark of a query without text.
  package let hasEmptyQuery: Bool

  package init(_ request: Request) throws {
    var text = request.url.absoluteString
    let parts: Parts
    switch text.withUTF8(Self.read) {
    case .success(let found): parts = found
    case .failure(let problem): throw TransportError(problem.code, building: request, problem.text)
    }
    isSecure = parts.isSecure
    hasEmptyQuery = parts.hasEmptyQuery
    let authority = text.utf8.index(text.utf8.startIndex, offsetBy: parts.host.lowerBound)
    let end = text.utf8.index(text.utf8.startIndex, offsetBy: parts.host.upperBound)
    origin = parts.isCanonical ? String(text[..<end]) : (isSecure ? "https://" : "http://") + text[authority..<end].lowercased()
    self.text = text
  }

  private struct Parts {
    var isSecure: Bool
    var host: Range<Int>
    /// What is before the end of the host is the origin as it stands.
    var isCanonical: Bool
    var hasEmptyQuery: Bool
  }

  private struct Problem: Error {
    let code: TransportError.Code
    let text: String
    static let noHost = Problem(code: .invalidURL, text: "the URL has no host")
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Parts, Problem> {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      return .failure(Problem(code: .invalidURL, text: "the URL is not absolute"))
    }
    let scheme = bytes[..<colon]
    let isSecure = matches(scheme, "https")
    guard isSecure || matches(scheme, "http") else {
      return .failure(Problem(code: .unsupportedScheme, text: "only http and https URLs can be sent"))
    }
    let start = colon + 3
    guard bytes.count >= start, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/") else {
      return .failure(.noHost)
    }
    var host = start
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      end += 1
      if byte == UInt8(ascii: "@") { host = end }
    }
    guard host < end, bytes[host] != UInt8(ascii: ":") else { return .failure(.noHost) }
    guard hasPort(bytes[host..<end]) else { return .failure(Problem(code: .invalidURL, text: "the URL's port is none")) }
    // Engines skip some of these and this would not: refusing them leaves one reading of where the request goes.
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
      return .failure(Problem(code: .invalidURL, text: "the URL has a space, control character or backslash"))
    }
    let isCanonical = host == start && !bytes[..<end].contains { $0 &- 0x41 < 26 }
    let fragment = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    let hasEmptyQuery = bytes[fragment - 1] == UInt8(ascii: "?")
    return .success(Parts(isSecure: isSecure, host: host..<end, isCanonical: isCanonical, hasEmptyQuery: hasEmptyQuery))
  }

  /// Whether what stands behind the host, if anything does, is a port: a number up to 65,535, or nothing behind the colon.
  private static func hasPort(_ authority: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // The address of an IPv6 host has colons of its own.
    let start = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    guard let colon = authority[start...].firstIndex(of: UInt8(ascii: ":")) else { return true }
    var port = 0
    for byte in authority[(colon + 1)...] {
      guard (0x30...0x39).contains(byte) else { return false }
      port = port * 10 + Int(byte - 0x30)
      guard port <= 65_535 else { return false }
    }
    return true
  }

  /// Whether it is that, written in lower case, in either case.
  private static func matches(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in text.count == bytes.count && zip(bytes, text).allSatisfy { $0 | 0x20 == $1 } }
  }
}

/// A validated URL: absolute, `http` or `https`, with a host. Only the engine parses the remaining components.
@_spi(Adapters) public struct Target: Sendable {
  /// The URL for the engine, its host in ASCII.
  public let text: String
  /// The origin in lower case: the key of the connection pool and the request queue.
  public let origin: String
  /// Whether the scheme is `https`.
  public let isSecure: Bool
  /// Whether the host of the text differs from the host of the request's URL, because an international name was converted to
  /// ASCII.
  public let hasOtherHost: Bool
  /// Whether the text begins with the origin as it is, and the host has no percent sign. False with a user, with capital letters
  /// in the scheme or host, with an international name, and with the zone of an IPv6 address.
  public let hasPlainOrigin: Bool

  /// Whether the host is an IPv6 address, or an IPv4 address (only digits and dots).
  public let hasAddress: Bool
  /// The path and query as they are sent to the server: the origin-form of RFC 9112, section 3.2.1.
  public let originForm: String

  /// The host, IPv6 in brackets, and the port.
  public var endpoint: (host: String, port: Int) {
    var origin = origin
    return origin.withUTF8 { bytes in
      func text(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: part), as: UTF8.self)
      }
      let authority = bytes[(isSecure ? 8 : 7)...]
      let usual = isSecure ? 443 : 80
      let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
      guard let colon = authority[bracket...].lastIndex(of: UInt8(ascii: ":")) else { return (text(authority), usual) }
      return (text(authority[..<colon]), Int(text(authority[(colon + 1)...])) ?? usual)
    }
  }

  /// Validates the URL of a request. Throws ``TransportError/Code/invalidURL`` or ``TransportError/Code/unsupportedScheme``.
  public init(_ request: Request) throws {
    var text = request.url.absoluteString
    let parts: Parts
    switch text.withUTF8(Self.read) {
    case .success(let found): parts = found
    case .failure(let problem): throw TransportError(problem.code, building: request, problem.text)
    }
    isSecure = parts.isSecure
    hasOtherHost = parts.isInternational
    hasPlainOrigin = parts.isCanonical && !parts.hasPercent && !parts.isInternational
    let authority = text.utf8.index(text.utf8.startIndex, offsetBy: parts.host.lowerBound)
    let end = text.utf8.index(text.utf8.startIndex, offsetBy: parts.host.upperBound)
    let path = text[end..<text.utf8.index(text.utf8.startIndex, offsetBy: parts.fragment)]
    originForm = path.utf8.first == UInt8(ascii: "/") ? String(path) : "/" + path
    guard parts.isInternational else {
      origin = parts.isCanonical ? String(text[..<end]) : (isSecure ? "https://" : "http://") + text[authority..<end].lowercased()
      hasAddress = parts.hasAddress
      self.text = text
      return
    }
    guard let host = Self.ascii(text[authority..<end]) else {
      throw TransportError(
        .invalidURL, building: request, "the URL's host is not a valid internationalized domain name (UTS 46, NFC)")
    }
    origin = (isSecure ? "https://" : "http://") + host
    hasAddress = false
    self.text = text[..<authority] + host + text[end...]
  }

  /// A host and port in ASCII; nil if the host is not a normalized name.
  private static func ascii(_ authority: Substring) -> String? {
    let host = authority.utf8.prefix { $0 != UInt8(ascii: ":") }
    return HostName.ascii(percentEncoded: Substring(host)).map { $0 + authority[host.endIndex...] }
  }

  private struct Parts {
    var isSecure: Bool
    /// The bytes of the host and port.
    var host: Range<Int>
    /// Whether the text up to the end of the host equals the origin: in lower case, without userinfo.
    var isCanonical: Bool
    /// Whether the host has non-ASCII characters, literally or percent-encoded.
    var isInternational: Bool
    /// Whether the host has a percent sign: an escape, or the zone of an IPv6 address.
    var hasPercent: Bool
    var hasAddress: Bool
    /// The start of the fragment; the end of the text without one.
    var fragment: Int
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
      return .failure(Problem(code: .unsupportedScheme, text: "the URL's scheme is neither http nor https"))
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
    guard hasPort(bytes[host..<end]) else {
      return .failure(Problem(code: .invalidURL, text: "the URL's port is not a number up to 65535"))
    }
    // Some parsers skip these characters. Rejecting them leaves no ambiguity about the request's target.
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
      return .failure(Problem(code: .invalidURL, text: "the URL has a space, control character or backslash"))
    }
    guard !hasEncodedASCII(bytes[host..<end]) else {
      return .failure(
        Problem(
          code: .invalidURL,
          text: "the URL's host has a character that a host name cannot have, or a percent-encoded ASCII character"))
    }
    let isCanonical = host == start && !bytes[..<end].contains { $0 &- 0x41 < 26 }
    let fragment = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    let isIPv6 = bytes[host] == UInt8(ascii: "[")
    let hasPercent = bytes[host..<end].contains(UInt8(ascii: "%"))
    let isInternational = !isIPv6 && (hasPercent || bytes[host..<end].contains { $0 >= 0x80 })
    let other = bytes[host..<end].first { !$0.isDigit && $0 != UInt8(ascii: ".") } ?? UInt8(ascii: ":")
    return .success(
      Parts(
        isSecure: isSecure, host: host..<end, isCanonical: isCanonical, isInternational: isInternational,
        hasPercent: hasPercent, hasAddress: isIPv6 || other == UInt8(ascii: ":"), fragment: fragment))
  }

  /// Whether a host has percent-encoded ASCII characters. A host does not need them, and a program that compares the text would
  /// compare a different host than the engine connects to.
  private static func hasEncodedASCII(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // The zone of an IPv6 address has an encoded percent sign.
    guard host.first != UInt8(ascii: "[") else { return false }
    var rest = host
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[(percent + 1)...]
      guard let digit = rest.first, digit >= UInt8(ascii: "8") else { return true }
    }
    return false
  }

  /// Whether the port is missing, empty, or a number up to 65,535.
  private static func hasPort(_ authority: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // An IPv6 address contains colons.
    let start = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    guard let colon = authority[start...].firstIndex(of: UInt8(ascii: ":")) else { return true }
    var port = 0
    for byte in authority[(colon + 1)...] {
      guard byte.isDigit else { return false }
      port = port * 10 + Int(byte - 0x30)
      guard port <= 65_535 else { return false }
    }
    return true
  }

  /// ASCII case-insensitive comparison with a text in lower case.
  private static func matches(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in text.count == bytes.count && zip(bytes, text).allSatisfy { $0 | 0x20 == $1 } }
  }
}

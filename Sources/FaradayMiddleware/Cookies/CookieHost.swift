internal import FaradayCore

/// Canonical host names for cookies: lowercase ASCII, with Punycode for international names (RFC 6265bis, sections 5.1.2 and
/// 5.1.3).
enum CookieHost {
  /// Returns the canonical host of a URL; nil if there is no host, or if it has characters that are invalid in a host name.
  static func canonical(_ url: URL) -> String? {
    // Engines decode the escapes of a host before they resolve it.
    url.host(percentEncoded: false).flatMap { canonical($0) }
  }

  /// Returns the canonical form; nil for an invalid host name. A trailing dot is kept: for cookies that is a different host.
  ///
  /// Names longer than the DNS allows are invalid too (RFC 1035, section 2.3.4): a redirect can lead to a host of a megabyte,
  /// and the functions here take time and memory in proportion to the square of a name's length.
  static func canonical(_ text: String) -> String? {
    // Each non-ASCII character becomes at least one byte.
    guard text.utf8.count <= 4 * longest, let host = spelled(text), host.utf8.count <= longest else { return nil }
    return host
  }

  /// The maximum length of a name in bytes, trailing dot included.
  private static let longest = 254

  private static func spelled(_ text: String) -> String? {
    if isCanonical(text) { return text }
    guard let host = HostName.ascii(text) else { return nil }
    guard !host.utf8.contains(UInt8(ascii: ":")) else { return isIPv6(host) ? host : nil }
    return isCanonical(host.withoutTrailingDot) ? host : nil
  }

  /// Whether the host is an IP address, or would be parsed as one: its last label is a number (WHATWG URL, section 3.5).
  static func isAddress(_ host: String) -> Bool {
    guard !host.utf8.contains(UInt8(ascii: ":")) else { return true }
    guard let last = host.split(separator: ".").last else { return false }
    if last.utf8.allSatisfy(\.isDigit) { return true }
    return last.hasPrefix("0x") && last.utf8.dropFirst(2).allSatisfy(\.isHexDigit)
  }

  /// Removes the brackets of an IPv6 address in a URL; other hosts are unchanged.
  static func withoutBrackets(_ host: Substring) -> Substring {
    let address = host.dropFirst().dropLast()
    guard host.hasPrefix("["), host.hasSuffix("]"), address.utf8.contains(UInt8(ascii: ":")), isIPv6(address) else { return host }
    return address
  }

  /// Whether the host is loopback: `localhost` and its subdomains, 127.0.0.0/8 and ::1.
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && !numbers.contains(nil) && numbers[0] == 127
  }

  /// Whether the host is the domain or one of its subdomains: domain-match (section 5.1.3). An IP address has no subdomains.
  static func matches(_ host: String, domain: String) -> Bool {
    if host == domain { return true }
    return host.utf8.count > domain.utf8.count && host.hasSuffix(domain) && !isAddress(host)
      && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
  }

  /// The host and all its parent domains, the longest first.
  static func domains(of host: String) -> [String] {
    guard !isAddress(host) else { return [host] }
    var rest = host[...]
    var domains = [host]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      domains.append(String(rest))
    }
    return domains
  }

  /// A fast path: nearly every host is canonical.
  private static func isCanonical(_ text: String) -> Bool {
    var isAfterDot = true
    for byte in text.utf8 {
      guard byte == UInt8(ascii: ".") ? !isAfterDot : byte.isHostNameByte else { return false }
      isAfterDot = byte == UInt8(ascii: ".")
    }
    return !isAfterDot
  }

  /// Whether the text is an IPv6 address, without brackets and zone.
  private static func isIPv6(_ host: some StringProtocol) -> Bool {
    !host.utf8.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "%") } && IPAddress(String(host))?.isIPv4 == false
  }
}

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The hosts of `no_proxy` that are connected to directly, as curl matches them: names with those below them, addresses,
/// and ranges of addresses (CIDR); `*` is all. Unlike curl 7.88, ranges of IPv6 and international names match too, and a range that is
/// malformed matches nothing.
package struct NoProxy {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// - Parameter host: a name, or an address without brackets.
  package func contains(_ host: String) -> Bool {
    guard text != "*" else { return true }
    let words = text.split { ", \t".contains($0) }
    if let address = Self.address(host) {
      return words.contains { word in
        word.contains("/") ? (try? IPAddressRange(String(word)))?.contains(address) == true : IPAddress(String(word)) == address
      }
    }
    let host = Self.name(host[...])
    return words.contains { word in
      let name = Self.name(word.hasPrefix(".") ? word.dropFirst() : word)
      return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
  }

  /// The address that a host is, also by the short, octal and hexadecimal spellings of IPv4, which libcurl takes for it.
  private static func address(_ host: String) -> IPAddress? {
    var number = in_addr()
    guard inet_aton(host, &number) == 1 else { return IPAddress(host) }
    return withUnsafeBytes(of: number.s_addr) { IPAddress(bytes: $0) }
  }

  /// In lower case and in ASCII, without a dot at its end.
  private static func name(_ text: Substring) -> String {
    let name = (text.hasSuffix(".") ? text.dropLast() : text).lowercased()
    return HostName.ascii(percentEncoded: name) ?? name
  }
}

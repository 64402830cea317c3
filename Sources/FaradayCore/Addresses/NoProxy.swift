#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The hosts of `no_proxy`, which are reached without a proxy, matched as by curl: names and their subdomains, addresses, and
/// address ranges (CIDR); `*` matches all. Unlike in curl 7.88, IPv6 ranges and international names match too, and a malformed
/// range matches nothing.
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

  /// Parses a host as an address, including the short, octal and hexadecimal spellings of IPv4, which libcurl accepts.
  private static func address(_ host: String) -> IPAddress? {
    var number = in_addr()
    guard inet_aton(host, &number) == 1 else { return IPAddress(host) }
    return withUnsafeBytes(of: number.s_addr) { IPAddress(bytes: $0) }
  }

  /// The name in lower case and in ASCII, without a trailing dot.
  private static func name(_ text: Substring) -> String {
    let name = (text.hasSuffix(".") ? text.dropLast() : text).lowercased()
    return HostName.ascii(percentEncoded: name) ?? name
  }
}

/// An origin: scheme, host and port of a URL (RFC 6454). Two URLs are same-origin if these are equal; without a host they never
/// are.
package struct Origin: Equatable {
  private let scheme: String
  private let host: String?
  private let port: Int?

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = HostName.of(url)
    port = url.port ?? Self.ports[scheme]
  }

  /// `https://api.example.com:443`: lowercase, and with the port. A longer one than 1 KiB is cut off.
  package var text: String {
    let host = host ?? ""
    let isIPv6 = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
    return "\(scheme)://\(isIPv6 ? "[\(host)]" : host)\(port.map { ":\($0)" } ?? "")".bounded()
  }

  package static func == (left: Origin, right: Origin) -> Bool {
    guard let host = left.host, !host.isEmpty else { return false }
    return host == right.host && left.scheme == right.scheme && left.port == right.port
  }

  private static let ports = ["http": 80, "https": 443]
}

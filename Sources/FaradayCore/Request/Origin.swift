/// An origin: scheme, host and port of a URL (RFC 6454). Two URLs are same-origin if all three are equal. URLs without a host
/// are never same-origin.
package struct Origin: Equatable {
  private var scheme: String
  private let host: String?
  private var port: Int?

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = HostName.of(url)
    port = url.port ?? Self.ports[scheme]
  }

  /// `https://api.example.com:443`: in lower case, with the port. Truncated after 1 KiB.
  package var text: String {
    let host = host ?? ""
    let isIPv6 = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
    return "\(scheme)://\(isIPv6 ? "[\(host)]" : host)\(port.map { ":\($0)" } ?? "")".bounded()
  }

  package static func == (left: Origin, right: Origin) -> Bool {
    guard let host = left.host, !host.isEmpty else { return false }
    return host == right.host && left.scheme == right.scheme && left.port == right.port
  }

  /// Whether the other origin is the same server over `https` instead of `http`, at the same port, or at 443 instead of 80.
  package func isSecured(by other: Origin) -> Bool {
    var secured = self
    guard scheme == "http" else { return false }
    secured.scheme = "https"
    if port == 80 { secured.port = 443 }
    return secured == other
  }

  private static let ports = ["http": 80, "https": 443]
}

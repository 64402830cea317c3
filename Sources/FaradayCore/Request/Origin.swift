/// Scheme, host and port: what a server is known by (RFC 6454). Two URLs without a host have none in common.
package struct Origin: Equatable {
  private let scheme: String
  private let host: String?
  private let port: Int?

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    // Encoded, Foundation gives another name for a host beyond ASCII than for that of a URL relative to it.
    host = url.host(percentEncoded: false)?.lowercased()
    port = url.port ?? Self.ports[scheme]
  }

  package static func == (left: Origin, right: Origin) -> Bool {
    guard let host = left.host, !host.isEmpty else { return false }
    return host == right.host && left.scheme == right.scheme && left.port == right.port
  }

  private static let ports = ["http": 80, "https": 443]
}

/// The schemes that `--proto` and `--proto-redir` allow: `=https`, `-http`, `+all`, separated by commas.
struct ProtocolSet: Sendable, Equatable {
  /// What this command speaks: FTP only to an HTTP proxy, by HTTP.
  static let known: Set<String> = ["http", "https", "ftp"]
  /// What curl speaks besides: of no effect here.
  private static let others: Set<String> = [
    "dict", "file", "ftps", "gopher", "gophers", "imap", "imaps", "ldap", "ldaps", "mqtt", "pop3", "pop3s", "rtmp",
    "rtmpe",
    "rtmps", "rtmpt", "rtmpte", "rtmpts", "rtsp", "scp", "sftp", "smb", "smbs", "smtp", "smtps", "telnet", "tftp", "ws", "wss",
  ]

  /// Whether curl has a protocol of this name.
  static func isKnown(_ scheme: String) -> Bool { known.contains(scheme) || others.contains(scheme) }

  private(set) var allowed = known

  func allows(_ scheme: String?) -> Bool { scheme.map { allowed.contains($0.lowercased()) } ?? false }

  /// Applies the argument of an option to this set. Returns the names that are unknown.
  mutating func apply(_ text: String) -> [String] {
    var unknown: [String] = []
    for item in text.split(separator: ",") {
      let sign = item.first.flatMap { "=+-".contains($0) ? $0 : nil }
      let name = item.drop { "=+-".contains($0) }.lowercased()
      let names: Set<String> = name == "all" ? Self.known : Self.known.intersection([name])
      if name != "all", !Self.known.contains(name), !Self.others.contains(name) {
        unknown.append(name)
        // As with curl, an unknown name allows nothing.
        if sign == "=" { allowed = [] }
        continue
      }
      switch sign {
      case "=": allowed = names
      case "-": allowed.subtract(names)
      default: allowed.formUnion(names)
      }
    }
    return unknown
  }
}

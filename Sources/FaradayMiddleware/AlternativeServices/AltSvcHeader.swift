internal import FaradayCore

/// The value of an `Alt-Svc` field (RFC 7838, section 3).
enum AltSvcHeader: Equatable {
  /// All alternatives of the origin are invalid.
  case clear
  /// The alternatives, the preferred one first.
  case alternatives([Alternative])

  /// One alternative of the field.
  struct Alternative: Equatable {
    /// The ALPN protocol name, decoded: `h2`, `http/1.1`.
    var protocolID: String
    /// The host; nil means the host of the origin.
    var host: String?
    var port: Int
    /// The lifetime in seconds; a day by default (section 3.1).
    var maximumAge = 86_400.0
    var persists = false
  }

  /// Returns nil for a malformed value. Alternatives with an invalid host or port are left out.
  init?(parsing value: String) {
    // Case-sensitive (section 3).
    if value.trimming() == "clear" {
      self = .clear
      return
    }
    var scanner = FieldScanner(value)
    var alternatives: [Alternative] = []
    var hasAny = false
    while true {
      scanner.skipSpace()
      // A list may have empty elements (RFC 9110, section 5.6.1).
      if scanner.take(",") { continue }
      if scanner.isAtEnd { break }
      guard let name = scanner.token(), scanner.take("="), let authority = scanner.quoted(),
        let parameters = Self.parameters(&scanner)
      else { return nil }
      hasAny = true
      if let protocolID = Self.decoded(name), let place = Self.place(authority) {
        alternatives.append(
          Alternative(
            protocolID: protocolID, host: place.host, port: place.port,
            maximumAge: parameters["ma"]?.deltaSeconds ?? 86_400, persists: parameters["persist"] == "1"))
      }
      scanner.skipSpace()
      guard scanner.isAtEnd || scanner.take(",") else { return nil }
    }
    guard hasAny else { return nil }
    self = .alternatives(alternatives)
  }

  /// Parses the parameters of an alternative. Of repeated parameters the first counts. Returns nil if they are malformed.
  private static func parameters(_ scanner: inout FieldScanner) -> [String: String]? {
    var parameters: [String: String] = [:]
    while true {
      scanner.skipSpace()
      guard scanner.take(";") else { return parameters }
      scanner.skipSpace()
      guard let name = scanner.token()?.lowercased(), scanner.take("="), let value = scanner.value() else { return nil }
      if parameters[name] == nil { parameters[name] = value }
    }
  }

  /// Percent-decodes a protocol name. Returns nil for an invalid escape and for a name that is not visible ASCII.
  private static func decoded(_ name: String) -> String? {
    guard let bytes = QueryParameters.strictlyDecoded(name.utf8) else { return nil }
    let decoded = String(decoding: bytes, as: UTF8.self)
    return AlternativeServiceStore.isProtocolID(decoded) ? decoded : nil
  }

  /// `host:port`, `:port` or `[::1]:port`.
  private static func place(_ authority: String) -> (host: String?, port: Int)? {
    guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    guard let port = AlternativeServiceStore.port(authority[authority.utf8.index(after: colon)...]) else { return nil }
    let host = authority[..<colon]
    guard !host.isEmpty else { return (nil, port) }
    let isBracketed = host.hasPrefix("[")
    let name = CookieHost.withoutBrackets(host)
    guard !isBracketed || name.count < host.count, isBracketed || !name.utf8.contains(UInt8(ascii: ":")),
      let canonical = CookieHost.canonical(String(name))
    else { return nil }
    return (canonical, port)
  }
}

internal import FaradayCore

extension Cookie {
  /// The maximum length of name and value together, in bytes (RFC 6265bis, section 5.6).
  static let maximumSize = 4096
  /// The maximum length of an attribute's value, in bytes; longer attributes are ignored.
  static let maximumAttributeSize = 1024
  /// The maximum lifetime of a cookie, in seconds: 400 days (section 5.5).
  static let maximumAge = 400 * 86_400.0

  /// Throws unless the cookie may be stored, whether it comes from a server, a file or the program.
  ///
  /// - Parameter namesPath: whether the cookie has a `Path` attribute, rather than the default path.
  func check(_ suffixes: PublicSuffixes, namesPath: Bool = true) throws(CookieError) {
    let (name, value) = (nameBytes, valueBytes)
    let refuse = { (reason: String) in CookieError(name, reason) }
    guard !name.isEmpty || !value.isEmpty else { throw refuse("it has neither a name nor a value") }
    guard !Self.hasControl(name), !Self.hasControl(value), !Self.hasControl(path.utf8) else {
      throw refuse("it contains a control character")
    }
    guard name.count + value.count <= Self.maximumSize else {
      throw refuse("its name and value have more than \(Self.maximumSize) bytes")
    }
    // The server would parse these characters differently.
    guard !(name + value).contains(UInt8(ascii: ";")), !name.contains(UInt8(ascii: "=")),
      !name.isEmpty || !value.contains(UInt8(ascii: "="))
    else { throw refuse("its name or value contains ';' or '=', and would be sent as another cookie") }
    guard name.count == name[...].trimming().count, value.count == value[...].trimming().count else {
      throw refuse("its name or value begins or ends with whitespace")
    }
    guard path.utf8.first == UInt8(ascii: "/") else { throw refuse("its path does not begin with '/'") }
    guard sameSite != .unrestricted || isSecure else { throw refuse("SameSite=None requires Secure") }
    try checkDomain(suffixes)
    try checkPrefix(namesPath: namesPath)
  }

  private func checkDomain(_ suffixes: PublicSuffixes) throws(CookieError) {
    guard !domain.isEmpty, CookieHost.canonical(domain) == domain else {
      throw CookieError(nameBytes, "its domain is not a lowercase ASCII host name")
    }
    guard !isHostOnly else { return }
    guard !domain.hasSuffix("."), !CookieHost.isAddress(domain) else {
      throw CookieError(nameBytes, "its domain is an IP address or ends in a dot, and has no subdomains")
    }
    guard !suffixes.isShared(domain) else { throw CookieError(nameBytes, "its domain is a public suffix") }
  }

  /// Checks the requirements of the name prefixes `__Secure-` and `__Host-`, which are case-insensitive (RFC 6265bis, section
  /// 4.1.3). `__Http-` comes from the next draft.
  private func checkPrefix(namesPath: Bool) throws(CookieError) {
    // Some servers parse a cookie without a name as a cookie whose name is the value.
    let start = (nameBytes.isEmpty ? valueBytes : nameBytes).prefix(16).map(\.asciiLowercased)
    let isOfHost = isSecure && isHostOnly && path == "/" && namesPath
    let promises = [
      ("__secure-", isSecure), ("__host-", isOfHost), ("__http-", isSecure && isHTTPOnly),
      ("__host-http-", isOfHost && isHTTPOnly),
    ]
    for (prefix, isKept) in promises where start.starts(with: prefix.utf8) {
      guard isKept, !nameBytes.isEmpty else {
        throw CookieError(nameBytes, "it does not meet the requirements of the prefix of its name")
      }
    }
  }

  /// Whether the bytes contain a control character other than tab.
  static func hasControl(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
  }
}

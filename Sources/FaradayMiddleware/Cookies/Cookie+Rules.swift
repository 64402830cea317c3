internal import FaradayCore

extension Cookie {
  /// Bytes of name and value together (RFC 6265bis, section 5.6).
  static let maximumSize = 4096
  /// Bytes of an attribute's value; longer ones are not looked at.
  static let maximumAttributeSize = 1024
  /// The longest a cookie is kept, whatever it says: 400 days (section 5.5).
  static let maximumAge = 400 * 86_400.0

  /// Throws unless it may be kept, wherever it came from: a server, a file or the program.
  ///
  /// - Parameter namesPath: whether its path was said, and is not the default one.
  func check(_ suffixes: PublicSuffixes, namesPath: Bool = true) throws(CookieRefused) {
    let refuse = { (reason: String) in CookieRefused(name, reason) }
    guard !name.isEmpty || !value.isEmpty else { throw refuse("it has neither name nor value") }
    guard !Self.hasControl(name), !Self.hasControl(value), !Self.hasControl(path) else {
      throw refuse("there is a control character in it")
    }
    guard name.utf8.count + value.utf8.count <= Self.maximumSize else {
      throw refuse("it is longer than \(Self.maximumSize) bytes")
    }
    // What would be read as something else where it is sent.
    guard !(name + value).utf8.contains(UInt8(ascii: ";")), !name.utf8.contains(UInt8(ascii: "=")),
      !name.isEmpty || !value.utf8.contains(UInt8(ascii: "="))
    else { throw refuse("it would be sent as another cookie") }
    guard name == name.trimming(), value == value.trimming() else { throw refuse("there is a space around name or value") }
    guard path.utf8.first == UInt8(ascii: "/") else { throw refuse("its path is none") }
    guard sameSite != .everywhere || isSecure else { throw refuse("it is for all sites' pages, and not for https only") }
    try checkDomain(suffixes)
    try checkPrefix(namesPath: namesPath)
  }

  private func checkDomain(_ suffixes: PublicSuffixes) throws(CookieRefused) {
    guard !domain.isEmpty, CookieHost.canonical(domain) == domain else {
      throw CookieRefused(name, "its domain is no host name in lower case and ASCII")
    }
    guard !isHostOnly else { return }
    guard !domain.hasSuffix("."), !CookieHost.isAddress(domain) else {
      throw CookieRefused(name, "nothing can lie in its domain")
    }
    guard !suffixes.isShared(domain) else { throw CookieRefused(name, "strangers have names in its domain") }
  }

  /// Names that promise how the cookie was set, in upper or lower case. `__Http-` is from the draft that follows 6265bis.
  private func checkPrefix(namesPath: Bool) throws(CookieRefused) {
    // Some servers read a cookie without a name as one whose value is the name.
    let start = (name.isEmpty ? value : name).utf8.prefix(16).map(\.asciiLowercased)
    let isOfHost = isSecure && isHostOnly && path == "/" && namesPath
    let promises = [
      ("__secure-", isSecure), ("__host-", isOfHost), ("__http-", isSecure && isHTTPOnly),
      ("__host-http-", isOfHost && isHTTPOnly),
    ]
    for (prefix, isKept) in promises where start.starts(with: prefix.utf8) {
      guard isKept, !name.isEmpty else { throw CookieRefused(name, "it is not what the prefix of its name promises") }
    }
  }

  /// A tab is none.
  static func hasControl(_ text: String) -> Bool {
    text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
  }
}

extension Secrets {
  /// The URL, redacted: without user, password and fragment, and with ``mark`` for secret query values and path segments.
  public func redacting(_ url: URL) -> String { redacting(urlText: url.absoluteString) }

  /// A text that should be a URL or relative reference, redacted as one. Where the end of a password is ambiguous, everything
  /// before the last `@` is removed.
  public func redacting(urlText text: some StringProtocol) -> String {
    var parts = URLParts(Userinfo.removed(from: text))
    parts.fragment = nil
    parts.path = redacting(path: parts.path)
    parts.query = parts.query.map { redacting(query: $0)[...] }
    return parts.description
  }

  /// A percent-encoded path, redacted.
  func redacting(path: Substring) -> Substring {
    let path = path.utf8.contains(UInt8(ascii: ";")) ? redacting(parametersOf: path) : path
    return paths.reduce(path) { $1.redacting($0) }
  }

  /// Redacts secret parameters of path segments (RFC 3986, section 3.3): `/cart;jsessionid=…`
  private func redacting(parametersOf path: Substring) -> Substring {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
      redacting(items: segment, separatedBy: UInt8(ascii: ";"))
    }
    return segments.joined(separator: "/")[...]
  }

  /// A percent-encoded query or form, with ``mark`` for the values of secret items.
  public func redacting(query: some StringProtocol) -> String {
    redacting(items: Substring(query).utf8, separatedBy: UInt8(ascii: "&"))
  }

  private func redacting(items: Substring.UTF8View, separatedBy separator: UInt8) -> String {
    // By bytes, as servers do: a `Character` joins a delimiter with an accent behind it.
    items.split(separator: separator, omittingEmptySubsequences: false).map { item in
      let item = Array(item)
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return String(decoding: item, as: UTF8.self) }
      let name = String(decoding: item[..<equals], as: UTF8.self)
      let isSecret = contains(QueryParameters.decode(name, plusIsSpace: true)) || hasSecret(item[(equals + 1)...])
      return isSecret ? name + "=" + Self.mark : String(decoding: item, as: UTF8.self)
    }.joined(separator: String(UnicodeScalar(separator)))
  }

  /// Whether the value of a query item contains a secret: a URL with userinfo, or a secret `name=value` behind `?`, `#`, `&` or
  /// `;`, as in `/cb?token=…` or, for servers that split at `;`, in `1;token=…`.
  private func hasSecret(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.contains(where: { "@%?;#".utf8.contains($0) }) else { return false }
    let text = QueryParameters.decode(String(decoding: value, as: UTF8.self))
    let parts = URLParts(text)
    if parts.hasAuthority, !parts.user.isEmpty { return true }
    return text.utf8.split(omittingEmptySubsequences: false) { "&;?#".utf8.contains($0) }.dropFirst().contains { item in
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return false }
      return contains(QueryParameters.decode(Substring(item[..<equals])))
    }
  }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The names of header fields and query items whose values are secret. One registry for a connection, read by everything that
/// shows a request to a person or sends it to another server:
///
///     connection.secrets.headers.insert(apiKey)
///
/// A redirect to another origin goes without these header fields; logs and curl commands show ``Secrets/mark`` instead.
public struct Secrets: Sendable, Hashable {
  /// Header fields. To begin with `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`.
  public var headers: Set<HTTPField.Name>
  /// Query items, and fields of forms; upper and lower case are the same. To begin with the usual names of keys, tokens,
  /// passwords and signatures.
  public var queryItems: Set<String> {
    get { foldedItems }
    set { foldedItems = Set(newValue.map { $0.lowercased() }) }
  }

  private var foldedItems: Set<String> = []

  public init(
    headers: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie, .setCookie],
    queryItems: Set<String> = [
      "access_token", "api_key", "apikey", "auth", "client_secret", "code", "id_token", "key", "password", "refresh_token",
      "secret", "sig", "signature", "token", "x-amz-security-token", "x-amz-signature", "x-goog-signature",
    ]
  ) {
    self.headers = headers
    self.queryItems = queryItems
  }

  /// What stands in the place of a secret.
  public static let mark = "[secret]"

  /// The value, or the mark if the name is a secret one.
  public func redacting(_ field: HTTPField) -> String {
    headers.contains(field.name) ? Self.mark : field.value
  }

  /// The URL without user, password and fragment, and with the mark for the values of secret query items.
  public func redacting(_ url: URL) -> String {
    var parts = URLParts(url.absoluteString)
    parts.user = ""
    if !parts.hasAuthority, let slashes = parts.path.firstRange(of: "//") {
      // `jdbc:http://user@host/` has a URL behind its scheme.
      var inner = URLParts(parts.path[slashes.lowerBound...])
      inner.user = ""
      parts.path = parts.path[..<slashes.lowerBound] + inner.description
    }
    parts.fragment = nil
    parts.query = parts.query.map { redacting(query: $0)[...] }
    return parts.description
  }

  /// A query or a form as it stands, with the mark for the values of secret items.
  public func redacting(query: some StringProtocol) -> String {
    // Byte by byte, as servers do: with an accent behind it, a sign is another `Character`.
    query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
      let item = Array(item)
      let name = String(decoding: item.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      let whole = String(decoding: item, as: UTF8.self)
      guard item.contains(UInt8(ascii: "=")) else { return whole }
      let decoded = Query.decode(name, plusIsSpace: true)
      // `user[password]` is a password too.
      let parts = decoded.lowercased().split { $0 == "[" || $0 == "]" }
      let isSecret = foldedItems.contains(decoded.lowercased()) || parts.contains { foldedItems.contains(String($0)) }
      return isSecret ? name + "=" + Self.mark : whole
    }.joined(separator: "&")
  }
}

extension Options {
  /// What is secret about this request.
  public var secrets: Secrets {
    get { self[SecretsKey.self] }
    set { self[SecretsKey.self] = newValue }
  }

  private enum SecretsKey: OptionKey { static let defaultValue = Secrets() }
}

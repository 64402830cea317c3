public import HTTPTypes
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Secrets {
  /// The value, or the mark if the name is a secret one.
  public func redacting(_ field: HTTPField) -> String {
    contains(field.name) ? Self.mark : field.value
  }

  /// The URL without user, password and fragment, and with the mark for the values of secret query items and for secret parts of
  /// its path.
  public func redacting(_ url: URL) -> String { redacting(urlText: url.absoluteString) }

  /// The same for what is meant to be a URL or a reference, and may be none: where it cannot be told how far a password goes,
  /// what stands before the last `@` is left out.
  public func redacting(urlText text: some StringProtocol) -> String {
    var parts = URLParts(Userinfo.removed(from: text))
    parts.fragment = nil
    parts.path = redacting(path: parts.path)
    parts.query = parts.query.map { redacting(query: $0)[...] }
    return parts.description
  }

  /// A path, percent-encoded, with the mark for its secret parts.
  func redacting(path: Substring) -> Substring {
    paths.reduce(path) { $1.redacting($0) }
  }

  /// A query or a form as it stands, with the mark for the values of secret items.
  public func redacting(query: some StringProtocol) -> String {
    // Byte by byte, as servers do: with an accent behind it, a sign is another `Character`.
    query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
      let item = Array(item)
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return String(decoding: item, as: UTF8.self) }
      let name = String(decoding: item[..<equals], as: UTF8.self)
      let isSecret = contains(Query.decode(name, plusIsSpace: true)) || Self.hasPassword(item[(equals + 1)...])
      return isSecret ? name + "=" + Self.mark : String(decoding: item, as: UTF8.self)
    }.joined(separator: "&")
  }

  /// Whether a value is a URL with a user.
  private static func hasPassword(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }) else { return false }
    let parts = URLParts(Query.decode(String(decoding: value, as: UTF8.self)))
    return parts.hasAuthority && !parts.user.isEmpty
  }
}

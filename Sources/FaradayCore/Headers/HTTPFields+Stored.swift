/// The header fields of a stored response (RFC 9111, sections 3.1 and 3.2).
extension HTTPFields {
  /// The maximum number of header fields of a stored response, and of a 304 that updates it. Adapters accept 5,000 lines, but
  /// each 304 can add another 5,000, and `HTTPFields` traps at 65,535.
  package static let maximumStoredCount = 10_000

  /// The fields without connection-specific fields (RFC 9111, section 3.1) and `Set-Cookie`.
  package func withoutConnectionFields() -> HTTPFields {
    var names = Self.ofConnection
    for value in self[values: .connection] {
      for name in value.split(separator: ",") {
        guard let name = HTTPField.Name(name.filter { $0 != " " && $0 != "\t" }), !Self.ofResponse.contains(name) else {
          continue
        }
        names.insert(name)
      }
    }
    return HTTPFields(filter { !names.contains($0.name) })
  }

  /// The stored fields, updated by the fields of a 304 or of the response to a HEAD: each field replaces the stored fields with
  /// its name (RFC 9111, section 3.2). Nil if the result, or the update with its cookies, has more than ``maximumStoredCount``
  /// fields. Takes time in proportion to the number of fields.
  package func updated(by update: HTTPFields) -> HTTPFields? {
    guard update.count <= Self.maximumStoredCount else { return nil }
    let new = update.withoutConnectionFields().filter { !Self.ofBody.contains($0.name) }
    // `Date` and `Age` describe the age of the old header.
    let replaced = Set(new.map(\.name)).union([.date, .age])
    let kept = filter { !replaced.contains($0.name) }
    return kept.count + new.count <= Self.maximumStoredCount ? kept + new : nil
  }

  /// Fields that describe the stored bytes. `ETag` is included, because a 304 can have a strong ETag where the stored one is
  /// weak.
  private static let ofBody: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .contentRange, .contentType, .eTag]

  /// Fields that are kept even if `Connection` names them (RFC 9110, section 7.6.1). Without them a cache could store or select
  /// a response that it must not.
  private static let ofResponse: Set<HTTPField.Name> = [
    .age, .cacheControl, .contentEncoding, .contentLanguage, .contentLength, .contentLocation, .contentRange, .contentType, .date,
    .eTag, .expires, .lastModified, .vary,
  ]

  private static let ofConnection = Set<HTTPField.Name>(
    [.connection, .te, .trailer, .transferEncoding, .upgrade, .setCookie, .proxyAuthenticate, .proxyAuthorization]
      + ["Keep-Alive", "Proxy-Connection", "Proxy-Authentication-Info"].compactMap { HTTPField.Name($0) })
}

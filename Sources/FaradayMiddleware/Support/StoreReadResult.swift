/// The result of reading a file into a ``CookieJar``, ``HSTSStore`` or ``AlternativeServiceStore``: how many entries were
/// stored, expired or rejected.
public struct StoreReadResult: Sendable, Hashable {
  /// The number of entries that were stored.
  public internal(set) var addedCount = 0
  /// The number of expired entries, which were left out.
  public internal(set) var expiredCount = 0
  /// The malformed or rejected entries: line numbers from 1, or indices from 0 for a JSON array.
  public internal(set) var rejected: [Int] = []
}

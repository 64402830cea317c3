internal import FaradayCore
private import Synchronization

/// A ``CacheStore`` in memory, bounded in bytes. Evicts the least recently used records (LRU).
///
///     connection.use(.cache(in: MemoryCache(maximumSize: 16 << 20)))
///
/// Copies of a connection share it, and several connections can share it, because responses to requests with different
/// credentials are stored separately. All operations take constant time. Its description shows neither bodies nor URLs.
/// Thread-safe.
public final class MemoryCache: CacheStore {
  /// The maximum size of its records in bytes: bodies, header fields, keys, and 512 for each record.
  public let maximumSize: Int
  /// The maximum size of a stored body, in bytes.
  public let maximumEntrySize: Int

  private let records: Mutex<LeastRecentlyUsed<CacheKey, CacheRecord>>

  /// - Parameters:
  ///   - maximumSize: the maximum size of all records, in bytes; 64 MiB by default.
  ///   - maximumEntrySize: the maximum size of a stored body; a quarter of `maximumSize` by default, 16 MiB at most.
  public init(maximumSize: Int = 64 << 20, maximumEntrySize: Int? = nil) {
    self.maximumSize = max(0, maximumSize)
    records = Mutex(LeastRecentlyUsed(maximumSize: self.maximumSize))
    self.maximumEntrySize = max(0, min(maximumEntrySize ?? min(16 << 20, maximumSize / 4), maximumSize))
  }

  /// The number of records: one for each response, and one for each URL.
  public var count: Int { records.withLock { $0.count } }

  /// The size of all records in bytes, counted as for ``maximumSize``.
  public var size: Int { records.withLock { $0.size } }

  public func record(for key: CacheKey) -> CacheRecord? { records.withLock { $0[key] } }

  public func store(_ record: CacheRecord, for key: CacheKey) {
    let size = record.size.addingReportingOverflow(key.text.utf8.count + 512)
    // The removed records are deallocated outside the lock: they can be large.
    _ = records.withLock { $0.insert(record, for: key, size: size.overflow ? .max : size.partialValue) }
  }

  public func remove(_ key: CacheKey) { _ = records.withLock { $0.remove(key) } }

  /// Removes all records.
  public func removeAll() {
    _ = records.withLock { records in
      defer { records = LeastRecentlyUsed(maximumSize: maximumSize) }
      return records
    }
  }
}

extension MemoryCache: CustomStringConvertible, CustomReflectable {
  /// `3 records, 1204 bytes`
  public var description: String {
    let (count, size) = records.withLock { ($0.count, $0.size) }
    return "\(count) record\(count == 1 ? "" : "s"), \(size) bytes"
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

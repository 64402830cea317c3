private import Synchronization

/// A ``CacheStore`` in memory, bounded in bytes. What was not used for longest goes first (LRU).
///
///     connection.use(.cache(in: MemoryCache(maximumSize: 16 << 20)))
///
/// Copies of a connection share it, and several connections may: responses to requests with different credentials are stored apart. All
/// operations take constant time. It has bodies and URLs in it, and shows neither. Thread-safe.
public final class MemoryCache: CacheStore {
  /// How many bytes its records may take: bodies, header fields, keys, and 512 for each.
  public let maximumSize: Int
  /// The largest body that is stored.
  public let maximumEntrySize: Int

  private let records = Mutex(RecentlyUsed())

  /// - Parameters:
  ///   - maximumSize: how many bytes the records may take; 64 MiB by default.
  ///   - maximumEntrySize: the largest body that is stored; a quarter of that by default, 16 MiB at most.
  public init(maximumSize: Int = 64 << 20, maximumEntrySize: Int? = nil) {
    self.maximumSize = max(0, maximumSize)
    self.maximumEntrySize = max(0, min(maximumEntrySize ?? min(16 << 20, maximumSize / 4), maximumSize))
  }

  /// How many records there are: one for each response, and one for each URL.
  public var count: Int { records.withLock { $0.count } }

  /// How many bytes the records take, as ``maximumSize`` counts them.
  public var size: Int { records.withLock { $0.size } }

  public func record(for key: CacheKey) -> CacheRecord? { records.withLock { $0.use(key) } }

  public func store(_ record: CacheRecord, for key: CacheKey) {
    let size = record.size.addingReportingOverflow(key.text.utf8.count + 512)
    // What goes may be large: it is released when the lock is.
    _ = records.withLock { records -> [CacheRecord] in
      var gone = [records.remove(key)]
      guard !size.overflow, size.partialValue <= maximumSize else { return gone.compactMap(\.self) }
      records.insert(record, for: key, size: size.partialValue)
      while records.size > maximumSize, let oldest = records.removeOldest() { gone.append(oldest) }
      return gone.compactMap(\.self)
    }
  }

  public func remove(_ key: CacheKey) { _ = records.withLock { $0.remove(key) } }

  /// Removes everything.
  public func removeAll() {
    _ = records.withLock { records in
      defer { records = RecentlyUsed() }
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

/// Records in the order of their last use: a dictionary, and a doubly linked list in an array.
private struct RecentlyUsed {
  private struct Node {
    let key: CacheKey
    let record: CacheRecord
    let size: Int
    var newer: Int?
    var older: Int?
  }

  private var places: [CacheKey: Int] = [:]
  private var nodes: [Node?] = []
  private var free: [Int] = []
  private var newest: Int?
  private var oldest: Int?
  private(set) var size = 0

  var count: Int { places.count }

  mutating func use(_ key: CacheKey) -> CacheRecord? {
    guard let place = places[key], let node = nodes[place] else { return nil }
    if place != newest {
      unlink(place)
      link(place)
    }
    return node.record
  }

  /// The key must not be there.
  mutating func insert(_ record: CacheRecord, for key: CacheKey, size: Int) {
    let node = Node(key: key, record: record, size: size)
    let place: Int
    if let unused = free.popLast() {
      place = unused
      nodes[place] = node
    } else {
      place = nodes.count
      nodes.append(node)
    }
    places[key] = place
    self.size += size
    link(place)
  }

  mutating func remove(_ key: CacheKey) -> CacheRecord? {
    guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
    unlink(place)
    nodes[place] = nil
    free.append(place)
    size -= node.size
    return node.record
  }

  mutating func removeOldest() -> CacheRecord? { oldest.flatMap { nodes[$0]?.key }.flatMap { remove($0) } }

  private mutating func link(_ place: Int) {
    nodes[place]?.older = newest
    nodes[place]?.newer = nil
    if let newest { nodes[newest]?.newer = place }
    newest = place
    if oldest == nil { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    guard let node = nodes[place] else { return }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }
}

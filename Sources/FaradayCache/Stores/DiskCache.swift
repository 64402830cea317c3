private import Dispatch
internal import FaradayCore
private import Synchronization

/// A ``CacheStore`` on disk, bounded in bytes, which several processes can share. The least recently used records are removed
/// first (LRU, by modification time, to the minute).
///
///     connection.use(.cache(in: try DiskCache("/var/cache/app", maximumSize: 1 << 30)))
///
/// Each record is one file. It is written to a temporary file and renamed when it is complete, so that a reader, also in
/// another process, finds the old record or the new one. It has its length and a checksum. A damaged file, for instance after a
/// power loss, is removed when it is read: a record can be lost, but is never wrong. There is no `fsync`. A killed process
/// leaves at most a temporary file, which is removed later. Files are used instead of SQLite because they need no dependency,
/// readers never wait for a writer, and damage affects one record instead of the database.
///
/// The folder has the mode 0700 and files have 0600. Names are hashes, and reveal neither URL nor credentials. The contents of
/// responses are in cleartext. Records are read into memory completely, on background threads.
///
/// Eviction inspects each file (about 3 µs a file), whenever this process has written a sixteenth of the maximum. The size can
/// therefore exceed ``maximumSize`` by a sixteenth for each writing process. Thread-safe.
public final class DiskCache: CacheStore {
  /// The folder.
  public let path: String
  /// The maximum size of all files together, in bytes.
  public let maximumSize: Int
  /// The maximum size of a stored body, in bytes.
  public let maximumEntrySize: Int
  private let folder: CacheFolder
  private let usage = Mutex(Usage())

  private struct Usage {
    /// The bytes written since the last eviction. At the start the bytes of earlier processes are unknown.
    var written = Int.max / 2
    var isSweeping = false
  }

  /// Opens the folder, and creates it with its parents if it is missing. Throws ``FaradayCore/StoreError`` if that fails, if it
  /// or a symbolic link to it belongs to another user, or if others can write to it.
  ///
  /// - Parameters:
  ///   - path: a folder for the cache only. Its contents are removed when space is needed.
  ///   - maximumSize: the maximum size of all files, in bytes; 256 MiB by default.
  ///   - maximumEntrySize: the maximum size of a stored body; a quarter of `maximumSize` by default, 16 MiB at most.
  public init(_ path: String, maximumSize: Int = 256 << 20, maximumEntrySize: Int? = nil) throws {
    folder = try CacheFolder(path)
    self.path = path
    self.maximumSize = max(0, maximumSize)
    self.maximumEntrySize = max(0, min(maximumEntrySize ?? min(16 << 20, maximumSize / 4), maximumSize))
  }

  public func record(for key: CacheKey) async throws -> CacheRecord? {
    try await onBackgroundThread { [self] in
      let name = key.digest
      guard let data = try folder.read(name, limit: recordLimit) else { return nil }
      guard let record = try? CacheRecord(decoding: data) else {
        folder.remove(name)
        return nil
      }
      return record
    }
  }

  public func store(_ record: CacheRecord, for key: CacheKey) async throws {
    try await onBackgroundThread { [self] in
      let data = record.encoded()
      guard data.count <= min(maximumSize, recordLimit) else {
        folder.remove(key.digest)
        throw StoreError(.cache("the record is too large"), path: path)
      }
      try folder.write(data, key.digest)
      let mustSweep = usage.withLock { usage in
        usage.written += data.count
        guard usage.written > maximumSize / 16, !usage.isSweeping else { return false }
        usage.isSweeping = true
        return true
      }
      guard mustSweep else { return }
      folder.sweep(keeping: maximumSize)
      usage.withLock { $0 = Usage(written: 0) }
    }
  }

  public func remove(_ key: CacheKey) async throws {
    try await onBackgroundThread { [folder] in folder.remove(key.digest) }
  }

  /// Removes all records, of this process and of others.
  public func removeAll() async throws {
    try await onBackgroundThread { [folder] in folder.sweep(keeping: -1) }
  }

  private var recordLimit: Int {
    let sum = maximumEntrySize.addingReportingOverflow(CacheRecord.overhead)
    return sum.overflow ? .max : sum.partialValue
  }

  /// Not on a thread of the cooperative pool, because a disk can block for long.
  private func onBackgroundThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
  }
}

extension DiskCache: CustomStringConvertible, CustomReflectable {
  /// `cache in /var/cache/app`
  public var description: String { "cache in \(path.bounded())" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

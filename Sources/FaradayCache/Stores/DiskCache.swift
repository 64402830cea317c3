private import Dispatch
public import FaradayCore
private import Synchronization

/// A ``CacheStore`` on disk, bounded in bytes, which several processes may share. What was not used for longest goes first (LRU, by
/// the time of modification, to the minute).
///
///     connection.use(.cache(in: try DiskCache("/var/cache/app", maximumSize: 1 << 30)))
///
/// One file holds one record. It is written beside and renamed when it is complete, so that a reader, also in another process, finds the
/// old record or the new one. It has its length and a checksum, and one that is not whole, as after a power loss, is removed when it is
/// read: a record may be lost, and is never wrong. There is no `fsync`. A process that is killed leaves at most a temporary file,
/// which is removed later. Files, and not SQLite, as they need no dependency, readers never wait for a writer, and damage costs one
/// record and not the database.
///
/// The folder has the mode 0700 and files have 0600; names are hashes, and show no URL and no credential. The contents of responses are
/// in clear. Records are read whole into memory, on background threads.
///
/// Making room looks at each file once (about 3 µs a file), whenever a sixteenth of the maximum was written by this process. So the
/// size may exceed ``maximumSize`` by a sixteenth for each process that writes. Thread-safe.
public final class DiskCache: CacheStore {
  /// The folder.
  public let path: String
  /// How many bytes the files may take together.
  public let maximumSize: Int
  /// The largest body that is stored.
  public let maximumEntrySize: Int
  private let folder: CacheFolder
  private let usage = Mutex(Usage())

  private struct Usage {
    /// Bytes written since the files were last looked at; at the start those of earlier processes are unknown.
    var written = Int.max / 2
    var isSweeping = false
  }

  /// Makes the folder if it is missing, with those above it. Throws ``DiskCacheError`` if that fails, if it or a symbolic link to it
  /// belongs to another user, or if others may write to it.
  ///
  /// - Parameters:
  ///   - path: a folder for nothing else. What lies in it is removed when room is needed.
  ///   - maximumSize: how many bytes the files may take; 256 MiB by default.
  ///   - maximumEntrySize: the largest body that is stored; a quarter of that by default, 16 MiB at most.
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
        throw DiskCacheError(path: path, reason: "the record is too large")
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

  /// Removes everything, of this process and of others.
  public func removeAll() async throws {
    try await onBackgroundThread { [folder] in folder.sweep(keeping: -1) }
  }

  private var recordLimit: Int {
    let sum = maximumEntrySize.addingReportingOverflow(CacheRecord.overhead)
    return sum.overflow ? .max : sum.partialValue
  }

  /// Not on a thread of the cooperative pool: a disk may take its time.
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

/// A folder or a file of a ``DiskCache`` that could not be used.
public struct DiskCacheError: FaradayError, Hashable {
  /// The path of the folder.
  public let path: String
  /// What failed: `No space left on device`, for instance.
  public let reason: String

  public var description: String { "cache in \(path.bounded()): \(reason)" }
}

internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// The file beside the destination that a download writes to, locked against others: `NAME.part`. It gets the destination's name
/// when it is whole.
///
/// Its lock (`flock`) ends with the process, however that ends.
final class PartFile {
  let destination: String
  let path: String
  /// Where what is known of its bytes is kept.
  var recordPath: String { path + ".json" }
  private(set) var size: Int64 = 0
  private let descriptor: Int32

  /// Opens or creates it, and locks it. Throws ``DownloadError``.
  init(for destination: String) throws {
    guard !destination.isEmpty, !destination.utf8.contains(0) else { throw DownloadError(.invalidPath, path: destination) }
    var found = stat()
    guard destination.utf8.last != UInt8(ascii: "/"), stat(destination, &found) != 0 || !Self.isFolder(found) else {
      throw DownloadError(.isFolder, path: destination)
    }
    self.destination = destination
    path = destination + ".part"
    while true {
      let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
      guard opened >= 0 else { throw DownloadError(errno: errno, path: destination) }
      do {
        if try Self.take(opened, at: path, for: destination) {
          descriptor = opened
          break
        }
      } catch {
        close(opened)
        throw error
      }
      close(opened)
    }
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { throw DownloadError(errno: errno, path: destination) }
    size = Int64(own.st_size)
  }

  deinit { close(descriptor) }

  /// Locks the file. False if its name is another file's by now, or it is also a file of another name.
  private static func take(_ descriptor: Int32, at path: String, for destination: String) throws -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      throw code == EWOULDBLOCK ? DownloadError(.inUse, path: destination) : DownloadError(errno: code, path: destination)
    }
    var own = stat()
    var named = stat()
    guard fstat(descriptor, &own) == 0 else { throw DownloadError(errno: errno, path: destination) }
    guard own.st_mode & S_IFMT == S_IFREG else {
      throw DownloadError(.fileFailed("the part file is not a regular file"), path: destination)
    }
    // The download that held the lock before may have given the file its final name, or removed it.
    guard lstat(path, &named) == 0, named.st_ino == own.st_ino, named.st_dev == own.st_dev else { return false }
    guard own.st_nlink <= 1 else {
      guard unlink(path) == 0 || errno == ENOENT else { throw DownloadError(errno: errno, path: destination) }
      return false
    }
    return true
  }

  private static func isFolder(_ found: stat) -> Bool { found.st_mode & S_IFMT == S_IFDIR }

  /// Whether there is something at the destination.
  var isDestinationTaken: Bool {
    var found = stat()
    return lstat(destination, &found) == 0
  }

  /// The bytes that may still be written to the volume; nil if it does not say.
  var freeSpace: Int64? {
    var volume = statvfs()
    guard fstatvfs(descriptor, &volume) == 0 else { return nil }
    let (bytes, isTooLarge) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
    return isTooLarge ? .max : Int64(clamping: bytes)
  }

  /// Removes all bytes.
  func empty() throws {
    guard ftruncate(descriptor, 0) == 0 else { throw DownloadError(errno: errno, path: destination) }
    size = 0
  }

  /// Appends bytes.
  func append(_ piece: Data) throws {
    try piece.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(size))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw DownloadError(errno: count < 0 ? errno : EIO, path: destination) }
        size += Int64(count)
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Reads the bytes from an offset to the end.
  func read(from start: Int64, _ take: (Span<UInt8>) -> Void) throws {
    var offset = start
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while offset < size {
      try Task.checkCancellation()
      let wanted = Int(min(Int64(piece.count), size - offset))
      let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw DownloadError(errno: count < 0 ? errno : EIO, path: destination) }
      take(piece.span.extracting(0..<count))
      offset += Int64(count)
    }
  }

  /// Gives the file its final name when its bytes are on the disk.
  func finish(replacing: Bool) throws {
    guard fsync(descriptor) == 0 else { throw DownloadError(errno: errno, path: destination) }
    guard hasItsName else { throw DownloadError(.fileFailed("something else took the name of the part file"), path: destination) }
    guard (replacing ? rename(path, destination) : renameWithoutReplacing()) == 0 else {
      throw DownloadError(errno: errno, path: destination)
    }
    unlink(recordPath)
    syncFolder()
  }

  /// A second name, and not the first any more: `rename` would replace. Ending between the two leaves a part file with two names,
  /// which the next download recognizes.
  private func renameWithoutReplacing() -> Int32 {
    guard link(path, destination) == 0 else { return -1 }
    unlink(path)
    return 0
  }

  /// Makes the new name survive a power failure. The file is there all the same if the folder cannot be opened for reading.
  private func syncFolder() {
    let slash = destination.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == destination.startIndex ? "/" : String(destination[..<$0]) } ?? "."
    let opened = open(folder, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return }
    fsync(opened)
    close(opened)
  }

  /// Whether the name still is this file's: somebody may have renamed another file to it.
  private var hasItsName: Bool {
    var own = stat()
    var named = stat()
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && named.st_ino == own.st_ino && named.st_dev == own.st_dev
  }

  /// Removes the file and its record.
  func remove() {
    guard hasItsName else { return }
    unlink(path)
    removeRecord()
  }

  func removeRecord() { unlink(recordPath) }
}

internal import FaradayCore
internal import FaradaySupport
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// The file in the destination's folder that a download writes to, locked against other downloads: `NAME.part`. It is renamed
/// to the destination when it is complete.
///
/// Its lock (`flock`) ends with the process, even after a crash.
final class PartFile {
  let destination: String
  let path: String
  /// The path of the record of its bytes.
  var recordPath: String { path + ".json" }
  private(set) var size: Int64 = 0
  private let descriptor: Int32
  /// The users whose part and record are continued: this one, and the folder's owner, because the owner can replace anything in
  /// the folder. Some file systems show all files as owned by one user.
  let owners: Set<UInt32>

  /// Opens or creates the file, and locks it. Throws ``DownloadError``.
  init(for destination: String) throws {
    guard !destination.isEmpty, !destination.utf8.contains(0) else { throw DownloadError(.invalidPath, path: destination) }
    var found = stat()
    guard destination.utf8.last != UInt8(ascii: "/"), stat(destination, &found) != 0 || !Self.isFolder(found) else {
      throw DownloadError(.isFolder, path: destination)
    }
    let name = destination.lowercased()
    guard !name.hasSuffix(".part"), !name.hasSuffix(".part.json") else { throw DownloadError(.reservedName, path: destination) }
    // The part of a file with a long name has a shorter name.
    guard lstat(destination, &found) == 0 || errno != ENAMETOOLONG else { throw DownloadError(.invalidPath, path: destination) }
    self.destination = destination
    path = Self.partPath(of: destination)
    owners = Self.owners(of: path)
    descriptor = try Self.opened(path, owners, for: destination)
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { throw DownloadError(errno: errno, path: destination) }
    size = Int64(own.st_size)
    // The owner must be able to open the part again.
    if let mode = replacedMode { fchmod(descriptor, mode & 0o666 | 0o600) }
  }

  deinit { Self.release(descriptor) }

  /// Splits a path into the folder, empty or with a trailing slash, and the name.
  private static func split(_ path: String) -> (folder: String, name: Substring) {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
    return (String(path[..<start]), path[start...])
  }

  private static func owners(of path: String) -> Set<UInt32> {
    let folder = split(path).folder
    var found = stat()
    guard stat(folder.isEmpty ? "." : folder, &found) == 0 else { return [geteuid()] }
    return [geteuid(), found.st_uid]
  }

  /// Returns the destination with the real path of its folder, so that equal destinations have equal paths.
  static func place(of destination: String) -> String {
    let (folder, name) = split(destination)
    guard !destination.utf8.contains(0), let real = realpath(folder.isEmpty ? "." : folder, nil) else { return destination }
    defer { free(real) }
    return String(cString: real) + "/" + name
  }

  /// Returns `NAME.part`. A name that would be too long for most file systems, with room for the suffixes of the record and its
  /// temporary file, is truncated and made unique with its hash.
  private static func partPath(of destination: String) -> String {
    let (folder, name) = split(destination)
    guard name.utf8.count > 255 - ".part.json.XXXXXX".utf8.count else { return destination + ".part" }
    let start = String(decoding: name.utf8.prefix(180), as: UTF8.self)
    return folder + start + "-" + SHA256.hash(name.utf8).hexadecimal.prefix(16) + ".part"
  }

  /// Creates the file, or opens the file of an earlier download, and locks it.
  private static func opened(_ path: String, _ owners: Set<UInt32>, for destination: String) throws -> Int32 {
    // Each retry means that another process has renamed or removed the file in the meantime.
    for _ in 0..<100 {
      var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      let isNew = descriptor >= 0
      if !isNew, errno == EEXIST {
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { continue }
        // A link, a folder or a socket.
        if descriptor < 0, [ELOOP, EISDIR, ENXIO].contains(errno) { throw notRegular(destination) }
      }
      guard descriptor >= 0 else { throw DownloadError(errno: errno, path: destination) }
      do {
        if try take(descriptor, at: path, isNew ? nil : owners, for: destination) { return descriptor }
      } catch {
        close(descriptor)
        throw error
      }
      release(descriptor)
    }
    throw DownloadError(.inUse, path: destination)
  }

  private static func notRegular(_ destination: String) -> DownloadError {
    DownloadError(.fileFailed("the part file is not a regular file"), path: destination)
  }

  /// Locks the file. Returns false if another file has its name by now, or if it has a second name, or if it belongs to a user
  /// who is not one of the owners: that user may have written anything to it. In these cases its name is removed.
  private static func take(_ descriptor: Int32, at path: String, _ owners: Set<UInt32>?, for destination: String) throws -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      throw code == EWOULDBLOCK ? DownloadError(.inUse, path: destination) : DownloadError(errno: code, path: destination)
    }
    var own = stat()
    var named = stat()
    guard fstat(descriptor, &own) == 0 else { throw DownloadError(errno: errno, path: destination) }
    guard own.st_mode & S_IFMT == S_IFREG else { throw notRegular(destination) }
    // The download that held the lock before may have renamed the file to its destination, or removed it.
    guard lstat(path, &named) == 0, named.st_ino == own.st_ino, named.st_dev == own.st_dev else { return false }
    guard own.st_nlink <= 1, owners?.contains(own.st_uid) != false else {
      guard unlink(path) == 0 || errno == ENOENT else { throw DownloadError(errno: errno, path: destination) }
      return false
    }
    return true
  }

  /// Unlocks and closes the file. A child process that is being started shares the open file until its exec: closing alone
  /// would keep the lock until then.
  private static func release(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func isFolder(_ found: stat) -> Bool { found.st_mode & S_IFMT == S_IFDIR }

  /// The permissions of the regular file at the destination, without set-user-ID and similar bits; nil if there is no file. The
  /// new file gets them.
  private var replacedMode: mode_t? {
    var found = stat()
    guard lstat(destination, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
    return found.st_mode & 0o777
  }

  /// Whether there is a file at the destination.
  var isDestinationTaken: Bool {
    var found = stat()
    return lstat(destination, &found) == 0
  }

  /// The free bytes of the volume; nil if they are unknown.
  var freeSpace: Int64? { Self.freeSpace(of: descriptor) }

  static func freeSpace(of descriptor: Int32) -> Int64? {
    var volume = statvfs()
    // A volume without blocks does not count them, and is not full.
    guard fstatvfs(descriptor, &volume) == 0, volume.f_blocks > 0 else { return nil }
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

  /// Renames the file to its destination when its bytes are on the disk.
  ///
  /// - Parameter link: creates a second name of a file; tests pass a function that fails.
  func finish(replacing: Bool, link: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32 = systemLink) throws {
    // Some file systems do not support permissions.
    if replacing, let mode = replacedMode, fchmod(descriptor, mode) != 0, ![EPERM, ENOTSUP, ENOSYS].contains(errno) {
      throw DownloadError(errno: errno, path: destination)
    }
    guard fsync(descriptor) == 0 else { throw DownloadError(errno: errno, path: destination) }
    guard hasItsName else { throw DownloadError(.fileFailed("the part file was replaced by another file"), path: destination) }
    guard (replacing ? rename(path, destination) : renameWithoutReplacing(link)) == 0 else {
      throw DownloadError(errno: errno, path: destination)
    }
    unlink(recordPath)
    syncFolder()
  }

  /// Renames with `link` and `unlink`, because `rename` would replace a file. A crash between the two leaves a part file with
  /// two names, which the next download recognizes.
  ///
  /// On a file system without hard links, an empty file is created exclusively, and then replaced.
  private func renameWithoutReplacing(_ link: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32) -> Int32 {
    if link(path, destination) == 0 {
      unlink(path)
      return 0
    }
    let claim = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard claim >= 0 else { return -1 }
    close(claim)
    guard rename(path, destination) != 0 else { return 0 }
    let code = errno
    unlink(destination)
    errno = code
    return -1
  }

  /// Makes the new name survive a power failure. If the folder cannot be opened for reading, the file is still there.
  private func syncFolder() {
    let folder = Self.split(destination).folder
    let opened = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return }
    fsync(opened)
    close(opened)
  }

  /// Whether the name still belongs to this file: another process may have renamed another file to it.
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

/// Calls `link`; a parameter above shadows that name.
#if canImport(Glibc)
let systemLink = Glibc.link
#elseif canImport(Musl)
let systemLink = Musl.link
#elseif canImport(Darwin)
let systemLink = Darwin.link
#endif

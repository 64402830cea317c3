internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// The file that a download is written to until it is whole, locked against other downloads until it is released.
final class PartFile {
  private let path: String
  private let descriptor: Int32
  private(set) var size: Int64

  /// Opens or creates it. Throws ``DownloadError/Reason``.
  init(_ path: String) throws(Failure) {
    self.path = path
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
      guard descriptor >= 0 else { throw .ofSystem }
      var status = stat()
      var named = stat()
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0 else {
        let failure: Failure = errno == EWOULDBLOCK ? Failure(reason: .inUse) : .ofSystem
        close(descriptor)
        throw failure
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw Failure(reason: .file("\(path.bounded()) is no regular file"))
      }
      // The one who had the lock may have renamed or removed it meanwhile.
      if lstat(path, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev {
        self.descriptor = descriptor
        size = Int64(status.st_size)
        return
      }
      close(descriptor)
    }
  }

  deinit { close(descriptor) }

  /// Why the file could not be used.
  struct Failure: Error {
    let reason: DownloadError.Reason

    static var ofSystem: Self { Self(reason: .file(String(cString: strerror(errno)))) }
  }

  /// Writes at the end.
  func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(size))
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == ENOSPC || errno == EDQUOT {
          throw Failure(reason: .noSpace(needed: Int64(rest.count), available: availableSpace ?? 0))
        }
        guard count >= 0 else { throw Failure.ofSystem }
        size += Int64(count)
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Drops all bytes.
  func clear() throws(Failure) {
    guard ftruncate(descriptor, 0) == 0 else { throw .ofSystem }
    size = 0
  }

  /// Reads the bytes from an offset, at most so many; empty at the end.
  func read(at offset: Int64, upTo count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw .ofSystem }
      bytes.removeLast(count - read)
      return bytes
    }
  }

  /// Makes it the file of that name, which is whole on the disk when this returns.
  func rename(to file: String, replacing: Bool) throws(Failure) {
    guard fsync(descriptor) == 0 else { throw .ofSystem }
    if replacing {
      guard systemRename(path, file) == 0 else { throw .ofSystem }
    } else {
      // Unlike a rename it fails if there is such a file.
      guard link(path, file) == 0 else { throw errno == EEXIST ? Failure(reason: .fileExists) : .ofSystem }
      unlink(path)
    }
    let folder = open(Self.folder(of: file), O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  func remove() { unlink(path) }

  /// The bytes that the disk has for this user; nil if that is unknown.
  var availableSpace: Int64? {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return nil }
    let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooLarge ? .max : Int64(clamping: bytes)
  }

  /// What is at a path.
  enum Kind { case nothing, folder, file }

  static func kind(of path: String) -> Kind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .nothing }
    return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  private static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }
}

// Their names are taken in the scope above.
#if canImport(Glibc)
private func systemRename(_ from: String, _ to: String) -> Int32 { Glibc.rename(from, to) }
#elseif canImport(Musl)
private func systemRename(_ from: String, _ to: String) -> Int32 { Musl.rename(from, to) }
#elseif canImport(Darwin)
private func systemRename(_ from: String, _ to: String) -> Int32 { Darwin.rename(from, to) }
#endif

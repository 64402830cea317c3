#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// Writes files that only their owner can read, and reads files up to a limit.
package enum PrivateFile {
  /// The reason why a file could not be read or written.
  package struct Failure: Error {
    /// The system's message: `No such file or directory`.
    package let reason: String
    /// Whether the file does not exist.
    package var isMissing = false

    fileprivate static var ofSystem: Self {
      let code = errno
      return Self(reason: String(cString: strerror(code)), isMissing: code == ENOENT)
    }
  }

  /// Reads a whole file, or a pipe to its end. Throws if it has more than `limit` bytes, because `/dev/zero` has no end.
  ///
  /// - Parameter owners: the users whose files may be read; nil allows all. In a shared folder, other users can place files.
  ///   With owners, only a regular file that only its owner can write is read. Symbolic links are not followed, and pipes do
  ///   not block.
  package static func read(_ path: String, limit: Int, ownedBy owners: Set<UInt32>? = nil) throws(Failure) -> Data {
    guard !path.utf8.contains(0) else { throw Failure(reason: "the path contains a NUL character") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (owners == nil ? 0 : O_NOFOLLOW | O_NONBLOCK))
    guard descriptor >= 0 else { throw .ofSystem }
    defer { close(descriptor) }
    if let owners {
      var found = stat()
      guard fstat(descriptor, &found) == 0 else { throw .ofSystem }
      guard found.st_mode & S_IFMT == S_IFREG, owners.contains(found.st_uid), found.st_mode & 0o022 == 0 else {
        throw Failure(reason: "it is not a file that only its owner can write, or its owner is another user")
      }
    }
    var data = Data()
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = piece.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .ofSystem }
      guard count > 0 else { return data }
      guard data.count + count <= limit else { throw Failure(reason: "it has more than \(limit) bytes") }
      data.append(contentsOf: piece[..<count])
    }
  }

  /// Writes a temporary file with mode 0600 in the same folder, and renames it when it is complete. Throws ``Failure``.
  ///
  /// - Parameter survivesPowerLoss: whether the bytes reach the disk before the rename (`fsync`), so that the file is complete
  ///   even after a power loss. A file with a checksum does not need `fsync`, which takes milliseconds.
  package static func write(_ data: Data, to path: String, survivesPowerLoss: Bool = true) throws {
    var template = Array((path + ".XXXXXX").utf8CString)
    // The file has mode 0600 from the start.
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Failure.ofSystem }
    let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      defer { close(descriptor) }
      try write(data, to: descriptor)
      guard !survivesPowerLoss || fsync(descriptor) == 0 else { throw Failure.ofSystem }
      guard rename(temporary, path) == 0 else { throw Failure.ofSystem }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Writes into a device, such as `/dev/null`, or a pipe. Returns false, and writes nothing, if the path is something else.
  /// Throws ``Failure``, also for the pipe of another user, who could read the bytes.
  ///
  /// Waits for the reader of a pipe. If the reader leaves, the process gets SIGPIPE.
  package static func write(_ data: Data, intoDevice path: String) throws -> Bool {
    var found = stat()
    guard stat(path, &found) == 0, try found.isDevice() else { return false }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Failure.ofSystem }
    defer { close(descriptor) }
    guard fstat(descriptor, &found) == 0, try found.isDevice() else { throw Failure(reason: "another file has taken its place") }
    try write(data, to: descriptor)
    return true
  }

  private static func write(_ data: Data, to descriptor: Int32) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Failure.ofSystem }
        rest = rest.dropFirst(count)
      }
    }
  }
}

extension stat {
  /// Whether it is a device or a pipe. Throws for the pipe of another user.
  fileprivate func isDevice() throws(PrivateFile.Failure) -> Bool {
    guard st_mode & S_IFMT != S_IFIFO || st_uid == geteuid() else {
      throw PrivateFile.Failure(reason: "it is a pipe of another user")
    }
    return [S_IFCHR, S_IFBLK, S_IFIFO].contains(st_mode & S_IFMT)
  }
}

// In the scope above, `read` and `write` are the functions of `PrivateFile`.
#if canImport(Glibc)
private let systemRead = Glibc.read
private let systemWrite = Glibc.write
#elseif canImport(Musl)
private let systemRead = Musl.read
private let systemWrite = Musl.write
#elseif canImport(Darwin)
private let systemRead = Darwin.read
private let systemWrite = Darwin.write
#endif

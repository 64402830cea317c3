@_spi(Adapters) internal import FaradayCore
internal import Foundation
internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// The received bytes of a response for which its reader has no room yet: the first bytes in memory, later bytes in temporary
/// files. First in, first out. Thread-safe.
///
/// URLSession cannot be slowed down: on Linux, suspending a task ends its transfer, and all sessions of the process share one
/// queue, which must not be blocked.
final class UnreadBytes: Sendable {
  /// The maximum number of bytes in memory.
  static let inMemory = 16 << 20

  struct Full: Error {}

  private struct State {
    var pieces = Fifo<Data>()
    var inPieces = 0
    var files = Fifo<UnreadFile>()
    /// The last file, to which bytes are appended.
    var last: UnreadFile?
    var count: Int64 = 0
    var isDiscarded = false
  }

  private let limit: Int64
  private let folder: URL?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: the number of bytes beyond which ``append(_:)`` throws ``Full``.
  ///   - folder: the folder of the files; nil for the system's folder for temporary files.
  init(limit: Int64, folder: URL? = nil) {
    self.limit = limit
    self.folder = folder
  }

  var isEmpty: Bool { state.withLock { $0.pieces.isEmpty && $0.files.isEmpty } }
  /// The number of bytes in memory.
  var countInMemory: Int { state.withLock { $0.inPieces } }

  /// Adds bytes. Throws ``Full`` beyond the limit, and ``UnreadFile/Failure`` if the bytes cannot be written.
  func append(_ piece: Data) throws {
    try state.withLock { state in
      guard !state.isDiscarded else { return }
      guard Int64(piece.count) <= limit - state.count else { throw Full() }
      if state.files.isEmpty, state.inPieces + piece.count <= Self.inMemory {
        state.pieces.append(piece)
        state.inPieces += piece.count
      } else {
        try write(piece, &state)
      }
      state.count += Int64(piece.count)
    }
  }

  private func write(_ piece: Data, _ state: inout State) throws {
    if let last = state.last, !last.isFull { return try last.append(piece) }
    let file = try UnreadFile(in: folder ?? FileManager.default.temporaryDirectory)
    try file.append(piece)
    state.files.append(file)
    state.last = file
  }

  /// Removes the next bytes; nil if there are none. Throws ``UnreadFile/Failure`` if the bytes cannot be read.
  func take() throws -> Data? {
    try state.withLock { state in
      if let piece = state.pieces.popFirst() {
        state.inPieces -= piece.count
        state.count -= Int64(piece.count)
        return piece
      }
      guard let file = state.files.first else { return nil }
      let piece = try file.take()
      state.count -= Int64(piece.count)
      if file.isEmpty {
        _ = state.files.popFirst()
        if state.last === file { state.last = nil }
      }
      return piece
    }
  }

  /// Removes all bytes, and drops bytes that are added later.
  func discard() {
    // Deallocated outside the lock.
    let old = state.withLock { state in
      defer { state = State(isDiscarded: true) }
      return state
    }
    withExtendedLifetime(old) {}
  }
}

/// A nameless temporary file, which is deleted with this object. Bytes are appended to it and read from its start.
// Safe to share: the file is used under the lock of UnreadBytes.
final class UnreadFile: @unchecked Sendable {
  struct Failure: Error, CustomStringConvertible {
    let code = errno
    var description: String { "the temporary file for unread bytes failed: \(String(cString: strerror(code)))" }
  }

  /// The size at which a new file begins, so that files of read bytes can be deleted.
  static let size: Int64 = 64 << 20

  private let descriptor: Int32
  private var written: Int64 = 0
  private var read: Int64 = 0

  var isFull: Bool { written >= Self.size }
  var isEmpty: Bool { read == written }

  init(in folder: URL) throws {
    let path = folder.appendingPathComponent("faraday-unread-\(UUID().uuidString)").path
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure() }
    unlink(path)
  }

  deinit { close(descriptor) }

  func append(_ piece: Data) throws {
    try piece.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let offset = written + Int64(rest.startIndex)
        let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(offset))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Failure() }
        rest = rest.dropFirst(count)
      }
    }
    written += Int64(piece.count)
  }

  /// Reads the next bytes, at most 256 KiB.
  func take() throws -> Data {
    var piece = Data(count: Int(min(256 << 10, written - read)))
    while true {
      let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(read)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure() }
      read += Int64(count)
      return piece.prefix(count)
    }
  }
}

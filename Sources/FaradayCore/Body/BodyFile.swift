private import Dispatch
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A regular file as a body, read in pieces of 256 KiB on a background thread.
public struct BodyFile: Sendable {
  let path: String
  let length: Int64

  static let pieceSize = 256 << 10

  init(path: String) throws {
    self.path = path
    let file = try OpenFile(path)
    length = file.size
  }

  /// A file cannot be opened or read, is not a regular file, or does not report its size.
  public struct Unreadable: FaradayError, Equatable {
    /// The path of the file.
    public let path: String
    /// Why it cannot be read: the system's message, or what is wrong with the file.
    public let reason: String

    public var description: String { "cannot read \(path): \(reason)" }
  }

  /// A reader that opens the file with the first piece. It returns `length` bytes, or fewer if the file has become shorter.
  func makeReader() -> BodyReader {
    var file: OpenFile?
    var offset: Int64 = 0
    return {
      guard offset < length else { return nil }
      let open = try file ?? OpenFile(path)
      file = open
      let start = offset
      let count = Int(Swift.min(Int64(Self.pieceSize), length - start))
      let piece = try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try open.read(count: count, at: start) })
        }
      }
      offset += Int64(piece.count)
      return piece.isEmpty ? nil : piece
    }
  }
}

/// An open file descriptor, closed with the last reference.
private final class OpenFile: Sendable {
  let path: String
  let descriptor: Int32
  let size: Int64

  init(_ path: String) throws {
    guard !path.utf8.contains(0) else {
      throw BodyFile.Unreadable(path: path, reason: "the path contains a NUL character")
    }
    // Non-blocking: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw BodyFile.Unreadable(path: path, reason: String(cString: strerror(errno))) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw BodyFile.Unreadable(path: path, reason: "it is not a regular file")
    }
    self.path = path
    self.descriptor = descriptor
    size = Int64(status.st_size)
    guard try size > 0 || isEmpty() else {
      throw BodyFile.Unreadable(
        path: path, reason: "its size is reported as 0 but it has contents, as files under /proc do: read it and send the data")
    }
  }

  /// Whether a file with a reported size of 0 is empty. One that was written to meanwhile counts as empty.
  private func isEmpty() throws -> Bool {
    guard try !read(count: 1, at: 0).isEmpty else { return true }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size > 0
  }

  deinit { close(descriptor) }

  func read(count: Int, at offset: Int64) throws -> Data {
    guard let bytes = malloc(count) else { throw BodyFile.Unreadable(path: path, reason: "out of memory") }
    var got: Int
    repeat { got = pread(descriptor, bytes, count, off_t(offset)) } while got < 0 && errno == EINTR
    guard got >= 0 else {
      let reason = String(cString: strerror(errno))
      free(bytes)
      throw BodyFile.Unreadable(path: path, reason: reason)
    }
    return Data(bytesNoCopy: bytes, count: got, deallocator: .free)
  }
}

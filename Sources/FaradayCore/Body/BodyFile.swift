private import CLibraries
private import Dispatch
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A regular file, or a range of its bytes, as a body, read in pieces of at most 256 KiB: in the reading task if the kernel has
/// the bytes in memory, and otherwise on a background thread, which may wait for the disk.
struct BodyFile: Sendable {
  let path: String
  let length: Int64
  let isRange: Bool
  private let start: Int64

  init(path: String) throws {
    self.path = path
    length = try OpenFile(path).size
    start = 0
    isRange = false
  }

  init(path: String, range: some RangeExpression<Int64>) throws {
    self.path = path
    let size = try OpenFile(path).size
    guard let bounds = Self.bounds(of: range, in: size) else {
      let shown = (range as? PartialRangeFrom<Int64>).map { "\($0.lowerBound)..." } ?? "\(range)"
      throw BodyError(.unreadable(path: path, reason: "the range \(shown) is not within its \(size) bytes"))
    }
    start = bounds.lowerBound
    length = Int64(bounds.count)
    isRange = true
  }

  /// The offsets of the range in a file; nil if they are not within its size.
  private static func bounds(of range: some RangeExpression<Int64>, in size: Int64) -> Range<Int64>? {
    if let rest = range as? PartialRangeFrom<Int64> {
      return (0...size).contains(rest.lowerBound) ? rest.lowerBound..<size : nil
    }
    // Converting a closed range that ends here would overflow.
    guard !range.contains(.max) else { return nil }
    // Relative to all numbers: an expression that does not fit the collection would be a precondition failure.
    var bounds = range.relative(to: Int64.min..<Int64.max)
    if range is PartialRangeUpTo<Int64> || range is PartialRangeThrough<Int64> {
      guard bounds.upperBound >= 0 else { return nil }
      bounds = 0..<bounds.upperBound
    }
    return bounds.lowerBound >= 0 && bounds.upperBound <= size ? bounds : nil
  }

  /// Opens the file to read it from its start.
  func open() throws -> Cursor { Cursor(file: try OpenFile(path), place: start, rest: length) }

  /// A reader of the rest of an open file. Without a cursor it opens the file with the first piece. The reader returns `length`
  /// bytes in all, or fewer if the file has become shorter.
  func makeReader(at cursor: Cursor? = nil) -> BodyReader {
    var opened = cursor
    // Nil after the last piece: the reader may be kept until the end of a long response.
    var held: SegmentPool? = SegmentPool(segmentSize: Int(Swift.min(Int64(SegmentPool.standardSize), length)))
    return {
      guard let pool = held, opened?.rest ?? length > 0 else { return nil }
      var cursor = try opened ?? open()
      let piece: Data
      if let cached = cursor.readCached(into: pool) {
        piece = cached
        // Without a pause, a task that compresses or hashes a large file would keep its thread until the end.
        await Task.yield()
      } else {
        let (file, place, count) = (cursor.file, cursor.place, Int(Swift.min(Int64(pool.segmentSize), cursor.rest)))
        piece = try await withCheckedThrowingContinuation { continuation in
          DispatchQueue.global().async {
            continuation.resume(with: Result { try file.read(count: count, at: place, into: pool) })
          }
        }
        cursor.skip(piece.count)
      }
      opened = cursor
      if cursor.rest <= 0 || piece.isEmpty { held = nil }
      return piece.isEmpty ? nil : piece
    }
  }

  /// An open file and the range of bytes that are still to be read.
  struct Cursor: Sendable {
    fileprivate let file: OpenFile
    fileprivate private(set) var place: Int64
    /// The number of bytes that are still to be read.
    private(set) var rest: Int64

    fileprivate init(file: OpenFile, place: Int64, rest: Int64) { (self.file, self.place, self.rest) = (file, place, rest) }

    fileprivate mutating func skip(_ count: Int) {
      place += Int64(count)
      rest -= Int64(count)
    }

    /// Whether the kernel has the next byte in memory. False at the end, and if it cannot tell.
    var isInMemory: Bool {
      var copy = self
      return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { copy.readCached(into: $0) } != nil
    }

    /// Reads the next bytes if the kernel has them in memory. Returns their number; nil if it has none of them, or cannot tell.
    mutating func readCached(into target: UnsafeMutableRawBufferPointer) -> Int? {
      guard let start = target.baseAddress else { return nil }
      let got = faraday_read_cached(file.descriptor, start, Int(Swift.min(Int64(target.count), rest)), place)
      guard got > 0 else { return nil }
      skip(got)
      return got
    }

    /// Reads the next piece like ``readCached(into:)``.
    fileprivate mutating func readCached(into pool: SegmentPool) -> Data? {
      let segment = pool.take()
      guard let got = readCached(into: UnsafeMutableRawBufferPointer(start: segment, count: pool.segmentSize)) else {
        pool.giveBack(segment)
        return nil
      }
      return pool.handOver(segment, filled: got)
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
      throw BodyError(.unreadable(path: path, reason: "the path contains a NUL character"))
    }
    // Non-blocking: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw BodyError(.unreadable(path: path, reason: String(cString: strerror(errno)))) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw BodyError(.unreadable(path: path, reason: "it is not a regular file"))
    }
    self.path = path
    self.descriptor = descriptor
    size = Int64(status.st_size)
    guard try size > 0 || isEmpty() else {
      throw BodyError(
        .unreadable(
          path: path, reason: "its size is reported as 0 but it has contents, as files under /proc do: read it and send the data")
      )
    }
  }

  /// Whether a file with a reported size of 0 is empty. A file that was written in the meantime counts as empty.
  private func isEmpty() throws -> Bool {
    guard try !read(count: 1, at: 0, into: SegmentPool(segmentSize: 1)).isEmpty else { return true }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size > 0
  }

  deinit { close(descriptor) }

  /// Reads bytes, and waits for the disk if necessary. Returns fewer bytes, or none, at the end of the file.
  func read(count: Int, at offset: Int64, into pool: SegmentPool) throws -> Data {
    let segment = pool.take()
    var got: Int
    repeat { got = pread(descriptor, segment, count, off_t(offset)) } while got < 0 && errno == EINTR
    guard got >= 0 else {
      let reason = String(cString: strerror(errno))
      pool.giveBack(segment)
      throw BodyError(.unreadable(path: path, reason: reason))
    }
    return pool.handOver(segment, filled: got)
  }
}

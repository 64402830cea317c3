internal import Synchronization

/// Coalesces small pieces of a body into larger ones, with one copy.
struct Segments {
  /// The pool of the segments; nil until the first segment is taken if the stream has its own.
  private var pool: SegmentPool?
  private var segment: UnsafeMutableRawPointer?
  private var filled = 0
  private var finished: [Data] = []
  /// The number of bytes that were appended and not taken.
  private(set) var count = 0

  init(from pool: SegmentPool?) { self.pool = pool }

  /// - Parameter together: whether the bytes may be coalesced with adjacent pieces.
  mutating func append(_ bytes: UnsafeRawBufferPointer, together: Bool) {
    guard together else { return append(Data(bytes)) }
    count += bytes.count
    var rest = bytes
    while !rest.isEmpty, let source = rest.baseAddress {
      let target = segment ?? takeSegment()
      let count = min(rest.count, SegmentPool.standardSize - filled)
      target.advanced(by: filled).copyMemory(from: source, byteCount: count)
      filled += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if filled == SegmentPool.standardSize { closeSegment() }
    }
  }

  mutating func append(_ piece: Data) {
    guard !piece.isEmpty else { return }
    count += piece.count
    closeSegment()
    finished.append(piece)
  }

  /// Removes and returns all pieces.
  mutating func take() -> (pieces: [Data], count: Int) {
    guard count > 0 else { return ([], 0) }
    closeSegment()
    defer {
      finished = []
      count = 0
    }
    return (finished, count)
  }

  /// Discards the bytes of the last segment, and releases the pool.
  mutating func discard() {
    if let segment { pool?.giveBack(segment) }
    segment = nil
    filled = 0
    pool = nil
  }

  private mutating func takeSegment() -> UnsafeMutableRawPointer {
    let pool = pool ?? SegmentPool()
    let taken = pool.take()
    (self.pool, segment) = (pool, taken)
    return taken
  }

  private mutating func closeSegment() {
    guard filled > 0, let segment, let pool else { return }
    finished.append(pool.handOver(segment, filled: filled))
    self.segment = nil
    filled = 0
  }
}

/// A memory pool of equal segments, so that the kernel need not provide and clear new pages for each piece. Last in, first out,
/// for the CPU cache. Thread-safe.
///
/// The streams of an engine share a pool. If each had its own, eight streams at once would use more memory than the CPU cache
/// holds: a copy is then three times slower.
package final class SegmentPool: Sendable {
  package static let standardSize = 256 << 10
  /// The start of a segment within 4 KiB. On AMD's processors, `rep movsb`, with which the kernel and the C library copy, is several
  /// times slower if the target begins a few bytes further within 4 KiB than the source. The kernel's pages of a file begin at 0,
  /// so a segment at 16, where `malloc` puts large buffers, is filled slowly. libcurl's buffer is at 16, so a segment at 0 is
  /// copied to it slowly.
  private static let offsetInPage = 2048
  /// The maximum number of free segments that are kept: 16 MiB of the standard size.
  private static let capacity = 64

  let segmentSize: Int
  // Numbers, because a pointer is not Sendable: one thread fills a segment, and another thread gives it back.
  private let free = Mutex<[UInt]>([])

  init(segmentSize: Int) { self.segmentSize = segmentSize }

  package convenience init() { self.init(segmentSize: Self.standardSize) }

  deinit {
    for address in free.withLock({ $0 }) { UnsafeMutableRawPointer(bitPattern: address).map(Self.release) }
  }

  func take() -> UnsafeMutableRawPointer {
    let kept = free.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    if let kept { return kept }
    return .allocate(byteCount: Self.offsetInPage + segmentSize, alignment: 4096) + Self.offsetInPage
  }

  func giveBack(_ segment: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: segment)
    let isKept = free.withLock { free in
      guard free.count < Self.capacity else { return false }
      free.append(address)
      return true
    }
    if !isKept { Self.release(segment) }
  }

  private static func release(_ segment: UnsafeMutableRawPointer) { (segment - offsetInPage).deallocate() }

  /// Returns a segment's bytes as a piece, which gives the segment back when it is released. Fewer bytes than half of a segment
  /// are copied, so that a small piece does not keep a whole segment alive. A piece does not keep the pool alive.
  func handOver(_ segment: UnsafeMutableRawPointer, filled: Int) -> Data {
    guard filled >= segmentSize / 2 else {
      defer { giveBack(segment) }
      return Data(bytes: segment, count: filled)
    }
    return Data(
      bytesNoCopy: segment, count: filled,
      deallocator: .custom { [weak self] bytes, _ in
        if let self { self.giveBack(bytes) } else { Self.release(bytes) }
      })
  }
}

internal import Synchronization

/// Coalesces small pieces of a body into larger ones, with one copy.
struct Segments {
  private let pool = SegmentPool()
  private var segment: UnsafeMutableRawPointer?
  private var filled = 0
  private var finished: [Data] = []
  /// The number of bytes that were appended and not taken.
  private(set) var count = 0

  /// - Parameter together: whether the bytes may be coalesced with adjacent pieces.
  mutating func append(_ bytes: UnsafeRawBufferPointer, together: Bool) {
    guard together else { return append(Data(bytes)) }
    count += bytes.count
    var rest = bytes
    while !rest.isEmpty, let source = rest.baseAddress {
      let target = segment ?? pool.take()
      segment = target
      let count = min(rest.count, pool.segmentSize - filled)
      target.advanced(by: filled).copyMemory(from: source, byteCount: count)
      filled += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if filled == pool.segmentSize { closeSegment() }
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

  /// Releases the pool. Afterwards a caller that keeps one piece keeps only this piece in memory.
  mutating func discard() {
    if let segment { pool.giveBack(segment) }
    segment = nil
    filled = 0
    pool.close()
  }

  private mutating func closeSegment() {
    guard filled > 0, let segment else { return }
    finished.append(pool.handOver(segment, filled: filled))
    self.segment = nil
    filled = 0
  }
}

/// A memory pool of equal segments for one streamed body or file, so that the kernel need not provide and clear new pages for
/// each piece. Last in, first out, for the CPU cache. Thread-safe.
final class SegmentPool: Sendable {
  static let standardSize = 256 << 10
  /// The start of a segment within 4 KiB. On AMD's processors, `rep movsb`, with which the kernel and the C library copy, is several
  /// times slower if the target begins a few bytes further within 4 KiB than the source. The kernel's pages of a file begin at 0,
  /// so a segment at 16, where `malloc` puts large buffers, is filled slowly. libcurl's buffer is at 16, so a segment at 0 is
  /// copied to it slowly.
  private static let offsetInPage = 2048
  /// The maximum number of free segments that are kept.
  private static let capacity = 8

  // Numbers, because a pointer is not Sendable: one thread fills a segment, and another thread gives it back.
  private struct State {
    var free: [UInt] = []
    var isClosed = false
  }

  let segmentSize: Int
  private let state = Mutex(State())

  init(segmentSize: Int = standardSize) { self.segmentSize = segmentSize }

  deinit { close() }

  private func allocate() -> UnsafeMutableRawPointer {
    .allocate(byteCount: Self.offsetInPage + segmentSize, alignment: 4096) + Self.offsetInPage
  }

  private static func free(_ segment: UnsafeMutableRawPointer) { (segment - offsetInPage).deallocate() }

  func take() -> UnsafeMutableRawPointer {
    let kept = state.withLock { $0.free.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    return kept ?? allocate()
  }

  func giveBack(_ segment: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: segment)
    let isKept = state.withLock { state in
      guard !state.isClosed, state.free.count < Self.capacity else { return false }
      state.free.append(address)
      return true
    }
    if !isKept { Self.free(segment) }
  }

  /// Returns a segment's bytes as a piece, which gives the segment back when it is released. Fewer bytes than half of a segment
  /// are copied, so that a small piece does not keep a whole segment alive.
  func handOver(_ segment: UnsafeMutableRawPointer, filled: Int) -> Data {
    guard filled >= segmentSize / 2 else {
      defer { giveBack(segment) }
      return Data(bytes: segment, count: filled)
    }
    return Data(bytesNoCopy: segment, count: filled, deallocator: .custom { bytes, _ in self.giveBack(bytes) })
  }

  /// Frees all segments, and every segment that is given back afterwards.
  func close() {
    let addresses = state.withLock { state in
      state.isClosed = true
      defer { state.free = [] }
      return state.free
    }
    for address in addresses { UnsafeMutableRawPointer(bitPattern: address).map(Self.free) }
  }
}

internal import Synchronization

/// Coalesces small pieces of a body into larger ones, with one copy.
struct Segments {
  /// The minimum filling of a segment that is handed over. Below it, the bytes are copied, so that a small chunk does not keep
  /// a whole segment alive.
  private static let worthHandingOver = SegmentPool.segmentSize / 2

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
      let count = min(rest.count, SegmentPool.segmentSize - filled)
      target.advanced(by: filled).copyMemory(from: source, byteCount: count)
      filled += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if filled == SegmentPool.segmentSize { handOver() }
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
    if filled >= Self.worthHandingOver { return handOver() }
    finished.append(Data(bytes: segment, count: filled))
    filled = 0
  }

  private mutating func handOver() {
    guard let segment else { return }
    finished.append(
      Data(bytesNoCopy: segment, count: filled, deallocator: .custom { [pool] bytes, _ in pool.giveBack(bytes) }))
    self.segment = nil
    filled = 0
  }
}

/// A memory pool of equal segments for one streamed body. Last in, first out, for the CPU cache. Thread-safe.
final class SegmentPool: Sendable {
  static let segmentSize = 256 << 10
  /// The maximum number of free segments that are kept.
  private static let capacity = 8

  // Numbers, because a pointer is not Sendable: one thread fills a segment, and another thread gives it back.
  private struct State {
    var free: [UInt] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  deinit { close() }

  func take() -> UnsafeMutableRawPointer {
    let kept = state.withLock { $0.free.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    return kept ?? .allocate(byteCount: Self.segmentSize, alignment: 16)
  }

  func giveBack(_ segment: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: segment)
    let isKept = state.withLock { state in
      guard !state.isClosed, state.free.count < Self.capacity else { return false }
      state.free.append(address)
      return true
    }
    if !isKept { segment.deallocate() }
  }

  /// Frees all segments, and every segment that is given back afterwards.
  func close() {
    let addresses = state.withLock { state in
      state.isClosed = true
      defer { state.free = [] }
      return state.free
    }
    for address in addresses { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
  }
}

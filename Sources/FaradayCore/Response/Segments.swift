internal import Synchronization

/// Pieces of a body that are gathered into larger ones, with one copy.
struct Segments {
  /// A segment filled to less than this is copied out rather than handed over, so that a drip of small chunks does not hold a
  /// whole segment each.
  private static let worthHandingOver = SegmentPool.segmentSize / 2

  private let pool = SegmentPool()
  private var segment: UnsafeMutableRawPointer?
  private var filled = 0
  private var finished: [Data] = []
  /// Bytes that were gathered and not taken.
  private(set) var count = 0

  /// - Parameter together: whether it may stand in one piece with what came before and comes behind.
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

  /// All that was gathered.
  mutating func take() -> (pieces: [Data], count: Int) {
    guard count > 0 else { return ([], 0) }
    closeSegment()
    defer {
      finished = []
      count = 0
    }
    return (finished, count)
  }

  /// Keeps no memory from now on: a caller who holds on to one piece holds only that.
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

/// Memory for one streamed body, in segments of one size. The last given back is handed out first, while it is still in the
/// processor's cache.
final class SegmentPool: Sendable {
  static let segmentSize = 256 << 10
  /// More segments than this are not kept.
  private static let capacity = 8

  // Numbers, because a pointer is not Sendable: a segment is filled by one thread and given back by another.
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

  /// Keeps nothing from now on.
  func close() {
    let addresses = state.withLock { state in
      state.isClosed = true
      defer { state.free = [] }
      return state.free
    }
    for address in addresses { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
  }
}

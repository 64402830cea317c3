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

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Gathers libcurl's pieces of at most 16 KiB into larger ones, with one copy.
struct SegmentWriter {
  /// A segment filled to less than this is copied out rather than handed over, so that a drip of small chunks does not hold
  /// 64 KiB each.
  private static let worthHandingOver = 16 << 10

  private var pool: SegmentPool?
  private var segment: UnsafeMutableRawPointer?
  private var filled = 0
  private var finished: [Data] = []
  /// Bytes gathered and not taken.
  private(set) var count = 0

  var isEmpty: Bool { filled == 0 && finished.isEmpty }

  /// Returns false if there is no memory.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      if segment == nil { segment = takeSegment() }
      guard let segment, let source = rest.baseAddress else { return false }
      let count = min(rest.count, SegmentPool.segmentSize - filled)
      segment.advanced(by: filled).copyMemory(from: source, byteCount: count)
      filled += count
      self.count += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if filled == SegmentPool.segmentSize { handOver() }
    }
    return true
  }

  /// What has been gathered, in order.
  mutating func take() -> [Data] {
    if filled >= Self.worthHandingOver {
      handOver()
    } else if filled > 0, let segment {
      finished.append(Data(bytes: segment, count: filled))
      filled = 0
    }
    defer {
      finished = []
      count = 0
    }
    return finished
  }

  mutating func discard() {
    if let segment { pool?.giveBack(segment) }
    pool?.close()
    segment = nil
    filled = 0
    finished = []
  }

  private mutating func takeSegment() -> UnsafeMutableRawPointer? {
    // Most transfers are not streamed and need none.
    let pool = pool ?? SegmentPool()
    self.pool = pool
    return pool.take()
  }

  private mutating func handOver() {
    guard let segment, let pool else { return }
    finished.append(Data(bytesNoCopy: segment, count: filled, deallocator: .custom { bytes, _ in pool.giveBack(bytes) }))
    self.segment = nil
    filled = 0
  }
}

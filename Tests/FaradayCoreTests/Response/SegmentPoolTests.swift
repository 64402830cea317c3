import Foundation
import Testing

@testable import FaradayCore

@Suite struct SegmentPoolTests {
  /// A piece of the whole segment, filled with a byte.
  private func piece(of pool: SegmentPool, _ byte: UInt8) -> Data {
    let segment = pool.take()
    segment.initializeMemory(as: UInt8.self, repeating: byte, count: pool.segmentSize)
    return pool.handOver(segment, filled: pool.segmentSize)
  }

  @Test func `the segment of a released piece is taken next`() {
    let pool = SegmentPool(segmentSize: 100)
    var piece: Data? = piece(of: pool, 1)
    let other = pool.take()
    let address = piece?.withUnsafeBytes { $0.baseAddress }
    pool.giveBack(other)
    piece = nil
    let next = pool.take()
    #expect(UnsafeRawPointer(next) == address)
    pool.giveBack(next)
  }

  @Test func `a piece outlives its pool, and does not keep it`() {
    var pool: SegmentPool? = SegmentPool(segmentSize: 100)
    let kept = pool.map { piece(of: $0, 7) }
    weak let observed = pool
    pool = nil
    #expect(observed == nil)
    #expect(kept == Data(repeating: 7, count: 100))
  }

  @Test func `fewer bytes than half of a segment are copied`() {
    let pool = SegmentPool(segmentSize: 100)
    let segment = pool.take()
    segment.initializeMemory(as: UInt8.self, repeating: 7, count: 49)
    let piece = pool.handOver(segment, filled: 49)
    let next = pool.take()
    #expect(next == segment)
    next.initializeMemory(as: UInt8.self, repeating: 8, count: 100)
    #expect(piece == Data(repeating: 7, count: 49))
    pool.giveBack(next)
  }
}

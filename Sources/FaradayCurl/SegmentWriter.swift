#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Gathers libcurl's pieces of at most 16 KiB into larger ones, with one copy.
struct SegmentWriter {
  static let size = 64 << 10
  /// A segment filled to less than this is copied out rather than handed over, so that a drip of small chunks does not hold
  /// 64 KiB each.
  private static let worthHandingOver = 16 << 10

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
      if segment == nil { segment = malloc(Self.size) }
      guard let segment, let source = rest.baseAddress else { return false }
      let count = min(rest.count, Self.size - filled)
      segment.advanced(by: filled).copyMemory(from: source, byteCount: count)
      filled += count
      self.count += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if filled == Self.size { handOver() }
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
    free(segment)
    segment = nil
    filled = 0
    finished = []
  }

  private mutating func handOver() {
    guard let segment else { return }
    finished.append(Data(bytesNoCopy: segment, count: filled, deallocator: .free))
    self.segment = nil
    filled = 0
  }
}

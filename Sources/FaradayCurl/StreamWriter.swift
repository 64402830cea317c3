internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The engine's end of a streamed body: gathers libcurl's pieces of at most 16 KiB into larger ones, with one copy, and hands
/// them to the reader.
// A class, so that a piece costs no check of exclusive access. Touched as its transfer is.
final class StreamWriter {
  /// A segment filled to less than this is copied out rather than handed over, so that a drip of small chunks does not hold a
  /// whole segment each.
  private static let worthHandingOver = SegmentPool.segmentSize / 2

  private let buffer: ReceiveBuffer
  private let pool = SegmentPool()
  private var segment: UnsafeMutableRawPointer?
  private var filled = 0
  private var finished: [Data] = []
  /// Bytes gathered and not handed to the reader.
  private(set) var count = 0

  init(_ buffer: ReceiveBuffer) { self.buffer = buffer }

  var isEmpty: Bool { count == 0 }

  /// Bytes that the reader has not read.
  var unread: Int { buffer.buffered + count }
  var isFull: Bool { unread >= buffer.size }

  /// So much is handed over at once: one half is read while the other fills.
  var worthPublishing: Int { buffer.size / 2 }

  /// Returns false if there is no memory.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      if segment == nil { segment = pool.take() }
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

  /// Says that the engine has paused, so that the reader asks for more.
  func pause() { buffer.pause() }

  /// Hands what has been gathered to the reader, and wakes it. Returns true if the reader has meanwhile read so much that it
  /// will not ask for more.
  func publish() -> Bool {
    if filled >= Self.worthHandingOver {
      handOver()
    } else if filled > 0, let segment {
      finished.append(Data(bytes: segment, count: filled))
      filled = 0
    }
    buffer.received(count)
    count = 0
    defer { finished = [] }
    return buffer.publish(finished)
  }

  func finish(_ result: Result<Void, any Error>) {
    _ = publish()
    buffer.finish(result)
  }

  /// The body for whoever waits for the head.
  func body(resume: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) -> StreamedBody {
    StreamedBody(buffer, resume: resume, cancel: cancel)
  }

  func discard() {
    if let segment { pool.giveBack(segment) }
    pool.close()
    segment = nil
    filled = 0
    finished = []
    count = 0
  }

  private func handOver() {
    guard let segment else { return }
    finished.append(
      Data(bytesNoCopy: segment, count: filled, deallocator: .custom { [pool] bytes, _ in pool.giveBack(bytes) }))
    self.segment = nil
    filled = 0
  }
}

internal import Synchronization

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

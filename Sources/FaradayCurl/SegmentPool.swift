internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

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

  /// Nil if there is no memory.
  func take() -> UnsafeMutableRawPointer? {
    if let address = state.withLock({ $0.free.popLast() }) { return UnsafeMutableRawPointer(bitPattern: address) }
    return malloc(Self.segmentSize)
  }

  func giveBack(_ segment: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: segment)
    let isKept = state.withLock { state in
      guard !state.isClosed, state.free.count < Self.capacity else { return false }
      state.free.append(address)
      return true
    }
    if !isKept { free(UnsafeMutableRawPointer(bitPattern: address)) }
  }

  /// Keeps nothing from now on: a caller who holds on to one piece holds only that.
  func close() {
    let addresses = state.withLock { state in
      state.isClosed = true
      defer { state.free = [] }
      return state.free
    }
    for address in addresses { free(UnsafeMutableRawPointer(bitPattern: address)) }
  }
}

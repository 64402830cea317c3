internal import Synchronization
#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Bytes of a streamed body between the engine's thread, which fills it, and one task, which reads it.
///
/// `level` counts what has been handed over and not yet read. When that and what the engine still gathers reach `size` it pauses
/// the transfer; when the reader has brought `level` below half of that the transfer goes on.
package final class ReceiveBuffer: Sendable {
  package let size: Int

  private struct State {
    var pieces: [Data] = []
    var ending: Result<Void, any Error>?
    var reader: UnsafeContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let level = Atomic<Int>(0)
  private let isPaused = Atomic<Bool>(false)

  package init(size: Int) { self.size = size }

  // MARK: the engine's side

  package var isFull: Bool { level.load(ordering: .relaxed) >= size }
  package var buffered: Int { level.load(ordering: .relaxed) }

  package func received(_ count: Int) { level.wrappingAdd(count, ordering: .sequentiallyConsistent) }

  /// Says that the engine has paused, so that the reader asks for more.
  package func pause() { isPaused.store(true, ordering: .sequentiallyConsistent) }

  /// Hands pieces over, and wakes the reader. Returns true if the reader has meanwhile read so much that it will not ask.
  package func publish(_ pieces: [Data]) -> Bool {
    if !pieces.isEmpty { wake { $0.pieces.append(contentsOf: pieces) } }
    return wantsMore
  }

  /// The end, good or bad. Later ones change nothing.
  package func finish(_ result: Result<Void, any Error>) {
    wake { if $0.ending == nil { $0.ending = result } }
  }

  private func wake(_ change: (inout State) -> Void) {
    let reader = state.withLock { state in
      change(&state)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  // MARK: the reader's side

  /// Whether the end is known, read or not.
  var hasEnded: Bool { state.withLock { $0.ending != nil } }

  /// Everything there is; empty at the end, nil if there is nothing yet. Throws if the end is bad.
  func takeNow() throws -> [Data]? {
    let (pieces, ending) = state.withLock { state in
      defer { state.pieces = [] }
      return (state.pieces, state.ending)
    }
    if !pieces.isEmpty { return pieces }
    guard let ending else { return nil }
    try ending.get()
    return []
  }

  /// Everything there is, waiting if there is nothing. Empty at the end; throws if the end is bad.
  func take() async throws -> [Data] {
    while true {
      if let pieces = try takeNow() { return pieces }
      await withUnsafeContinuation { continuation in
        let isReady = state.withLock { state in
          if !state.pieces.isEmpty || state.ending != nil { return true }
          state.reader = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// Counts a piece as read. Returns true if the engine waits to be told.
  func read(_ count: Int) -> Bool {
    level.wrappingSubtract(count, ordering: .sequentiallyConsistent)
    return wantsMore
  }

  /// Whether there is room again and the engine is paused. True once per pause: whoever gets it resumes the transfer.
  private var wantsMore: Bool {
    guard level.load(ordering: .sequentiallyConsistent) < size / 2 else { return false }
    return isPaused.exchange(false, ordering: .sequentiallyConsistent)
  }
}

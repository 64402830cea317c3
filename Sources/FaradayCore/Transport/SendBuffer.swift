internal import Synchronization

/// Bytes of a request's body between the task that reads its source and the engine's thread, which sends them.
///
/// It holds at most `high` bytes and one piece. Where the length is known the last bytes are kept back until the source
/// has said that it has ended: a body that turns out too long must not have been sent whole.
package final class SendBuffer: Sendable {
  package static let high = 256 << 10

  package enum Filled: Equatable {
    case bytes(Int)
    /// Nothing now; the engine will be told.
    case dry
    case end
    case failed
  }

  private struct State {
    var pieces = Fifo<Data>()
    var buffered = 0
    var taken: Int64 = 0
    var hasEnded = false
    var failure: (any Error)?
    var isOpen = false
    var isClosed = false
    var engineWaits = false
    var source: UnsafeContinuation<Void, Never>?

    /// Takes at most `limit` bytes. The copy is made outside the lock.
    mutating func take(
      _ limit: Int, length: Int64?, into taken: inout [Data]
    ) -> (Filled, UnsafeContinuation<Void, Never>?) {
      if failure != nil { return (.failed, nil) }
      let count = min(limit, buffered)
      let wouldComplete = length.map { self.taken + Int64(count) == $0 } ?? false
      guard count > 0, !wouldComplete || hasEnded else {
        if hasEnded { return (.end, nil) }
        // Even with the buffer full: what is held back waits for the source to say whether that was all.
        engineWaits = true
        defer { source = nil }
        return (.dry, source)
      }
      var left = count
      while left > 0, let piece = pieces.first {
        if piece.count <= left {
          taken.append(piece)
          left -= piece.count
          _ = pieces.popFirst()
        } else {
          taken.append(piece.prefix(left))
          pieces.replaceFirst(piece.dropFirst(left))
          left = 0
        }
      }
      buffered -= count
      self.taken += Int64(count)
      guard buffered < SendBuffer.high / 2 else { return (.bytes(count), nil) }
      defer { source = nil }
      return (.bytes(count), source)
    }
  }

  private let state = Mutex(State())
  private let length: Int64?

  package init(length: Int64?) { self.length = length }

  // MARK: the source's side

  /// Reads the body into the buffer, once it is open. `tell` is called when the engine waits for what has come.
  package func pump(_ body: Body, tell: @Sendable () -> Void) async {
    do {
      guard await waitForRoom() else { return }
      for try await piece in body {
        if try push(piece) { tell() }
        guard await waitForRoom() else { return }
      }
      if end() { tell() }
    } catch {
      if fail(error) { tell() }
    }
  }

  /// Adds a piece. Returns whether the engine has to be told that there is something.
  func push(_ piece: Data) throws -> Bool {
    guard !piece.isEmpty else { return false }
    let tell = try state.withLock { state in
      if state.isClosed { throw CancellationError() }
      if let length, state.taken + Int64(state.buffered) + Int64(piece.count) > length {
        throw LengthMismatch(stated: length, actual: nil)
      }
      state.pieces.append(piece)
      state.buffered += piece.count
      defer { state.engineWaits = false }
      return state.engineWaits
    }
    return tell
  }

  /// Waits until it is open and there is room. The engine or ``close()`` ends the wait. Returns whether anybody takes more.
  func waitForRoom() async -> Bool {
    await withUnsafeContinuation { continuation in
      let hasRoom = state.withLock { state in
        if state.isClosed || state.isOpen && (state.buffered < Self.high || state.engineWaits) { return true }
        state.source = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
    return state.withLock { !$0.isClosed }
  }

  /// The source has ended. Returns whether the engine has to be told.
  func end() -> Bool {
    state.withLock { state in
      let total = state.taken + Int64(state.buffered)
      if let length, total < length {
        state.failure = LengthMismatch(stated: length, actual: total)
      }
      state.hasEnded = true
      defer { state.engineWaits = false }
      return state.engineWaits
    }
  }

  /// The source has failed. Returns whether the engine has to be told.
  func fail(_ error: any Error) -> Bool {
    state.withLock { state in
      state.failure = error
      defer { state.engineWaits = false }
      return state.engineWaits
    }
  }

  // MARK: the engine's side

  /// Moves what there is into the engine's buffer.
  package func fill(_ target: UnsafeMutableRawBufferPointer) -> Filled {
    var taken: [Data] = []
    let (filled, source) = state.withLock { state in state.take(target.count, length: length, into: &taken) }
    var offset = 0
    for piece in taken {
      piece.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: target[offset...]), count: piece.count)
      offset += piece.count
    }
    source?.resume()
    return filled
  }

  /// Why the body cannot be sent, if it cannot.
  package var failure: (any Error)? { state.withLock { $0.failure } }

  /// The exchange has begun: there is room.
  package func open() {
    wakeSource { $0.isOpen = true }
  }

  /// Nobody will take any more: the source stops at its next piece.
  package func close() {
    wakeSource { state in
      state.isClosed = true
      state.pieces = Fifo()
      state.buffered = 0
    }
  }

  private func wakeSource(_ change: (inout State) -> Void) {
    let source = state.withLock { state in
      change(&state)
      defer { state.source = nil }
      return state.source
    }
    source?.resume()
  }
}

/// A body that is not as long as it was said to be.
package struct LengthMismatch: Error, CustomStringConvertible {
  package let stated: Int64
  /// Nil if it is longer, by how much nobody read.
  package let actual: Int64?

  package init(stated: Int64, actual: Int64?) {
    self.stated = stated
    self.actual = actual
  }

  package var description: String {
    "the body was to have \(stated) bytes and " + (actual.map { "ended after \($0)" } ?? "has more")
  }
}

extension TransportError {
  /// Says what went wrong with the request's own body.
  package mutating func setBodyFailure(_ error: any Error) {
    switch error {
    case let mismatch as LengthMismatch:
      code = .bodyLengthMismatch
      message = mismatch.description
    case let unreadable as BodyFile.Unreadable:
      code = .bodyUnreadable
      message = unreadable.description
      underlying = error
    default:
      code = .bodyUnreadable
      // What it says of itself is the caller's own affair, and may have a secret in it.
      message = "the request's body failed: \((error as? TransportError)?.description ?? "\(type(of: error))")"
      underlying = error
    }
  }
}

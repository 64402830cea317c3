internal import Synchronization

/// The buffer between the task that reads a request's body from its source and the engine's thread that sends it, with
/// backpressure.
///
/// It holds at most ``highWatermark`` bytes and one piece; the source goes on below half of that. If the length is known, the last
/// bytes are held back until the source has ended: a body that turns out too long must not have been sent as a complete one.
/// Thread-safe.
package final class SendBuffer: Sendable {
  /// The high watermark: with so many bytes buffered, the source pauses.
  package static let highWatermark = 256 << 10

  /// The result of ``fill(_:)``.
  package enum Filled: Equatable {
    /// So many bytes were copied.
    case bytes(Int)
    /// There are no bytes at the moment; the engine is notified when there are.
    case dry
    /// The body has ended.
    case end
    /// The source has failed: ``SendBuffer/failure``.
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
        // The source goes on even if the buffer is full: otherwise it would wait for room, and the bytes held back for its end
        // (deadlock).
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
      guard buffered < SendBuffer.highWatermark / 2 else { return (.bytes(count), nil) }
      defer { source = nil }
      return (.bytes(count), source)
    }
  }

  private let state = Mutex(State())
  private let length: Int64?

  package init(length: Int64?) { self.length = length }

  // MARK: the source's side

  /// Reads the body into the buffer, after ``open()``. Calls `tell` when the engine waits for bytes, the end or a failure.
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

  /// Adds a piece. Returns whether the engine must be notified.
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

  /// Waits until the buffer is open and has room, or is closed. Returns false if it is closed.
  func waitForRoom() async -> Bool {
    await withUnsafeContinuation { continuation in
      let hasRoom = state.withLock { state in
        if state.isClosed || state.isOpen && (state.buffered < Self.highWatermark || state.engineWaits) { return true }
        state.source = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
    return state.withLock { !$0.isClosed }
  }

  /// Notes the end of the source. Returns whether the engine must be notified.
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

  /// Notes a failure of the source. Returns whether the engine must be notified.
  func fail(_ error: any Error) -> Bool {
    state.withLock { state in
      state.failure = error
      defer { state.engineWaits = false }
      return state.engineWaits
    }
  }

  // MARK: the engine's side

  /// Copies buffered bytes to the engine's buffer.
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

  /// The error of the source; nil if there is none.
  package var failure: (any Error)? { state.withLock { $0.failure } }

  /// Lets the source begin: the exchange has started.
  package func open() {
    wakeSource { $0.isOpen = true }
  }

  /// Drops what is buffered, and stops the source at its next piece.
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

/// A request body is shorter or longer than its stated length.
package struct LengthMismatch: Error, CustomStringConvertible {
  package let stated: Int64
  /// The actual length; nil if it is longer than stated, in which case the rest was not read.
  package let actual: Int64?

  package init(stated: Int64, actual: Int64?) {
    self.stated = stated
    self.actual = actual
  }

  package var description: String {
    "the body's stated length is \(stated) bytes, but it " + (actual.map { "ended after \($0)" } ?? "has more")
  }
}

extension TransportError {
  /// Sets code and message for an error of the request's body source.
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
      // Only the type of the caller's error: its description may contain secrets.
      message = "the request's body failed: \((error as? TransportError)?.description ?? "\(type(of: error))")"
      underlying = error
    }
  }
}

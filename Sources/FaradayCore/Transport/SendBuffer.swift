internal import Synchronization

/// The buffer between the task that reads a request's body from its source and the engine's thread that sends it, with
/// backpressure. Thread-safe.
///
/// The source pauses at a high watermark, and resumes below half of it. The watermark begins at ``firstWatermark``. If the engine
/// asks for more bytes than there are after the source has paused, the pause was too early: the watermark doubles, up to
/// ``lastWatermark``. Each pause costs a change of threads. If the length is known, the last bytes are held back until the source
/// has ended: otherwise a body that is too long would have been sent as a complete one.
///
/// The engine reads a file itself while the kernel has the file's bytes in memory, which needs no second copy and no change of
/// threads. At the first bytes that are not in memory, the task takes over, because reading them may wait for the disk.
@_spi(Adapters) public final class SendBuffer: Sendable {
  /// The high watermark of a new buffer, in bytes: it holds at most so many, and one piece.
  package static let firstWatermark = 256 << 10
  /// The highest watermark, in bytes.
  package static let lastWatermark = 1 << 20

  /// The result of ``fill(_:)``.
  public enum Filled: Sendable, Equatable {
    /// This many bytes were copied.
    case bytes(Int)
    /// No bytes are available; the engine is notified when there are.
    case dry
    /// The body has ended.
    case end
    /// The source has failed: ``SendBuffer/failure``.
    case failed
  }

  private struct State {
    var pieces = Fifo<Data>()
    var buffered = 0
    /// The source pauses when this many bytes are buffered.
    var highWatermark = SendBuffer.firstWatermark
    /// Whether the source has paused at this watermark.
    var hasPaused = false
    var taken: Int64 = 0
    var hasEnded = false
    var failure: (any Error)?
    var isOpen = false
    var isClosed = false
    var engineWaits = false
    var source: UnsafeContinuation<Void, Never>?
    /// The file that the engine reads itself; nil after its last byte, and once the task has to read its rest.
    var file: BodyFile.Cursor?
    /// The bytes of the file that the engine leaves to the task.
    var restOfFile: BodyFile.Cursor?

    /// Takes at most `limit` bytes. The caller copies them outside the lock.
    mutating func take(
      _ limit: Int, length: Int64?, into taken: inout [Data]
    ) -> (Filled, UnsafeContinuation<Void, Never>?) {
      if failure != nil { return (.failed, nil) }
      if limit > buffered { growIfPaused() }
      let count = min(limit, buffered)
      let wouldComplete = length.map { self.taken + Int64(count) == $0 } ?? false
      guard count > 0, !wouldComplete || hasEnded else {
        if hasEnded { return (.end, nil) }
        engineWaits = true
        guard isOpen else { return (.dry, nil) }
        // The source continues even if the buffer is full: otherwise it would wait for room, and the held-back bytes would wait
        // for its end (deadlock).
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
      guard buffered < highWatermark / 2 else { return (.bytes(count), nil) }
      defer { source = nil }
      return (.bytes(count), source)
    }

    private mutating func growIfPaused() {
      guard hasPaused else { return }
      highWatermark = min(2 * highWatermark, SendBuffer.lastWatermark)
      hasPaused = false
    }
  }

  private let state = Mutex(State())
  private let length: Int64?

  /// A buffer for a body with this length; nil if it is unknown.
  public init(length: Int64?) { self.length = length }

  // MARK: the source's side

  /// Reads the body into the buffer, after ``open()``. Calls `tell` when the engine waits for bytes, the end or a failure.
  public func pump(_ body: Body, tell: @Sendable () -> Void) async {
    do {
      guard await waitForRoom() else { return }
      guard var pieces = try await pieces(of: body, tell) else { return }
      while let piece = try await pieces.next() {
        if try push(piece) { tell() }
        guard await waitForRoom() else { return }
      }
      if end() { tell() }
    } catch {
      if fail(error) { tell() }
    }
  }

  /// The pieces of the body that the task has to read. Nil if there are none, because the engine has read all of a file, or the
  /// buffer is closed.
  private func pieces(of body: Body, _ tell: @Sendable () -> Void) async throws -> Body.AsyncIterator? {
    guard case .file(let file) = body.storage else { return body.makeAsyncIterator() }
    let opened = try file.open()
    // The task reads the first bytes from the disk while the engine connects.
    guard opened.isInMemory else { return Body.AsyncIterator(file.makeReader(at: opened)) }
    return await rest(of: opened, tell).map { Body.AsyncIterator(file.makeReader(at: $0)) }
  }

  /// Lets the engine read an open file, until its next bytes are not in memory. Returns the rest of the file; nil if there is
  /// none, or the buffer is closed.
  private func rest(of file: BodyFile.Cursor, _ tell: @Sendable () -> Void) async -> BodyFile.Cursor? {
    let engineWaits = state.withLock { state in
      if !state.isClosed { state.file = file }
      defer { state.engineWaits = false }
      return state.engineWaits
    }
    if engineWaits { tell() }
    while true {
      await withUnsafeContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isClosed || state.hasEnded || state.restOfFile != nil { return true }
          state.source = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
      let (isOver, rest) = state.withLock { state in
        defer { state.restOfFile = nil }
        return (state.isClosed || state.hasEnded, state.restOfFile)
      }
      if isOver || rest != nil { return rest }
    }
  }

  /// Adds a piece. Returns whether the engine must be notified.
  package func push(_ piece: Data) throws -> Bool {
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
  package func waitForRoom() async -> Bool {
    await withUnsafeContinuation { continuation in
      let hasRoom = state.withLock { state in
        if state.isClosed || state.isOpen && (state.buffered < state.highWatermark || state.engineWaits) { return true }
        state.source = continuation
        if state.isOpen { state.hasPaused = true }
        return false
      }
      if hasRoom { continuation.resume() }
    }
    return state.withLock { !$0.isClosed }
  }

  /// Whether the source waits for room.
  package var isSourceWaiting: Bool { state.withLock { $0.source != nil } }

  /// Notes the end of the source. Returns whether the engine must be notified.
  package func end() -> Bool {
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
  package func fail(_ error: any Error) -> Bool {
    state.withLock { state in
      state.failure = error
      defer { state.engineWaits = false }
      return state.engineWaits
    }
  }

  // MARK: the engine's side

  /// Copies buffered bytes to the engine's buffer.
  public func fill(_ target: UnsafeMutableRawBufferPointer) -> Filled {
    if let filled = readFile(into: target) { return filled }
    var taken: [Data] = []
    let (filled, source) = state.withLock { state in state.take(target.count, length: length, into: &taken) }
    var offset = 0
    for piece in taken {
      // `copyBytes` of Data would look up generic metadata for each piece.
      piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: $0) }
      offset += piece.count
    }
    source?.resume()
    return filled
  }

  /// Reads the next bytes of the open file. Nil if there is none.
  private func readFile(into target: UnsafeMutableRawBufferPointer) -> Filled? {
    guard var file = state.withLock({ $0.file }) else { return nil }
    let count = file.readCached(into: target)
    let source = state.withLock { state in
      state.taken += Int64(count ?? 0)
      if count != nil, file.rest > 0 {
        if state.file != nil { state.file = file }
        return nil as UnsafeContinuation<Void, Never>?
      }
      state.file = nil
      if count == nil { (state.restOfFile, state.engineWaits) = (file, true) } else { state.hasEnded = true }
      defer { state.source = nil }
      return state.source
    }
    source?.resume()
    return count.map(Filled.bytes) ?? .dry
  }

  /// The error of the source; nil if there is none.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  /// Lets the source begin, because the exchange has started.
  public func open() {
    wakeSource { $0.isOpen = true }
  }

  /// Drops the buffered bytes, and stops the source at its next piece.
  public func close() {
    wakeSource { state in
      state.isClosed = true
      state.pieces = Fifo()
      state.buffered = 0
      (state.file, state.restOfFile) = (nil, nil)
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

internal import Synchronization

/// The reader's end of a ``ResponseStream``: read once, by one task at a time.
///
/// The transfer ends when the last of this and its iterator goes, and when its iterator goes before it has reached the end.
struct ReceivedBody: Sendable {
  let length: Int64?
  /// Whose secrets are redacted in the errors that the body throws; nil if the response came over no connection.
  var provenance: Provenance?
  private let access: Access

  init(_ lease: Lease, length: Int64?) {
    self.length = length
    access = Access(lease)
  }

  func makeReader() -> BodyReader {
    guard let lease = access.take() else { return { throw BodyAlreadyRead() } }
    // The next is the last: each goes when it is taken.
    var pieces: [Data] = []
    var hasEnded = false
    return { [provenance] in
      guard !hasEnded else { return nil }
      if pieces.isEmpty {
        do {
          pieces = try await lease.take().reversed()
        } catch {
          hasEnded = true
          throw Self.redacted(error, by: provenance)
        }
      }
      guard let piece = pieces.popLast() else {
        hasEnded = true
        return nil
      }
      lease.read(piece.count)
      return piece
    }
  }

  /// Gives each piece to the closure where it arrives.
  func drain(into take: @escaping ChunkHandler) async throws {
    guard let lease = access.take() else { throw BodyAlreadyRead() }
    do { try await lease.drain(into: take) } catch { throw Self.redacted(error, by: provenance) }
  }

  private static func redacted(_ error: any Error, by provenance: Provenance?) -> any Error {
    guard let provenance, var error = error as? TransportError else { return error }
    error.redact(by: provenance)
    return error
  }

  /// Lets the first reader have the lease.
  private final class Access: Sendable {
    private let lease: Mutex<Lease?>

    init(_ lease: Lease) { self.lease = Mutex(lease) }

    func take() -> Lease? {
      lease.withLock { lease in
        defer { lease = nil }
        return lease
      }
    }
  }

  /// The right to read the body. When it goes, so does the transfer.
  final class Lease: Sendable {
    private let stream: ResponseStream
    private let onRoom: @Sendable () -> Void
    private let onUnwanted: @Sendable () -> Void

    init(
      stream: ResponseStream, onRoom: @escaping @Sendable () -> Void, onUnwanted: @escaping @Sendable () -> Void
    ) {
      self.stream = stream
      self.onRoom = onRoom
      self.onUnwanted = onUnwanted
    }

    deinit {
      if stream.ending == nil { onUnwanted() }
    }

    /// Everything there is, waiting if there is nothing. Empty at the end; throws if the end is bad.
    func take() async throws -> [Data] {
      while true {
        if let pieces = try takeNow() { return pieces }
        await wait { !$0.pieces.isEmpty || $0.ending != nil }
      }
    }

    /// Everything there is; empty at the end, nil if there is nothing yet. Throws if the end is bad.
    private func takeNow() throws -> [Data]? {
      let (pieces, ending) = stream.state.withLock { state in
        defer { state.pieces = [] }
        return (state.pieces, state.ending)
      }
      if !pieces.isEmpty { return pieces }
      guard let ending else { return nil }
      try ending.result.get()
      return []
    }

    /// Waits until it is so. A task that is cancelled meanwhile ends the transfer, which ends the wait.
    private func wait(until isReady: @Sendable (borrowing ResponseStream.State) -> Bool) async {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let isReady = stream.state.withLock { state in
            if isReady(state) { return true }
            state.reader = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        onUnwanted()
      }
    }

    func read(_ count: Int) {
      if stream.read(count) { onRoom() }
    }

    func drain(into take: @escaping ChunkHandler) async throws {
      let isOpen = stream.state.withLock { state in
        guard state.ending == nil else { return false }
        state.sink = take
        return true
      }
      if isOpen {
        onRoom()
        while stream.ending == nil { await wait { $0.ending != nil } }
      }
      // What had come before all of it was there: then no engine looks after it any more.
      while let pieces = try takeNow(), !pieces.isEmpty {
        for piece in pieces {
          try Task.checkCancellation()
          guard try take(piece.span.bytes) == .continue else { throw CancellationError() }
        }
      }
    }
  }
}

/// A streamed body that has an iterator already: it can be read once.
package struct BodyAlreadyRead: Error, CustomStringConvertible {
  package var description: String { "the body of a streamed response can be iterated once" }
}

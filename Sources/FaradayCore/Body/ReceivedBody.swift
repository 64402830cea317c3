internal import Synchronization

/// The reading end of a ``ResponseStream``: read once, by one task at a time.
///
/// The transfer is cancelled when this and its iterator are released, and when the iterator is released before its end.
struct ReceivedBody: Sendable {
  let length: Int64?
  /// The connection whose secrets are redacted in errors that the body throws; nil if there was none.
  var context: ConnectionContext?
  private let access: Access

  init(_ lease: Lease, length: Int64?) {
    self.length = length
    access = Access(lease)
  }

  func makeReader() -> BodyReader {
    guard let lease = access.take() else { return { throw BodyAlreadyRead() } }
    // Released at the end, not with the reader: who waits for the end of the body learns it then.
    var held: Lease? = lease
    // In reverse order: popping the last releases each piece when it is delivered.
    var pieces: [Data] = []
    return { [context] in
      guard let lease = held else { return nil }
      if pieces.isEmpty {
        do {
          pieces = try await lease.take().reversed()
        } catch {
          held = nil
          throw Self.redacted(error, by: context)
        }
      }
      guard let piece = pieces.popLast() else {
        held = nil
        return nil
      }
      lease.read(piece.count)
      return piece
    }
  }

  /// Calls the closure when the lease is released; at once if the body is being read already.
  func onEnd(_ call: @escaping @Sendable (Body.End) -> Void) {
    let isObserved = access.observe { [context] end in
      if case .failed(let error) = end { return call(.failed(Self.redacted(error, by: context))) }
      call(end)
    }
    if !isObserved { call(.complete) }
  }

  /// Calls the closure with each piece.
  func drain(into take: @escaping ChunkHandler) async throws {
    guard let lease = access.take() else { throw BodyAlreadyRead() }
    do { try await lease.drain(into: take) } catch { throw Self.redacted(error, by: context) }
  }

  private static func redacted(_ error: any Error, by context: ConnectionContext?) -> any Error {
    guard let context, var error = error as? TransportError else { return error }
    error.redact(by: context)
    return error
  }

  /// Gives the lease to the first reader only.
  private final class Access: Sendable {
    private let lease: Mutex<Lease?>

    init(_ lease: Lease) { self.lease = Mutex(lease) }

    func take() -> Lease? {
      lease.withLock { lease in
        defer { lease = nil }
        return lease
      }
    }

    /// False if a reader has it already.
    func observe(_ call: @escaping @Sendable (Body.End) -> Void) -> Bool {
      lease.withLock { lease in
        lease?.observe(call)
        return lease != nil
      }
    }
  }

  /// The right to read the body. Releasing it before the end cancels the transfer.
  final class Lease: Sendable {
    private let stream: ResponseStream
    private let onRoom: @Sendable () -> Void
    private let onUnwanted: @Sendable () -> Void
    private let observers = Mutex<[@Sendable (Body.End) -> Void]>([])

    init(
      stream: ResponseStream, onRoom: @escaping @Sendable () -> Void, onUnwanted: @escaping @Sendable () -> Void
    ) {
      self.stream = stream
      self.onRoom = onRoom
      self.onUnwanted = onUnwanted
    }

    deinit {
      let ending = stream.ending
      if ending == nil { onUnwanted() }
      let observers = observers.withLock { $0 }
      guard !observers.isEmpty else { return }
      let end: Body.End =
        switch ending?.result {
        case nil: .dropped
        case .success: .complete
        case .failure(let error): .failed(error)
        }
      for observer in observers { observer(end) }
    }

    /// Calls the closure when this is released.
    func observe(_ call: @escaping @Sendable (Body.End) -> Void) { observers.withLock { $0.append(call) } }

    /// All buffered pieces, waiting for some if there are none. Empty at the end; throws the error that the body ended with.
    func take() async throws -> [Data] {
      while true {
        if let pieces = try takeNow() { return pieces }
        await wait { !$0.pieces.isEmpty || $0.ending != nil }
      }
    }

    /// All buffered pieces; empty at the end, nil if there are none yet. Throws the error that the body ended with.
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

    /// Waits until the condition holds. Cancelling the task cancels the transfer, which ends the wait.
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
      // The body was complete before: the engine does not deliver what is still buffered.
      while let pieces = try takeNow(), !pieces.isEmpty {
        for piece in pieces {
          try Task.checkCancellation()
          guard try take(piece.span.bytes) == .continue else { throw CancellationError() }
        }
      }
    }
  }
}

/// A streamed response body was read a second time.
package struct BodyAlreadyRead: Error, CustomStringConvertible {
  package var description: String { "the body of a streamed response can be read only once" }
}

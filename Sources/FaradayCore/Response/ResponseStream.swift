internal import Synchronization

/// The buffer between an engine that receives a response's body and the task that reads it, with backpressure. For adapters.
///
///     let stream = ResponseStream()
///     let body = stream.body(length: length) { engine.resume() } onUnwanted: { engine.cancel() }
///     return Response(status: status, headers: headers, body: body, url: request.url, stream: stream)
///
/// The engine writes pieces as they arrive, flushes when no more pieces are available, and ends with
/// ``finish(trailers:metrics:)`` or ``fail(_:metrics:)``. Small pieces are coalesced into larger ones, with one copy, because
/// waking a task for each piece is expensive. A reader that uses ``Body/forEachChunk(_:)`` gets each written piece without a copy.
///
/// Backpressure: the high watermark is the capacity, the low watermark half of it. When the unread bytes reach the capacity,
/// `write(_:)` returns ``Answer/pause``; when the reader has reduced them below half, `onRoom` of
/// ``body(length:onRoom:onUnwanted:)`` is called. At most the capacity and one piece are buffered.
///
/// Thread safety: `write(_:)`, ``flush()``, ``finish(trailers:metrics:)``, ``fail(_:metrics:)``, ``gathered``, ``unread`` and
/// ``isDrained`` are for the engine: only one thread at a time may call them. All other members are thread-safe.
@_spi(Adapters) public final class ResponseStream: @unchecked Sendable {
  // Safe to share: only the engine's calls, one at a time, access `segments`, `sink` and `isStopped`. All other state is behind
  // a lock, or atomic.

  /// The engine's next step after a `write(_:)` or ``flush()``.
  public enum Answer: Sendable, Hashable {
    /// Continue: the buffer has room.
    case more
    /// Pause the transfer until `onRoom` is called: the buffer is full. Bytes written despite the pause are kept.
    case pause
    /// Cancel the transfer: the reader is gone.
    case stop
  }

  struct Ending: Sendable {
    var result: Result<Void, any Error>
    var trailers: HTTPFields = [:]
    var metrics: TransferMetrics?
  }

  struct State {
    var pieces: [Data] = []
    var ending: Ending?
    var reader: UnsafeContinuation<Void, Never>?
    /// The closure of a draining reader, until the engine has taken it.
    var sink: ChunkHandler?
  }

  private let capacity: Int
  private let batch: Int
  private let gathers: Bool
  // Not private: a test sets a rare state.
  let state = Mutex(State())
  /// Bytes that were flushed and not read.
  private let level = Atomic<Int>(0)
  private let isPaused = Atomic<Bool>(false)

  // Used by the engine only.
  @exclusivity(unchecked) private var segments: Segments
  private var sink: ChunkHandler?
  private var isStopped = false

  /// A stream with an empty buffer.
  ///
  /// - Parameters:
  ///   - capacity: the high watermark: the maximum of buffered bytes. 1 MiB by default.
  ///   - batch: the number of written bytes that are flushed automatically; half of the capacity if nil.
  ///   - gathers: whether small pieces are coalesced. If false, the reader gets each piece as written.
  public convenience init(capacity: Int = 1 << 20, batch: Int? = nil, gathers: Bool = true) {
    self.init(capacity: capacity, batch: batch, gathers: gathers, pool: nil)
  }

  /// A stream that shares a pool with other streams of its engine. It has its own if `pool` is nil.
  package init(capacity: Int, batch: Int?, gathers: Bool, pool: SegmentPool?) {
    self.capacity = max(1, capacity)
    self.batch = batch ?? self.capacity / 2
    self.gathers = gathers
    segments = Segments(from: pool)
  }

  deinit { segments.discard() }

  // MARK: the engine's side

  /// Writes a piece. The bytes are copied, or passed to the draining reader's closure, before this returns.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Answer {
    if let sink { return hand(bytes, to: sink) }
    segments.append(bytes, together: gathers)
    return written()
  }

  /// Writes a piece without a copy.
  public func write(_ piece: Data) -> Answer {
    if let sink { return piece.withUnsafeBytes { hand($0, to: sink) } }
    segments.append(piece)
    return written()
  }

  /// Passes the written bytes to the reader, and wakes it. Call it when no more bytes are available, and after `onRoom`.
  ///
  /// Returns ``Answer/more`` if a paused engine may resume, otherwise ``Answer/pause``, which an engine that is not paused
  /// ignores.
  public func flush() -> Answer {
    let taken = segments.take()
    level.wrappingAdd(taken.count, ordering: .sequentiallyConsistent)
    let (reader, sink, unread) = state.withLock { state in
      state.pieces.append(contentsOf: taken.pieces)
      // After the end, the reader takes the buffered pieces.
      if let sink = state.sink, state.ending == nil {
        state.sink = nil
        defer { state.pieces = [] }
        return (nil as UnsafeContinuation<Void, Never>?, sink as ChunkHandler?, state.pieces)
      }
      guard !state.pieces.isEmpty else { return (nil, nil, []) }
      defer { state.reader = nil }
      return (state.reader, nil, [])
    }
    reader?.resume()
    if let sink { begin(sink, with: unread) }
    if isStopped { return .stop }
    return wantsMore ? .more : .pause
  }

  /// The bytes that were written and not flushed.
  public var gathered: Int { segments.count }

  /// The bytes that were written and not read.
  public var unread: Int { level.load(ordering: .relaxed) + segments.count }

  /// Whether the reader uses ``Body/forEachChunk(_:)``: its closure gets written bytes at once.
  public var isDrained: Bool { sink != nil }

  /// Ends the body successfully. Only the first end counts. If `metrics` is nil, the response keeps its metrics.
  public func finish(trailers: HTTPFields = [:], metrics: TransferMetrics? = nil) {
    end(Ending(result: .success(()), trailers: trailers, metrics: metrics))
  }

  /// Ends the body with an error, which the reader gets after the buffered bytes. Only the first end counts. If `metrics` is
  /// nil, the response keeps its metrics.
  public func fail(_ error: any Error, metrics: TransferMetrics? = nil) {
    end(Ending(result: .failure(error), metrics: metrics))
  }

  private func end(_ ending: Ending) {
    _ = flush()
    segments.discard()
    sink = nil
    // Releases a draining closure that was set meanwhile, outside the lock: its reader delivers the buffered pieces.
    let (reader, _) = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      // A draining reader that has stopped the body still gets the final metrics.
      if state.ending?.metrics == nil { state.ending?.metrics = ending.metrics }
      defer { (state.reader, state.sink) = (nil, nil) }
      return (state.reader, state.sink)
    }
    reader?.resume()
  }

  private func written() -> Answer {
    if isStopped { return .stop }
    guard unread < capacity else {
      // Set before the flush: a reader that empties the buffer at once must see that the engine is paused. Otherwise both would
      // wait for each other (deadlock).
      isPaused.store(true, ordering: .sequentiallyConsistent)
      return flush()
    }
    if segments.count >= batch { return flush() == .stop ? .stop : .more }
    return .more
  }

  /// Starts a draining reader, with the buffered pieces first.
  private func begin(_ sink: @escaping ChunkHandler, with pieces: [Data]) {
    self.sink = sink
    for piece in pieces {
      level.wrappingSubtract(piece.count, ordering: .sequentiallyConsistent)
      guard piece.withUnsafeBytes({ hand($0, to: sink) }) == .more else { return }
    }
  }

  private func hand(_ bytes: UnsafeRawBufferPointer, to sink: ChunkHandler) -> Answer {
    guard !isStopped else { return .stop }
    do {
      if try sink(bytes.bytes) == .continue { return .more }
      stop(CancellationError())
    } catch {
      stop(error)
    }
    return .stop
  }

  /// Ends the body because the draining reader has cancelled or thrown. The metrics follow when the transfer ends.
  private func stop(_ error: any Error) {
    isStopped = true
    // The draining closure is called only before the end, and never after it has stopped the body.
    state.withLock { $0.ending = Ending(result: .failure(error)) }
  }

  // MARK: the reader's side

  /// The body for the response.
  ///
  /// - Parameters:
  ///   - length: the length in bytes, if it is known.
  ///   - onRoom: called below the low watermark after a pause, and when the reader starts to drain: the engine must
  ///     ``flush()``, and may resume. Called on the reader's thread, possibly once more than needed.
  ///   - onUnwanted: called when the body is released before its end, or the reading task is cancelled: the engine must cancel
  ///     the transfer. Called on the reader's or the cancelling thread, possibly more than once.
  public func body(
    length: Int64?, onRoom: @escaping @Sendable () -> Void, onUnwanted: @escaping @Sendable () -> Void
  ) -> Body {
    let lease = Lease(stream: self, onRoom: onRoom, onUnwanted: onUnwanted)
    return Body(storage: .received(ReceivedBody(lease, length: length)))
  }

  /// Whether the engine is paused and the buffer below the low watermark. True once per pause, for the caller that resumes the
  /// transfer.
  private var wantsMore: Bool {
    guard level.load(ordering: .sequentiallyConsistent) < max(1, capacity / 2) else { return false }
    return isPaused.exchange(false, ordering: .sequentiallyConsistent)
  }

  /// Counts bytes as read. Returns whether the engine must be resumed.
  fileprivate func read(_ count: Int) -> Bool {
    level.wrappingSubtract(count, ordering: .sequentiallyConsistent)
    return wantsMore
  }

  /// The result, trailers and metrics; nil before the end of the body.
  var ending: Ending? { state.withLock { $0.ending } }
}

extension ResponseStream {
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

    /// Calls the closure when the lease is released.
    func observe(_ call: @escaping @Sendable (Body.End) -> Void) { observers.withLock { $0.append(call) } }

    /// Returns all buffered pieces, after waiting if there are none. Empty at the end. Throws the error that ended the body.
    func take() async throws -> [Data] {
      while true {
        if let pieces = try takeNow() { return pieces }
        await wait { !$0.pieces.isEmpty || $0.ending != nil }
      }
    }

    /// Returns all buffered pieces; empty at the end, nil if there are none yet. Throws the error that ended the body.
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
      // The body was complete before: the engine does not deliver the buffered pieces.
      while let pieces = try takeNow(), !pieces.isEmpty {
        for piece in pieces {
          try Task.checkCancellation()
          guard try take(piece.span.bytes) == .continue else { throw CancellationError() }
        }
      }
    }
  }
}

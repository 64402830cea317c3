internal import Synchronization

/// The buffer between the engine that receives a response's body and the task that reads it: an adapter makes a response of it.
///
///     let stream = ResponseStream()
///     let body = stream.body(length: length) { engine.resume() } onUnwanted: { engine.cancel() }
///     return Response(status: status, headers: headers, body: body, url: request.url, stream: stream)
///
/// The engine writes pieces as they come, flushes when no more come for now, and ends with ``finish(trailers:metrics:)`` or
/// ``fail(_:metrics:)``. Small pieces are gathered into larger ones meanwhile, with one copy: to wake a task for each would cost more
/// than all the rest. What a reader takes with ``Body/drain(into:)`` is neither gathered nor copied.
///
/// This is where backpressure comes from. It holds at most its capacity and one piece: then ``write(_:)`` answers ``Answer/pause``, and `onRoom` of
/// ``body(length:onRoom:onUnwanted:)`` is called when the reader has brought that below half.
///
/// ``write(_:)``, ``flush()``, ``finish(trailers:metrics:)``, ``fail(_:metrics:)``, ``gathered``, ``unread`` and ``isDrained`` are for
/// the engine, and called by one thread at a time. Everything else may be called from any.
public final class ResponseStream: @unchecked Sendable {
  // Safe to share: `segments`, `sink` and `isStopped` are touched by the engine's calls alone, which come one after the other; the rest
  // is behind a lock, or atomic.

  /// What the engine is to do next.
  public enum Answer: Sendable, Hashable {
    /// There is room.
    case more
    /// There is none: what comes is to wait until `onRoom` is called. Bytes that are written all the same are kept.
    case pause
    /// Nobody wants any more of it: the transfer is to be ended.
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
    /// Where the pieces are to go, once the engine has taken notice of it.
    var sink: ChunkHandler?
  }

  private let capacity: Int
  private let batch: Int
  private let gathers: Bool
  let state = Mutex(State())
  /// Bytes that were handed over and not read.
  private let level = Atomic<Int>(0)
  private let isPaused = Atomic<Bool>(false)

  // The engine's.
  @exclusivity(unchecked) private var segments = Segments()
  private var sink: ChunkHandler?
  private var isStopped = false

  /// - Parameters:
  ///   - capacity: bytes that may wait for the reader; 1 MiB by default.
  ///   - batch: bytes that are handed to the reader at once, flushed or not; half of the capacity if nil.
  ///   - gathers: whether small pieces are put together. If not, each reaches the reader as it was written.
  public init(capacity: Int = 1 << 20, batch: Int? = nil, gathers: Bool = true) {
    self.capacity = max(1, capacity)
    self.batch = batch ?? self.capacity / 2
    self.gathers = gathers
  }

  deinit { segments.discard() }

  // MARK: the engine's side

  /// Takes a piece. The bytes have been copied, or handed to the reader's closure, when this returns.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Answer {
    if let sink { return hand(bytes, to: sink) }
    segments.append(bytes, together: gathers)
    return written()
  }

  /// Takes a piece without a copy.
  public func write(_ piece: Data) -> Answer {
    if let sink { return piece.withUnsafeBytes { hand($0, to: sink) } }
    segments.append(piece)
    return written()
  }

  /// Hands over what was gathered, and wakes the reader. To be called when no more comes for now, and after `onRoom`.
  ///
  /// Answers ``Answer/more`` if an engine that was told to pause may go on, and ``Answer/pause`` otherwise, which tells one that has
  /// not paused nothing new.
  public func flush() -> Answer {
    let taken = segments.take()
    level.wrappingAdd(taken.count, ordering: .sequentiallyConsistent)
    let (reader, sink, unread) = state.withLock { state in
      state.pieces.append(contentsOf: taken.pieces)
      // Behind the end the reader takes what there is by itself.
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

  /// Bytes that were written and not flushed.
  public var gathered: Int { segments.count }

  /// Bytes that were written and not read.
  public var unread: Int { level.load(ordering: .relaxed) + segments.count }

  /// Whether what is written goes to a closure of the reader's at once.
  public var isDrained: Bool { sink != nil }

  /// Ends the body well. Only the first end counts. Without metrics the response keeps those that it has.
  public func finish(trailers: HTTPFields = [:], metrics: TransferMetrics? = nil) {
    end(Ending(result: .success(()), trailers: trailers, metrics: metrics))
  }

  /// Ends the body with an error, which the reader gets behind what has come. Only the first end counts. Without metrics the response
  /// keeps those that it has.
  public func fail(_ error: any Error, metrics: TransferMetrics? = nil) {
    end(Ending(result: .failure(error), metrics: metrics))
  }

  private func end(_ ending: Ending) {
    _ = flush()
    segments.discard()
    sink = nil
    // A closure that has come since is let go of, outside the lock: the reader calls it for what there is.
    let (reader, _) = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      // Whoever drained it is told even if it was stopped before: then the figures are complete.
      if state.ending?.metrics == nil { state.ending?.metrics = ending.metrics }
      defer { (state.reader, state.sink) = (nil, nil) }
      return (state.reader, state.sink)
    }
    reader?.resume()
  }

  private func written() -> Answer {
    if isStopped { return .stop }
    guard unread < capacity else {
      // First this and then what it has: a reader that is quick sees that it is to ask.
      isPaused.store(true, ordering: .sequentiallyConsistent)
      return flush()
    }
    if segments.count >= batch { return flush() == .stop ? .stop : .more }
    return .more
  }

  /// A reader has come that takes pieces where they arrive: first those that wait for it.
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

  /// The reader wants no more. It is told why at once, and its figures come with the transfer's end.
  private func stop(_ error: any Error) {
    isStopped = true
    state.withLock { if $0.ending == nil { $0.ending = Ending(result: .failure(error)) } }
  }

  // MARK: the reader's side

  /// The body for the response. When its reader goes before the end, and when it goes unread, `onUnwanted` is called.
  ///
  /// - Parameters:
  ///   - length: in bytes, if it is known.
  ///   - onRoom: called when there is room again after a pause, and when the reader begins to drain: the engine is to ``flush()``, and
  ///     may go on. On the reader's thread, and perhaps once too often.
  ///   - onUnwanted: called when nobody will read the rest: the transfer is to be ended. On the reader's thread, or that of whoever
  ///     cancels its task; perhaps more than once.
  public func body(
    length: Int64?, onRoom: @escaping @Sendable () -> Void, onUnwanted: @escaping @Sendable () -> Void
  ) -> Body {
    let lease = ReceivedBody.Lease(stream: self, onRoom: onRoom, onUnwanted: onUnwanted)
    return Body(storage: .received(ReceivedBody(lease, length: length)))
  }

  /// Whether there is room again and the engine is paused. True once per pause: whoever gets it resumes the transfer.
  private var wantsMore: Bool {
    guard level.load(ordering: .sequentiallyConsistent) < max(1, capacity / 2) else { return false }
    return isPaused.exchange(false, ordering: .sequentiallyConsistent)
  }

  /// Counts a piece as read. Returns whether the engine waits to be told.
  func read(_ count: Int) -> Bool {
    level.wrappingSubtract(count, ordering: .sequentiallyConsistent)
    return wantsMore
  }

  /// What is known at the end of the body only; nil before.
  var ending: Ending? { state.withLock { $0.ending } }
}

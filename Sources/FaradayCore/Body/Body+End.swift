internal import Synchronization

extension Body {
  /// How the reading of a body ended.
  public enum End: Sendable {
    /// All of it was received.
    case complete
    /// Reading failed; a `CancellationError` if the reader was cancelled.
    case failed(any Error)
    /// It was released before its end, read in part or not at all.
    case dropped
  }

  /// A copy of the body that calls the closure once when it has been read to its end, has failed, or was dropped.
  ///
  /// For a middleware that has something to release when the exchange is over. A body in memory calls it before this returns.
  /// Otherwise it is called on the thread that reads, or releases, the body; it must not block. Who keeps a streamed response
  /// without reading it keeps the end from coming. Of a body that can be read several times the first reading counts.
  public func onEnd(_ call: @escaping @Sendable (End) -> Void) -> Body {
    guard isStreamed else {
      call(.complete)
      return self
    }
    if case .received(let body) = storage {
      body.onEnd(call)
      return self
    }
    return .stream(WatchedPieces(body: self, call), length: length, isReplayable: isReplayable)
  }
}

/// The pieces of a body, and a closure for the end of their first reading.
private struct WatchedPieces: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let body: Body
  private let watch: FirstWatch

  init(body: Body, _ call: @escaping @Sendable (Body.End) -> Void) {
    self.body = body
    watch = FirstWatch(Watch(call))
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: body.makeAsyncIterator(), watch: watch.take()) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Body.AsyncIterator
    let watch: Watch?

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      do {
        let piece = try await rest.next(isolation: isolation)
        if piece == nil { watch?.end(.complete) }
        return piece
      } catch {
        watch?.end(.failed(error))
        throw error
      }
    }
  }

  /// Calls its closure once: when told, or when it is released.
  final class Watch: Sendable {
    private let call: Mutex<(@Sendable (Body.End) -> Void)?>

    init(_ call: @escaping @Sendable (Body.End) -> Void) { self.call = Mutex(call) }

    deinit { end(.dropped) }

    func end(_ end: Body.End) {
      let call = call.withLock { call in
        defer { call = nil }
        return call
      }
      call?(end)
    }
  }

  /// Gives the watch to the first reader only.
  private final class FirstWatch: Sendable {
    private let watch: Mutex<Watch?>

    init(_ watch: Watch) { self.watch = Mutex(watch) }

    func take() -> Watch? {
      watch.withLock { watch in
        defer { watch = nil }
        return watch
      }
    }
  }
}

extension Body {
  /// The outcome of reading a body.
  public enum End: Sendable {
    /// The whole body was received.
    case complete
    /// Reading failed. The error is a `CancellationError` if the reader was cancelled.
    case failed(any Error)
    /// The body was released before its end, read in part or not at all.
    case dropped
  }

  /// A copy of the body that calls the closure once when it has been read to its end, has failed, or was dropped.
  ///
  /// For a middleware that releases a resource when the exchange is over. A body in memory calls the closure before this method
  /// returns. Otherwise the thread that reads or releases the body calls it; it must not block. If a caller keeps a streamed
  /// response without reading it, the closure is not called. If a body can be read several times, the first reading counts.
  public func onEnd(_ call: @escaping @Sendable (End) -> Void) -> Body {
    guard isStreamed else {
      call(.complete)
      return self
    }
    if case .received(let body) = storage {
      body.onEnd(call)
      return self
    }
    let watch = Once(EndWatch(call))
    return .reading(length: length, isReplayable: isReplayable) {
      var rest = makeAsyncIterator()
      let first = watch.take()
      return {
        do {
          let piece = try await rest.next(isolation: #isolation)
          if piece == nil { first?.end(.complete) }
          return piece
        } catch {
          first?.end(.failed(error))
          throw error
        }
      }
    }
  }
}

/// Calls its closure once: from `end(_:)`, or when it is released.
private final class EndWatch: Sendable {
  private let call: Once<@Sendable (Body.End) -> Void>

  init(_ call: @escaping @Sendable (Body.End) -> Void) { self.call = Once(call) }

  deinit { end(.dropped) }

  func end(_ end: Body.End) { call.take()?(end) }
}

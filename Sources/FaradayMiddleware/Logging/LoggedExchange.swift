internal import FaradayCore
internal import Synchronization

/// One exchange that is being logged. `onEnd` is called once: when the exchange ends, or when the body's reader is released.
final class LoggedExchange: Sendable {
  enum End: Sendable {
    case complete
    /// The reader stopped before the end of the body.
    case left
    case failed(any Error)
  }

  private let url: URL
  private let secrets: Secrets
  private let limit: Int?
  private let start: ExchangeRecord
  private let onEnd: ExchangeHooks.Hook?
  private let elapsed: @Sendable () -> Duration
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var start = Data()
    var head: Response?
    var isOver = false
  }

  init(_ request: Request, for hooks: ExchangeHooks, elapsed: @escaping @Sendable () -> Duration) {
    url = request.url
    secrets = request.secrets
    limit = if case .full(let limit) = hooks.detail { max(0, limit) } else { nil }
    start = ExchangeRecord(request, secrets, limit: limit)
    onEnd = hooks.onEnd
    self.elapsed = elapsed
    hooks.onStart?(start)
  }

  deinit { end(.left) }

  /// Stores everything of the response except its unread body. The body's reader retains this object, so storing the body would
  /// be a cycle.
  func begin(_ response: Response) {
    var head = response
    head.body = .empty
    state.withLock { $0.head = head }
  }

  /// Counts a piece of the response's body, and stores it as far as it will be shown.
  func take(_ bytes: RawSpan) {
    state.withLock { state in
      state.count += bytes.byteCount
      guard let limit, state.start.count < limit else { return }
      bytes.extracting(first: limit - state.start.count).withUnsafeBytes { state.start.append(contentsOf: $0) }
    }
  }

  func end(_ end: End = .complete) {
    guard let onEnd, let state = takeState() else { return }
    var record = start
    record.duration = elapsed()
    record.byteCount = state.count
    record.status = state.head?.status
    if let limit, let head = state.head {
      record.response = ExchangeRecord.Message(head, start: state.start, count: state.count, secrets, limit: limit)
    }
    switch end {
    case .complete: record.outcome = .complete
    case .left: record.outcome = .abandoned
    case .failed(let error):
      record.outcome = error is CancellationError ? .cancelled : .failed
      record.error = shown(error)
    }
    onEnd(record)
  }

  private func takeState() -> State? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      defer { state.isOver = true }
      return state
    }
  }

  /// An error that contains the request shows its whole URL.
  private func shown(_ error: any Error) -> String {
    "\(error)".replacing(url.absoluteString, with: secrets.redacting(url)).escapingControls()
  }
}

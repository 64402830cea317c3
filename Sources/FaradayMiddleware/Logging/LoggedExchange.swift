internal import FaradayCore
internal import Logging
internal import Synchronization

/// One exchange that is being logged. Its end is logged once: when it is known, or when the body's reader is gone.
final class LoggedExchange: Sendable {
  enum End: Sendable {
    case complete
    /// The reader stopped before the end of the body.
    case left
    case failed(any Error)
  }

  private let logger: ExchangeLogger
  private let method: HTTPRequest.Method
  private let url: URL
  private let secrets: Secrets
  private let requestID: String?
  private let elapsed: @Sendable () -> Duration
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var start = Data()
    var head: Response?
    var isOver = false
  }

  init(_ request: Request, by logger: ExchangeLogger, elapsed: @escaping @Sendable () -> Duration) {
    self.logger = logger
    method = request.method
    url = request.url
    secrets = request.secrets
    requestID = request.options.requestID
    self.elapsed = elapsed
  }

  deinit { end(.left) }

  /// Its body has not been read yet; of a response it keeps all but that, as the body's reader keeps this.
  func begin(_ response: Response) {
    var head = response
    head.body = .empty
    state.withLock { $0.head = head }
  }

  /// Counts a piece of the response's body, and keeps it as far as it will be shown.
  func take(_ bytes: RawSpan) {
    state.withLock { state in
      state.count += bytes.byteCount
      guard let limit, state.start.count < limit else { return }
      bytes.extracting(first: limit - state.start.count).withUnsafeBytes { state.start.append(contentsOf: $0) }
    }
  }

  private var limit: Int? {
    if case .full(let limit) = logger.detail { max(0, limit) } else { nil }
  }

  // MARK: events

  func logRequest(_ request: Request) {
    guard let limit else { return }
    logger.logger.log(
      level: logger.level, "\(ShownHead("\(method) \(shownURL)", request, secrets, limit: limit).text)",
      metadata: metadata())
  }

  func end(_ end: End = .complete) {
    guard let state = takeState() else { return }
    let duration = elapsed()
    logger.logger.log(
      level: level(of: end, state.head), "\(message(end, state, duration))", metadata: metadata(end, state, duration))
  }

  private func takeState() -> State? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      defer { state.isOver = true }
      return state
    }
  }

  private func level(of end: End, _ head: Response?) -> Logger.Level {
    if case .failed(let error) = end { return error is CancellationError ? logger.level : logger.failureLevel }
    return head.map { $0.status.code >= 500 } == true ? logger.failureLevel : logger.level
  }

  private func message(_ end: End, _ state: State, _ duration: Duration) -> String {
    let status = state.head.map { " \($0.status.code)," } ?? ""
    let much = state.head == nil ? "after \(duration.shown)" : "after \(state.count) bytes and \(duration.shown)"
    let outcome =
      switch end {
      case .complete: "\(state.count) bytes in \(duration.shown)"
      case .left: "left \(much)"
      case .failed(let error) where error is CancellationError: "cancelled \(much)"
      case .failed(let error): "failed \(much): \(shown(error))"
      }
    let line = "\(method) \(shownURL)\(status) \(outcome)"
    guard let limit, let head = state.head else { return line }
    return ShownHead(line, head, start: state.start, count: state.count, secrets, limit: limit).text
  }

  private func metadata(_ end: End? = nil, _ state: State? = nil, _ duration: Duration? = nil) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["method": "\(method)", "url": "\(shownURL)"]
    if let requestID { metadata["request-id"] = "\(requestID.escapingControls())" }
    if let duration { metadata["duration"] = .stringConvertible(duration) }
    if let state, let head = state.head {
      metadata["status"] = .stringConvertible(head.status.code)
      metadata["bytes"] = .stringConvertible(state.count)
    }
    if case .failed(let error) = end { metadata["error"] = "\(shown(error))" }
    return metadata
  }

  private var shownURL: String { secrets.redacting(url).escapingControls() }

  /// An error that names the request names the whole URL.
  private func shown(_ error: any Error) -> String {
    "\(error)".replacing(url.absoluteString, with: secrets.redacting(url)).escapingControls()
  }
}

extension Duration {
  /// In milliseconds, with one digit behind the point.
  fileprivate var shown: String {
    let tenths = (self / .microseconds(100)).rounded()
    return "\(Int64(tenths) / 10).\(Int64(tenths) % 10) ms"
  }
}

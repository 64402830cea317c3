internal import Dispatch
internal import FaradayCore
internal import Foundation
internal import Synchronization
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// One request on its way over a URLSession: what has come of it, who waits for it, and its one outcome.
///
/// URLSession tells on its own queue, where nothing may wait and no task be cancelled: all but the counting of bytes is done on
/// a queue of this exchange, and callbacks are called there.
final class Exchange: Sendable {
  let request: Request
  /// Whose connections it shares.
  let origin: String
  let stream: ResponseStream
  let session: Session
  private let urlRequest: URLRequest
  private let callbacks = DispatchQueue(label: "faraday-urlsession")
  let state: Mutex<State>

  /// What changes. Nothing is called while it is locked.
  struct State {
    var task: URLSessionTask?
    var file: UploadFile?
    var producer: Task<Void, Never>?
    var watchdog: Task<Void, Never>?
    /// Since when it waits for its turn; nil before, and once it has a task.
    var waitsSince: ContinuousClock.Instant?
    /// Whether it has begun: it has a turn to give back.
    var hasTurn = false
    var head: HTTPURLResponse?
    var headWaiter: UnsafeContinuation<Void, any Error>?
    var outcome: Result<Void, any Error>?
    /// Whether there is something to cancel: not before there is a task, once at most, and not when it has completed.
    var mayCancel = false
    var started = ContinuousClock.now
    var lastActivity = ContinuousClock.now
    var firstByte: Duration?
    var sent: Int64 = 0
    var received: Int64 = 0
    /// Bytes that are on their way to our queue.
    var pending = 0
  }

  init(_ checked: CheckedRequest, over session: Session) {
    request = checked.request
    origin = checked.target.origin
    urlRequest = URLRequest(checked)
    self.session = session
    stream = ResponseStream(capacity: URLSessionAdapter.maximumUnread)
    state = Mutex(State())
  }

  func start() {
    guard request.body.isStreamed else { return queue(nil) }
    watch()
    let producer = Task { [self] in
      do {
        queue(try await UploadFile(request.body))
      } catch {
        fail(bodyFailure(error))
      }
    }
    state.withLock { state in
      state.producer = producer
      // Cancelled in the meantime.
      if state.outcome != nil { producer.cancel() }
    }
  }

  // MARK: its turn

  /// Waits for its turn.
  private func queue(_ file: UploadFile?) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      state.waitsSince = .now
      // Foundation waits for ever for the first byte of an empty file.
      if let file, !file.isEmpty { state.file = file }
    }
    watch()
    session.turns.enter(self)
  }

  /// It has its turn. Returns whether it makes use of it: not if it has ended meanwhile.
  func begin() -> Bool {
    let (isWanted, file) = state.withLock { state -> (Bool, UploadFile?) in
      guard state.outcome == nil else { return (false, nil) }
      state.hasTurn = true
      return (true, state.file)
    }
    if isWanted { resume(session.task(urlRequest, for: request, file: file)) }
    return isWanted
  }

  private func resume(_ task: URLSessionTask) {
    SessionDelegate.shared.add(self, for: task)
    let isWanted = state.withLock { state in
      guard state.outcome == nil else { return false }
      state.task = task
      state.waitsSince = nil
      state.mayCancel = true
      state.lastActivity = .now
      return true
    }
    if isWanted { task.resume() } else { task.cancel() }
  }

  var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  // MARK: what URLSession tells, on its queue

  func received(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse else { return }
    state.withLock { $0.lastActivity = .now }
    callbacks.async { self.take(head) }
  }

  func received(_ data: Data) {
    let pending = state.withLock { state -> Int? in
      state.lastActivity = .now
      guard state.outcome == nil else { return nil }
      state.pending += data.count
      return state.pending
    }
    guard let pending else { return }
    limit(pending)
    callbacks.async { self.take(data) }
  }

  /// Ends it when too much waits: on the way to our queue, or there for the reader.
  private func limit(_ waiting: Int) {
    let limit = URLSessionAdapter.maximumUnread
    guard waiting >= limit else { return }
    fail(error(.bodyTooLarge, "the reader is \(limit) bytes behind a server that URLSession cannot slow down"))
  }

  func sent(_ total: Int64) {
    state.withLock { $0.lastActivity = .now }
    callbacks.async { self.reportSent(total) }
  }

  func completed(_ error: (any Error)?, response: URLResponse?) {
    state.withLock { $0.mayCancel = false }
    callbacks.async { self.complete(error, response as? HTTPURLResponse) }
  }

  /// Whether a redirect may be refused: refusing one whose task is being cancelled ends the process (Foundation of Swift 6.3).
  var mayRefuseRedirect: Bool { state.withLock { $0.mayCancel } }

  // MARK: on our own

  private func take(_ head: HTTPURLResponse) {
    if (100..<200).contains(head.statusCode) && head.statusCode != 101 {
      request.options.onInformational?(head.parsed)
      return
    }
    do {
      try head.check(for: request)
    } catch {
      return fail((error as? HTTPURLResponse.Problem).map { self.error($0.code, $0.message) } ?? error)
    }
    let waiter = state.withLock { state in
      state.head = head
      state.firstByte = .now - state.started
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    waiter?.resume()
  }

  private func take(_ data: Data) {
    let pending = state.withLock { state -> Int? in
      state.pending -= data.count
      guard state.outcome == nil else { return nil }
      state.received += Int64(data.count)
      return state.pending
    }
    guard let pending else { return }
    if stream.write(data) == .stop { return fail(CancellationError()) }
    flush()
    limit(pending + stream.unread)
  }

  /// Hands over what has come.
  private func flush() {
    if stream.flush() == .stop { fail(CancellationError()) }
  }

  /// The body of the response. Nothing can be asked of URLSession when its reader has room; but it may have begun to drain.
  func body(length: Int64?) -> Body {
    stream.body(length: length) {
      self.callbacks.async { self.flush() }
    } onUnwanted: {
      self.fail(CancellationError())
    }
  }

  private func reportSent(_ total: Int64) {
    let isNews = state.withLock { state in
      defer { state.sent = max(state.sent, total) }
      return state.outcome == nil && total > state.sent
    }
    if isNews { request.options.onUploadProgress?(TransferProgress(bytes: total, total: request.body.length)) }
  }

  private func complete(_ error: (any Error)?, _ response: HTTPURLResponse?) {
    if let error { return fail(failure(error)) }
    if let response, state.withLock({ $0.head == nil }) {
      // A redirect that leads nowhere: URLSession keeps its body to itself.
      take(response)
      if response.contentLength != 0, request.method != .head {
        return fail(self.error(.unsupported, "URLSessionAdapter: URLSession drops the body of a redirect without Location"))
      }
    }
    end(.success(()))
  }

  // MARK: the outcome

  /// Ends it with an error, unless it has ended; URLSession is told to stop.
  func fail(_ error: any Error) { end(.failure(error)) }

  /// Ends it with an error, unless it has ended or begun.
  func failWaiting(_ error: any Error) { end(.failure(error)) { !$0.hasTurn } }

  private func end(_ outcome: Result<Void, any Error>, if mayEnd: (State) -> Bool = { _ in true }) {
    let first: State? = state.withLock { state in
      guard state.outcome == nil, mayEnd(state) else { return nil }
      state.outcome = outcome
      defer {
        state.headWaiter = nil
        state.file = nil
      }
      return state
    }
    guard let first else { return }
    first.watchdog?.cancel()
    first.producer?.cancel()
    if first.hasTurn { session.turns.leave(origin) } else if first.waitsSince != nil { session.turns.abandon(origin) }
    switch outcome {
    case .success:
      endStream(outcome)
      first.headWaiter?.resume()
    case .failure(let error):
      callbacks.async { self.endStream(outcome) }
      first.headWaiter?.resume(throwing: error)
      cancelTask()
    }
  }

  private func endStream(_ outcome: Result<Void, any Error>) {
    switch outcome {
    case .success: stream.finish(metrics: metrics)
    case .failure(let error): stream.fail(error, metrics: metrics)
    }
  }

  private func cancelTask() {
    let task = state.withLock { state in
      defer { state.mayCancel = false }
      return state.mayCancel ? state.task : nil
    }
    // Cancelling waits for the queue that URLSession works on, and this may be it.
    if let task { DispatchQueue.global().async { task.cancel() } }
  }

  /// Waits for the head.
  func head() async throws -> HTTPURLResponse {
    try await withUnsafeThrowingContinuation { continuation in
      let known: Result<Void, any Error>? = state.withLock { state in
        // It may have failed since: what came of the body before that is the caller's all the same.
        if case .failure(let error) = state.outcome, error is CancellationError || state.head == nil { return state.outcome }
        if state.head != nil || state.outcome != nil { return .success(()) }
        state.headWaiter = continuation
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
    return try state.withLock { state in
      guard let head = state.head else { throw error(.malformedResponse, "URLSession gave no response") }
      return head
    }
  }
}

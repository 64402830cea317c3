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
/// a queue of this exchange, callbacks included. The caller's task takes the body out of a buffer in between.
final class Exchange: Sendable {
  let request: Request
  let buffer = ReceiveBuffer(size: URLSessionAdapter.maximumUnread)
  let ending = Response.Ending()
  private let queue = DispatchQueue(label: "faraday-urlsession")
  let state: Mutex<State>

  /// What changes. Nothing is called while it is locked.
  struct State {
    var task: URLSessionTask?
    var file: UploadFile?
    var producer: Task<Void, Never>?
    var watchdog: Task<Void, Never>?
    var head: HTTPURLResponse?
    /// Whether the head has been shown to its callback, and may be to the caller.
    var isHeadReady = false
    var headWaiter: UnsafeContinuation<Void, any Error>?
    var outcome: Result<Void, any Error>?
    /// Whether there is something to cancel: not before there is a task, once at most, and not when it has completed.
    var mayCancel = false
    var started = ContinuousClock.now
    var lastActivity = ContinuousClock.now
    var firstByte: Duration?
    var sent: Int64 = 0
    var received: Int64 = 0
    var contentLength: Int64?
  }

  init(_ request: Request) throws {
    _ = try Target(request)
    try request.checkBody()
    self.request = request
    state = Mutex(State())
  }

  func start(over session: Session) {
    let watchdog = watchdog(total: request.options.timeouts.total ?? session.settings.total)
    state.withLock { $0.watchdog = watchdog }
    guard request.body.isStreamed else { return resume(over: session, file: nil) }
    let producer = Task { [self] in
      do {
        resume(over: session, file: try await UploadFile(request.body))
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

  private func resume(over session: Session, file: UploadFile?) {
    let task: URLSessionTask
    do {
      // Foundation waits for ever for the first byte of an empty file.
      let file = file?.isEmpty == true ? nil : file
      task = session.task(try URLRequest(request), body: request.body, file: file)
    } catch {
      return fail(error)
    }
    SessionDelegate.shared.add(self, for: task)
    let isWanted = state.withLock { state in
      guard state.outcome == nil else { return false }
      state.task = task
      state.file = file
      state.mayCancel = true
      state.lastActivity = .now
      return true
    }
    if isWanted { task.resume() } else { task.cancel() }
  }

  /// Whether the source of the body is what is waited for.
  var waitsForCaller: Bool { request.body.isStreamed && state.withLock { $0.task == nil } }

  // MARK: what URLSession tells, on its queue

  func received(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse else { return }
    state.withLock { $0.lastActivity = .now }
    queue.async { self.take(head) }
  }

  func received(_ data: Data) {
    let isOver = state.withLock { state in
      state.lastActivity = .now
      return state.outcome != nil
    }
    guard !isOver else { return }
    buffer.received(data.count)
    if buffer.isFull {
      let limit = URLSessionAdapter.maximumUnread
      fail(error(.bodyTooLarge, "the reader is \(limit) bytes behind a server that URLSession cannot slow down"))
    }
    queue.async { self.take(data) }
  }

  func sent(_ total: Int64) {
    state.withLock { $0.lastActivity = .now }
    queue.async { self.reportSent(total) }
  }

  func completed(_ error: (any Error)?, response: URLResponse?) {
    state.withLock { $0.mayCancel = false }
    queue.async { self.complete(error, response as? HTTPURLResponse) }
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
      state.withLock { state in
        state.head = head
        state.firstByte = .now - state.started
        state.contentLength = head.contentLength
      }
      try request.options.onHead?(head.parsed)
    } catch {
      return fail((error as? HTTPURLResponse.Problem).map { self.error($0.code, $0.message) } ?? error)
    }
    let waiter = state.withLock { state in
      state.isHeadReady = true
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    waiter?.resume()
  }

  private func take(_ data: Data) {
    let progress: TransferProgress? = state.withLock { state in
      guard state.outcome == nil else { return nil }
      state.received += Int64(data.count)
      return TransferProgress(bytes: state.received, total: state.contentLength)
    }
    guard let progress else { return }
    request.options.onDownloadProgress?(progress)
    _ = buffer.publish([data])
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

  private func end(_ outcome: Result<Void, any Error>) {
    let first: State? = state.withLock { state in
      guard state.outcome == nil else { return nil }
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
    ending.set(trailers: [:], metrics: metrics)
    buffer.finish(outcome)
    switch outcome {
    case .success: first.headWaiter?.resume()
    case .failure(let error):
      first.headWaiter?.resume(throwing: error)
      cancelTask()
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
        if case .failure(let error) = state.outcome, error is CancellationError || !state.isHeadReady { return state.outcome }
        if state.isHeadReady || state.outcome != nil { return .success(()) }
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

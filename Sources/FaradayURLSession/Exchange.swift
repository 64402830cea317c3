internal import FaradayCore
internal import Foundation
internal import Synchronization
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// One request on its way over a URLSession: what has come of it, who waits for it, and its one outcome.
///
/// URLSession tells on the session's delegate queue; the caller's task takes the body out of a buffer in between.
final class Exchange: Sendable {
  let request: Request
  let buffer = ReceiveBuffer(size: URLSessionAdapter.maximumUnread)
  let ending = Response.Ending()
  let state: Mutex<State>

  /// What changes. Nothing is called while it is locked but `cancel` and the refusal of a redirect, whose order matters.
  struct State {
    var task: URLSessionTask?
    var file: UploadFile?
    var producer: Task<Void, Never>?
    var watchdog: Task<Void, Never>?
    var head: HTTPURLResponse?
    /// Whether the caller has been told of the head, or of the end before one.
    var headWaiter: UnsafeContinuation<Void, any Error>?
    var outcome: Result<Void, any Error>?
    /// URLSession may not be told to cancel once it has completed, or begun to.
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

  // MARK: what URLSession tells

  func received(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse else { return }
    if (100..<200).contains(head.statusCode) && head.statusCode != 101 {
      state.withLock { $0.lastActivity = .now }
      request.options.onInformational?(head.parsed)
      return
    }
    do {
      try head.check(for: request)
      state.withLock { state in
        state.lastActivity = .now
        state.head = head
        state.firstByte = state.lastActivity - state.started
        state.contentLength = head.contentLength
      }
      try request.options.onHead?(head.parsed)
    } catch {
      return fail((error as? HTTPURLResponse.Problem).map { self.error($0.code, $0.message) } ?? error)
    }
    let waiter = state.withLock { state in
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    waiter?.resume()
  }

  func received(_ data: Data) {
    let progress: TransferProgress? = state.withLock { state in
      guard state.outcome == nil else { return nil }
      state.lastActivity = .now
      state.received += Int64(data.count)
      return TransferProgress(bytes: state.received, total: state.contentLength)
    }
    guard let progress else { return }
    buffer.received(data.count)
    _ = buffer.publish([data])
    request.options.onDownloadProgress?(progress)
    if buffer.isFull {
      let limit = URLSessionAdapter.maximumUnread
      fail(error(.bodyTooLarge, "the reader is \(limit) bytes behind a server that URLSession cannot slow down"))
    }
  }

  func sent(_ total: Int64) {
    let isNews = state.withLock { state in
      state.lastActivity = .now
      defer { state.sent = max(state.sent, total) }
      return state.outcome == nil && total > state.sent
    }
    guard isNews, let onUploadProgress = request.options.onUploadProgress else { return }
    onUploadProgress(TransferProgress(bytes: total, total: request.body.length))
  }

  func completed(_ error: (any Error)?, response: URLResponse?) {
    let hasHead = state.withLock { state in
      state.mayCancel = false
      return state.head != nil
    }
    if let error { return fail(failure(error)) }
    if !hasHead, let response {
      // A redirect that leads nowhere: URLSession keeps its body to itself.
      received(response)
      if let head = response as? HTTPURLResponse, head.contentLength != 0, request.method != .head {
        return fail(self.error(.unsupported, "URLSessionAdapter: URLSession drops the body of a redirect without Location"))
      }
    }
    end(.success(()))
  }

  func refuseRedirect(_ refuse: () -> Void) {
    // Refusing one whose task has been cancelled ends the process (Foundation of Swift 6.3).
    state.withLock { if $0.mayCancel { refuse() } }
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
    state.withLock { state in
      guard state.mayCancel, let task = state.task else { return }
      state.mayCancel = false
      task.cancel()
    }
  }

  /// Waits for the head.
  func head() async throws -> HTTPURLResponse {
    try await withUnsafeThrowingContinuation { continuation in
      let known: Result<Void, any Error>? = state.withLock { state in
        if case .failure = state.outcome { return state.outcome }
        if state.head != nil { return .success(()) }
        if state.outcome != nil { return state.outcome }
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

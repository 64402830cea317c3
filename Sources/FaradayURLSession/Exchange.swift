internal import Dispatch
@_spi(Adapters) internal import FaradayCore
internal import Foundation
internal import Synchronization
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// One request while URLSession performs it: its task, state, waiting caller, response stream and outcome. Thread-safe.
///
/// URLSession calls its delegate on a queue that must not be blocked, and on which no task may be cancelled (deadlock). On that
/// queue the exchange only counts and stores bytes. Everything else, including callbacks, runs on the exchange's own queue.
final class Exchange: Sendable {
  let request: Request
  /// The origin, which limits concurrent requests.
  let origin: String
  let stream: ResponseStream
  let session: Session
  /// The received bytes that are not in the stream yet.
  private let unread: UnreadBytes
  private let urlRequest: URLRequest
  private let callbacks = DispatchQueue(label: "faraday-urlsession")
  let state: Mutex<State>

  /// The mutable state. No other code is called while it is locked.
  struct State {
    var task: URLSessionTask?
    var file: UploadFile?
    var producer: Task<Void, Never>?
    var watchdog: Task<Void, Never>?
    /// The time at which the exchange was queued; nil before, and once it has a task.
    var waitsSince: ContinuousClock.Instant?
    /// Whether the exchange has a slot of ``RequestQueue``, which it must release.
    var hasSlot = false
    var head: HTTPURLResponse?
    var headWaiter: UnsafeContinuation<Void, any Error>?
    var outcome: Result<Void, any Error>?
    /// The time at which the exchange ended.
    var ended: ContinuousClock.Instant?
    /// Whether the task may be cancelled: only once, not before the task exists, and not after it has completed.
    var mayCancel = false
    var started = ContinuousClock.now
    var lastActivity = ContinuousClock.now
    var firstByte: Duration?
    var sent: Int64 = 0
    var received: Int64 = 0
    /// Whether the stream has no room for more.
    var isPaused = false
  }

  init(_ checked: CheckedRequest, over session: Session) {
    request = checked.request
    origin = checked.target.origin
    urlRequest = URLRequest(checked)
    self.session = session
    stream = ResponseStream()
    unread = UnreadBytes(limit: session.maximumUnread)
    state = Mutex(State())
  }

  func start() {
    guard session.exchanges.begin(self) else { return fail(error(.shuttingDown, Draining.refusal, phase: .building)) }
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
      // The exchange may have been cancelled in the meantime.
      if state.outcome != nil { producer.cancel() }
    }
  }

  // MARK: the request queue

  /// Enters the request queue.
  private func queue(_ file: UploadFile?) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      state.waitsSince = .now
      // Not an empty file: Foundation would wait forever for its first byte.
      if let file, !file.isEmpty { state.file = file }
    }
    watch()
    session.queue.enter(self)
  }

  /// Starts the URLSession task in a slot of the queue. Returns false if the exchange has already ended and does not use the
  /// slot.
  func begin() -> Bool {
    let (isActive, file) = state.withLock { state -> (Bool, UploadFile?) in
      guard state.outcome == nil else { return (false, nil) }
      state.hasSlot = true
      return (true, state.file)
    }
    if isActive { resume(session.task(urlRequest, for: request, file: file)) }
    return isActive
  }

  private func resume(_ task: URLSessionTask) {
    SessionDelegate.shared.add(self, for: task)
    let isActive = state.withLock { state in
      guard state.outcome == nil else { return false }
      state.task = task
      state.waitsSince = nil
      state.mayCancel = true
      state.lastActivity = .now
      return true
    }
    if isActive { task.resume() } else { task.cancel() }
  }

  var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  // MARK: delegate calls, on URLSession's queue

  func received(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse else { return }
    state.withLock { $0.lastActivity = .now }
    callbacks.async { self.take(head) }
  }

  func received(_ data: Data) {
    let isActive = state.withLock { state in
      state.lastActivity = .now
      guard state.outcome == nil else { return false }
      state.received += Int64(data.count)
      return true
    }
    guard isActive else { return }
    session.exchanges.bytesReceived.wrappingAdd(Int64(data.count), ordering: .relaxed)
    do {
      try unread.append(data)
    } catch {
      // The reader gets the bytes before the failure.
      end(.failure(unreadFailure(error)))
      return
    }
    callbacks.async { self.deliver() }
  }

  private func unreadFailure(_ error: any Error) -> any Error {
    guard error is UnreadBytes.Full else { return self.error(.engineFailed, "\(error)") }
    return self.error(
      .bodyTooLarge,
      "more than \(session.maximumUnread) bytes of the body are unread, and URLSession has no backpressure: read faster, "
        + "allow more (maximumUnread), or use CurlAdapter")
  }

  func sent(_ total: Int64) {
    state.withLock { $0.lastActivity = .now }
    callbacks.async { self.reportSent(total) }
  }

  func completed(_ error: (any Error)?, response: URLResponse?) {
    state.withLock { $0.mayCancel = false }
    callbacks.async { self.complete(error, response as? HTTPURLResponse) }
  }

  /// Whether a redirect may be refused. Refusing it while the task is being cancelled crashes the process (Foundation of Swift
  /// 6.3).
  var mayRefuseRedirect: Bool { state.withLock { $0.mayCancel } }

  // MARK: on the exchange's queue

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

  /// Passes received bytes to the reader while it has room, and then the outcome.
  private func deliver() {
    do {
      while let flow = try write() {
        guard flow != .stop else { return drop(CancellationError()) }
      }
    } catch {
      return drop(unreadFailure(error))
    }
    if unread.isEmpty, let outcome = state.withLock({ $0.outcome }) { endStream(outcome) }
  }

  /// Passes the next piece to the reader, or flushes earlier pieces. Returns nil if there are no bytes, or no room.
  private func write() throws -> ResponseStream.Answer? {
    if !state.withLock({ $0.isPaused }), let piece = try unread.take() {
      let answer = stream.write(piece)
      if answer == .pause { state.withLock { $0.isPaused = true } }
      return answer
    }
    switch stream.flush() {
    case .stop: return .stop
    case .pause: return nil
    case .more:
      // The reader may have made room in the meantime.
      return state.withLock { state in
        defer { state.isPaused = false }
        return state.isPaused ? .more : nil
      }
    }
  }

  /// Drops the rest of the body.
  private func drop(_ error: any Error) {
    unread.discard()
    if !end(.failure(error), dropsUnread: true) { stream.fail(error, metrics: metrics) }
  }

  /// The body of the response.
  func body(length: Int64?) -> Body {
    stream.body(length: length) {
      self.callbacks.async {
        self.state.withLock { $0.isPaused = false }
        self.deliver()
      }
    } onUnwanted: {
      self.fail(CancellationError())
      self.callbacks.async { self.drop(CancellationError()) }
    }
  }

  private func reportSent(_ total: Int64) {
    let (isNews, count) = state.withLock { state in
      let count = max(0, total - state.sent)
      state.sent += count
      return (state.outcome == nil && count > 0, count)
    }
    session.exchanges.bytesSent.wrappingAdd(count, ordering: .relaxed)
    if isNews { request.options.onUploadProgress?(TransferProgress(bytes: total, total: request.body.length)) }
  }

  private func complete(_ error: (any Error)?, _ response: HTTPURLResponse?) {
    if let error {
      end(.failure(failure(error)))
      return
    }
    if let response, state.withLock({ $0.head == nil }) {
      // A redirect without Location: URLSession does not deliver its body.
      take(response)
      if response.contentLength != 0, request.method != .head {
        return fail(self.error(.unsupported, "URLSessionAdapter: URLSession drops the body of a redirect without Location"))
      }
    }
    guard state.withLock({ $0.head != nil }) else {
      return fail(self.error(.malformedResponse, "URLSession has ended the task without a response"))
    }
    end(.success(()))
  }

  // MARK: the outcome

  /// Fails the exchange and cancels the task, unless the exchange has ended. Unread bytes are dropped.
  func fail(_ error: any Error) { end(.failure(error), dropsUnread: true) }

  /// Fails the exchange because the adapter is shut down. Returns false if the exchange has already ended.
  ///
  /// - Parameter onlyQueued: whether to skip an exchange that has started.
  func cut(onlyQueued: Bool = false) -> Bool {
    end(.failure(error(.shuttingDown, Draining.cutting)), dropsUnread: true) { !onlyQueued || !$0.hasSlot }
  }

  /// Fails the exchange if it is still waiting in the queue.
  func failQueued(_ error: any Error) { end(.failure(error)) { !$0.hasSlot } }

  @discardableResult
  private func end(
    _ outcome: Result<Void, any Error>, dropsUnread: Bool = false, if mayEnd: (State) -> Bool = { _ in true }
  ) -> Bool {
    let first: State? = state.withLock { state in
      guard state.outcome == nil, mayEnd(state) else { return nil }
      state.outcome = outcome
      state.ended = .now
      defer {
        state.headWaiter = nil
        state.file = nil
      }
      return state
    }
    guard let first else { return false }
    defer { session.exchanges.end(self, outcome) }
    first.watchdog?.cancel()
    first.producer?.cancel()
    if first.hasSlot { session.queue.leave(origin) } else if first.waitsSince != nil { session.queue.noteCancelled(origin) }
    switch outcome {
    case .success:
      deliver()
      first.headWaiter?.resume()
    case .failure(let error):
      if dropsUnread { unread.discard() }
      callbacks.async { self.deliver() }
      first.headWaiter?.resume(throwing: error)
      cancelTask()
    }
    return true
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
    // Cancelling blocks on URLSession's queue, which may be the current queue (deadlock).
    if let task { DispatchQueue.global().async { task.cancel() } }
  }
}

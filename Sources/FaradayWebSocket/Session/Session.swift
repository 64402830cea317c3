internal import FaradayCore
internal import Synchronization

/// An open WebSocket: the task that reads the connection, the keepalive, and the closing handshake. Thread-safe.
///
/// The task keeps the session alive, and the ``WebSocket`` ends the task when it is released.
final class Session: Sendable {
  private struct State {
    /// The number of pieces that were received.
    var received = 0
    /// Whether the server may send more messages.
    var isReading = true
    var closure: WebSocket.Closure?
    var hasEnded = false
    var pings: [Data: CheckedContinuation<Void, any Error>] = [:]
    var lastPing: UInt64 = 0
    var closers: [CheckedContinuation<Void, Never>] = []
    var tasks: [Task<Void, Never>] = []
    /// The end of the closing handshake.
    var deadline: Task<Void, Never>?

    var isClosing: Bool { deadline != nil }
  }

  let outbox: Outbox
  let inbox: Inbox
  let request: RequestSummary
  private let configuration: WebSocket.Configuration
  private let state = Mutex(State())

  init(_ outbox: Outbox, _ configuration: WebSocket.Configuration, _ request: RequestSummary) {
    self.outbox = outbox
    self.request = request
    self.configuration = configuration
    inbox = Inbox(maximumCount: configuration.maximumWaitingMessages, maximumSize: configuration.maximumMessageSize)
  }

  /// The server's close frame, if it has arrived.
  var closure: WebSocket.Closure? { state.withLock { $0.closure } }

  func error(_ reason: WebSocketError.Reason) -> WebSocketError { WebSocketError(reason, request: request) }

  // MARK: tasks

  /// Starts to read the connection.
  func start(reading body: Body, _ compression: Compression?) {
    let reader = Task { await read(body, compression) }
    let keeper = configuration.pingInterval.map { interval in Task { await keepAlive(interval) } }
    state.withLock { $0.tasks = [reader] + (keeper.map { [$0] } ?? []) }
  }

  /// Ends the session of a socket that was released: at once, unless the closing handshake has begun. That ends it soon.
  func release() {
    if isReading, !state.withLock({ $0.isClosing }) { abort() }
  }

  /// Closes the connection at once, without a closing handshake.
  private func abort() {
    let tasks = state.withLock { $0.tasks + ($0.deadline.map { [$0] } ?? []) }
    for task in tasks { task.cancel() }
  }

  private func read(_ body: Body, _ compression: Compression?) async {
    var decoder = MessageDecoder(limit: configuration.maximumMessageSize, inflation: compression?.inflation)
    do {
      for try await piece in body {
        state.withLock { $0.received += 1 }
        // After a close frame or a violation, nothing is read but the end of the connection.
        guard isReading else { continue }
        do throws(Violation) {
          decoder.append(piece)
          while isReading, let event = try decoder.next() { await take(event) }
        } catch {
          refuse(error)
        }
      }
      end(error(.interrupted))
    } catch {
      end(Task.isCancelled ? self.error(.notOpen) : error)
    }
  }

  private var isReading: Bool { state.withLock { $0.isReading } }

  private func take(_ event: MessageDecoder.Event) async {
    switch event {
    case .message(let message): await inbox.put(message)
    case .ping(let payload): outbox.pong(payload)
    case .pong(let payload): state.withLock { $0.pings.removeValue(forKey: payload) }?.resume()
    case .close(let code, let reason):
      let closure = WebSocket.Closure(code: code, reason: reason)
      state.withLock { ($0.closure, $0.isReading) = (closure, false) }
      outbox.close(code, "")
      limitClosing()
      // The server closes the connection (RFC 6455, section 7.1.1). Nobody waits for that.
      inbox.end(problem(closure))
      resumeWaiting()
    }
  }

  /// The error of a closing by the server; nil if it is a normal end.
  private func problem(_ closure: WebSocket.Closure) -> (any Error)? {
    [nil, .normal, .goingAway].contains(closure.code) ? nil : error(.closed(closure))
  }

  /// Closes the connection after a violation.
  private func refuse(_ violation: Violation) {
    state.withLock { $0.isReading = false }
    outbox.close(violation.code, violation.problem)
    limitClosing()
    inbox.end(error(.violation(violation.code, violation.problem)))
    resumeWaiting()
  }

  /// Ends the session: readers, senders and pings are told. An error has an effect only if the messages have not ended yet.
  private func end(_ error: (any Error)?) {
    state.withLock { $0.hasEnded = true }
    inbox.end(error)
    outbox.end()
    resumeWaiting()
    abort()
  }

  /// Tells the tasks that wait for a pong that none will come, and at the end those that wait for it.
  private func resumeWaiting() {
    let (pings, closers) = state.withLock { state in
      let waiting = (Array(state.pings.values), state.hasEnded ? state.closers : [])
      state.pings = [:]
      if state.hasEnded { state.closers = [] }
      return waiting
    }
    for ping in pings { ping.resume(throwing: error(.notOpen)) }
    for closer in closers { closer.resume() }
  }

  // MARK: pings

  /// Sends a ping, and waits for its pong.
  func ping() async throws {
    let payload = state.withLock { state -> Data in
      state.lastPing += 1
      return withUnsafeBytes(of: state.lastPing.bigEndian) { Data($0) }
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isOpen = state.withLock { state in
          guard !state.hasEnded, state.isReading, !Task.isCancelled else { return false }
          state.pings[payload] = continuation
          return true
        }
        guard isOpen else {
          return continuation.resume(throwing: Task.isCancelled ? CancellationError() : error(.notOpen))
        }
        do { try outbox.ping(payload) } catch {
          state.withLock { $0.pings.removeValue(forKey: payload) }?.resume(throwing: self.error(.notOpen))
        }
      }
    } onCancel: {
      state.withLock { $0.pings.removeValue(forKey: payload) }?.resume(throwing: CancellationError())
    }
  }

  /// Sends pings, and ends the session if the server sends nothing after one of them.
  private func keepAlive(_ interval: Duration) async {
    while true {
      do {
        try await configuration.clock.sleep(for: interval)
        let received = state.withLock { $0.received }
        try outbox.ping(Data())
        try await configuration.clock.sleep(for: configuration.pingTimeout)
        // While the reader waits for room, it does not see what the server has sent, nor the end of the connection. Then the
        // transport shows whether the server is alive: it takes the bytes to send.
        guard received == state.withLock({ $0.received }), !inbox.isFull || outbox.hasBytes else { continue }
        return end(error(.pingTimeout))
      } catch {
        return
      }
    }
  }

  // MARK: closing

  /// Sends a close frame, and waits until the server has answered it and closed the connection, at most for the configured time.
  func close(_ code: WebSocket.CloseCode, _ reason: String) async {
    outbox.close(code, reason)
    limitClosing()
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard !state.hasEnded else { return true }
        state.closers.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Ends the session after a while, if the server does not close the connection.
  func limitClosing() {
    state.withLock { state in
      guard state.deadline == nil, !state.hasEnded else { return }
      state.deadline = Task {
        try? await configuration.clock.sleep(for: configuration.closeTimeout)
        if !Task.isCancelled { end(closure.flatMap(problem)) }
      }
    }
  }
}

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
    /// The code with which the application has closed the socket; nil if it has not. From then on the end of the connection is no
    /// error.
    var sentCode: WebSocket.CloseCode?
    var hasEnded = false
    /// The number of the latest ping, which is its payload.
    var lastPing: UInt64 = 0
    /// The number of the latest task that has called `ping()`.
    var lastCaller = 0
    /// The tasks that wait for a pong, with the numbers of their pings.
    var pings: [Int: (number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var closers: [CheckedContinuation<Void, Never>] = []
    var tasks: [Task<Void, Never>] = []
    /// The end of the closing handshake.
    var deadline: Task<Void, Never>?

    var isClosing: Bool { deadline != nil }
  }

  /// What has passed at the time of a ping.
  private struct Progress {
    let received, read, sent: Int
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

  /// Whether the application has closed the socket.
  var isClosedLocally: Bool { state.withLock { $0.sentCode != nil } }

  func error(_ reason: WebSocketError.Reason) -> WebSocketError { WebSocketError(reason, request: request) }

  // MARK: tasks

  /// Starts to read the connection.
  func start(reading body: Body, _ compression: Compression?) {
    let reader = Task { await read(body, compression) }
    let keeper = configuration.pingInterval.map { interval in Task { await keepAlive(interval) } }
    let hasEnded = state.withLock { state in
      state.tasks = [reader] + (keeper.map { [$0] } ?? [])
      return state.hasEnded
    }
    if hasEnded { cancelTasks() }
  }

  /// Ends the session of a socket that was released: at once, unless the closing handshake has begun. That ends it soon.
  func release() {
    if !state.withLock({ $0.isClosing }) { end(nil) }
  }

  private func cancelTasks() {
    let tasks = state.withLock { $0.tasks + ($0.deadline.map { [$0] } ?? []) }
    for task in tasks { task.cancel() }
  }

  private func read(_ body: Body, _ compression: Compression?) async {
    var decoder = MessageDecoder(limit: configuration.maximumMessageSize, inflation: compression?.inflation)
    do {
      for try await piece in body {
        guard !Task.isCancelled else { break }
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
    case .pong(let payload): takePong(payload)
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

  /// The error of a close frame of the server; nil if it is a normal end, or answers the application's close frame.
  private func problem(_ closure: WebSocket.Closure) -> (any Error)? {
    guard let code = closure.code, code != .normal, code != .goingAway, code != state.withLock({ $0.sentCode }) else {
      return nil
    }
    return error(.closed(closure))
  }

  /// Closes the connection after a violation.
  private func refuse(_ violation: Violation) {
    state.withLock { $0.isReading = false }
    outbox.close(violation.code, violation.problem)
    limitClosing()
    inbox.end(error(.violation(violation.code, violation.problem)))
    resumeWaiting()
  }

  /// Ends the session and its connection: readers, senders and pings are told. The error has an effect only if the messages have
  /// not ended yet, and the application has not closed the socket.
  private func end(_ error: (any Error)?) {
    let isExpected = state.withLock { state in
      (state.hasEnded, state.isReading) = (true, false)
      return state.sentCode != nil
    }
    inbox.end(isExpected ? nil : error)
    outbox.end()
    resumeWaiting()
    cancelTasks()
  }

  /// Tells the tasks that wait for a pong that none will come, and at the end those that wait for it.
  private func resumeWaiting() {
    let (pings, closers) = state.withLock { state in
      let waiting = (Array(state.pings.values), state.hasEnded ? state.closers : [])
      state.pings = [:]
      if state.hasEnded { state.closers = [] }
      return waiting
    }
    for ping in pings { ping.continuation.resume(throwing: error(.notOpen)) }
    for closer in closers { closer.resume() }
  }

  // MARK: pings

  /// Sends a ping, and waits for its pong, at most for the configured time.
  func ping() async throws {
    let caller = state.withLock { state in
      state.lastCaller += 1
      return state.lastCaller
    }
    let limit = Task {
      try await configuration.clock.sleep(for: configuration.pingTimeout.withinClocks)
      stopWaiting(caller, error(.pingTimeout))
    }
    defer { limit.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let problem: (any Error)? = state.withLock { state in
          guard !Task.isCancelled else { return CancellationError() }
          guard !state.hasEnded, state.isReading, let number = try? sendPing(&state) else { return error(.notOpen) }
          state.pings[caller] = (number, continuation)
          return nil
        }
        if let problem { continuation.resume(throwing: problem) }
      }
    } onCancel: {
      stopWaiting(caller, CancellationError())
    }
  }

  private func stopWaiting(_ caller: Int, _ error: any Error) {
    state.withLock { $0.pings.removeValue(forKey: caller) }?.continuation.resume(throwing: error)
  }

  /// Sends a ping and returns its number. The lock keeps the frames in the order of their numbers: a server can answer only the
  /// latest ping.
  private func sendPing(_ state: inout State) throws -> UInt64 {
    state.lastPing += 1
    try outbox.ping(Self.payload(state.lastPing))
    return state.lastPing
  }

  private static func payload(_ number: UInt64) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }

  /// Takes a pong. It answers all earlier pings too (RFC 6455, section 5.5.3).
  private func takePong(_ payload: Data) {
    guard payload.count == 8 else { return }
    let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let answered = state.withLock { state in
      guard number <= state.lastPing else { return [CheckedContinuation<Void, any Error>]() }
      let waiting = state.pings.filter { $0.value.number <= number }
      for caller in waiting.keys { state.pings[caller] = nil }
      return waiting.values.map(\.continuation)
    }
    for ping in answered { ping.resume() }
  }

  /// Sends pings, and ends the session if the server sends nothing after one of them.
  private func keepAlive(_ interval: Duration) async {
    var wait = interval.withinClocks
    while true {
      do {
        try await configuration.clock.sleep(for: wait)
        let before = Progress(received: state.withLock { $0.received }, read: inbox.takenCount, sent: outbox.takenCount)
        _ = try state.withLock { try sendPing(&$0) }
        let timeout = configuration.pingTimeout.withinClocks
        try await configuration.clock.sleep(for: timeout)
        wait = max(.zero, interval.withinClocks - timeout)
        // While messages wait for a reader, nothing of the server is seen, nor the end of the connection. Then the transport shows
        // whether the server is alive: it takes the bytes to send.
        guard before.received == state.withLock({ $0.received }), before.read == inbox.takenCount else { continue }
        if inbox.isFull, before.sent != outbox.takenCount || !outbox.hasBytes { continue }
        return end(error(.pingTimeout))
      } catch {
        return
      }
    }
  }

  // MARK: closing

  /// Sends a close frame, and waits until the server has answered it and closed the connection, at most for the configured time.
  func close(_ code: WebSocket.CloseCode, _ reason: String) async {
    state.withLock { $0.sentCode = $0.sentCode ?? code }
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
        try? await configuration.clock.sleep(for: configuration.closeTimeout.withinClocks)
        if !Task.isCancelled { end(error(.interrupted)) }
      }
    }
  }
}

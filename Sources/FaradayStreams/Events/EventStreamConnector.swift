internal import FaradayCore

/// Sends the request of an event stream, and repeats it by its reconnection policy.
struct EventStreamConnector {
  private let connection: Connection
  private let request: Request
  private let policy: EventStream.Reconnection
  /// The number of attempts in a row that opened no stream.
  private var failures = 0
  /// The number of reconnections since the last event.
  private var reconnections = 0
  /// Whether the open stream has had an event.
  private var hasEvents = false

  /// - Parameter policy: nil means automatic for an idempotent method with a body that can be sent again, and never otherwise.
  init(_ connection: Connection, _ request: Request, _ policy: EventStream.Reconnection?) throws {
    guard request.options.onChunk == nil else {
      throw TransportError(.invalidOption, building: request, "onChunk would take the bytes of the event stream")
    }
    let isReplayable = request.body.isReplayable
    if let policy, policy.isAutomatic, !isReplayable {
      throw TransportError(
        .bodyNotReplayable, building: request,
        "an event stream that reconnects sends its body again, and it can be read only once")
    }
    self.connection = connection
    self.request = request
    self.policy = policy ?? (request.method.isIdempotent && isReplayable ? .automatic : .never)
  }

  /// Records that an event has arrived.
  mutating func eventArrived() {
    reconnections = 0
    hasEvents = true
  }

  /// Opens the stream after this event, and retries by the policy. Returns nil if the server ends the stream (204).
  mutating func open(after lastEventID: String, retry: Duration?) async throws -> Response? {
    while true {
      do {
        let response = try await connection.send(request(after: lastEventID))
        guard response.status != .noContent else { return nil }
        guard response.status == .ok else { throw StatusError(response, to: request) }
        try response.checkIsEventStream()
        (failures, hasEvents) = (0, false)
        return response
      } catch {
        guard try await tries(after: error, retry, lastEventID) else {
          throw try await (error as? StatusError)?.withBody() ?? error
        }
      }
    }
  }

  /// Waits after a stream that has ended, or failed with the error. Returns whether it must be reopened. Throws the error if it
  /// must not be.
  mutating func waits(after error: (any Error)?, retry: Duration?, lastEventID: String) async throws -> Bool {
    guard policy.isAutomatic, error.map(mayPass) ?? true else {
      if let error { throw error }
      return false
    }
    try await pause(after: error, policy.delay(reconnections: reconnections, retry: retry, retryAfter: nil), lastEventID)
    return true
  }

  /// Whether a stream that failed with the error may reconnect.
  private func mayPass(_ error: any Error) -> Bool {
    if error.countsAsTransient { return true }
    // A content coding has limits for one body, and a long stream may exceed them.
    let code = (error as? TransportError)?.code
    return hasEvents && (code == .decompressionLimit || code == .decompressionFailed)
  }

  /// Waits after a failed attempt. Returns whether another attempt follows.
  private mutating func tries(after error: any Error, _ retry: Duration?, _ lastEventID: String) async throws -> Bool {
    guard policy.isAutomatic, failures < policy.limit,
      let reopening = Reopening(after: error, maximumRetryAfter: policy.maximumRetryAfter, now: policy.now)
    else { return false }
    await (error as? StatusError)?.response.body.discard()
    failures += 1
    let delay = policy.delay(reconnections: reconnections, retry: retry, retryAfter: reopening.retryAfter)
    try await pause(after: error, delay, lastEventID)
    return true
  }

  private mutating func pause(after error: (any Error)?, _ delay: Duration, _ lastEventID: String) async throws {
    try Task.checkCancellation()
    await policy.onReconnect?(
      EventStream.Interruption(error: error, delay: delay, reconnections: reconnections, lastEventID: lastEventID))
    reconnections += 1
    try await policy.clock.sleep(for: delay)
  }

  private func request(after lastEventID: String) -> Request {
    var request = request
    // The bytes are sent unchanged, in UTF-8 (WHATWG HTML, section 9.2.3). Setting the text would replace control characters
    // with spaces.
    let field = HTTPField(name: .lastEventID, lenientValue: Array(lastEventID.utf8))
    request.headers[fields: .lastEventID] = lastEventID.isEmpty ? [] : [field]
    return request
  }
}

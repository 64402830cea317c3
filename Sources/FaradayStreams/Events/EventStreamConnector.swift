internal import FaradayCore

/// Sends the request of an event stream, as often as its reconnection policy has it.
struct EventStreamConnector {
  private let connection: Connection
  private let request: Request
  private let policy: EventStream.Reconnection
  /// Attempts in a row that have opened no stream.
  private var failures = 0
  /// Reconnections since the last event.
  private var reconnections = 0
  /// Whether the stream that is open has brought an event.
  private var hasEvents = false

  /// - Parameter policy: nil is automatic for an idempotent method with a body that can be sent again, and never for others.
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

  /// An event has arrived.
  mutating func eventArrived() {
    reconnections = 0
    hasEvents = true
  }

  /// Opens the stream behind this event, and tries again as the policy says. Nil if the server says that there is none any more
  /// (204).
  mutating func open(after lastEventID: String, retry: Duration?) async throws -> Response? {
    while true {
      do {
        let response = try await connection.run(request(after: lastEventID))
        guard response.status != .noContent else { return nil }
        guard response.status == .ok else { throw UnexpectedStatus(response, to: request) }
        try response.checkIsEventStream()
        (failures, hasEvents) = (0, false)
        return response
      } catch {
        guard try await tries(after: error, retry, lastEventID) else {
          throw try await (error as? UnexpectedStatus)?.collected() ?? error
        }
      }
    }
  }

  /// Waits after a stream that has ended, or broken off with the error. Returns whether it is to be opened again; throws the
  /// error if it is not.
  mutating func waits(after error: (any Error)?, retry: Duration?, lastEventID: String) async throws -> Bool {
    guard policy.isAutomatic, error.map(mayPass) ?? true else {
      if let error { throw error }
      return false
    }
    try await pause(after: error, policy.delay(reconnections: reconnections, retry: retry, retryAfter: nil), lastEventID)
    return true
  }

  /// Whether a stream that has broken off with the error may go on.
  private func mayPass(_ error: any Error) -> Bool {
    if error.isTransient { return true }
    // A coding has limits for a body, and a stream may come to have more.
    let code = (error as? TransportError)?.code
    return hasEvents && (code == .decompressionLimit || code == .decompressionFailed)
  }

  /// Waits after an attempt that has failed. Returns whether there is to be another.
  private mutating func tries(after error: any Error, _ retry: Duration?, _ lastEventID: String) async throws -> Bool {
    guard policy.isAutomatic, failures < policy.limit else { return false }
    var retryAfter: Duration?
    if let status = error as? UnexpectedStatus {
      guard status.status.code == 429 || status.status.kind == .serverError else { return false }
      retryAfter = status.response.headers.retryAfter(now: policy.now)
      guard retryAfter ?? .zero <= policy.maximumRetryAfter else { return false }
      await status.response.body.discard()
    } else {
      guard error.isTransient else { return false }
    }
    failures += 1
    try await pause(after: error, policy.delay(reconnections: reconnections, retry: retry, retryAfter: retryAfter), lastEventID)
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
    // As it came, in UTF-8 (WHATWG HTML, section 9.2.3). Setting the text would make spaces of control characters.
    let field = HTTPField(name: .lastEventID, lenientValue: Array(lastEventID.utf8))
    request.headers[fields: .lastEventID] = lastEventID.isEmpty ? [] : [field]
    return request
  }
}

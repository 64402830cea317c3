@_spi(Adapters) internal import FaradayCore

/// The times from which a transfer's timeouts are measured: its submission, its start, and its last activity. In nanoseconds of
/// `Clock`.
struct Activity {
  /// The interval at which the connection is checked after an early response, in nanoseconds.
  private static let serverCheckInterval: Int64 = 50_000_000

  let submitted: Int64
  /// The time at which the transfer first entered the request queue; 0 before.
  private(set) var queued: Int64 = 0
  /// The time at which the transfer left the request queue; 0 before.
  private(set) var activated: Int64 = 0
  /// The time at which libcurl last sent or received bytes for the transfer, or the transfer last waited for the caller.
  private(set) var last: Int64 = 0
  /// The activity that libcurl does not report.
  private var wire = WireActivity()
  /// The time of the next check whether the server has closed the connection: see ``Exchange``, "Early responses".
  private var nextServerCheck = Int64.max

  init(submitted: Int64) { self.submitted = submitted }

  mutating func enterQueue(at now: Int64) {
    if queued == 0 { queued = now }
  }

  var timeInQueue: Duration { queued > 0 ? .nanoseconds(max(0, activated - queued)) : .zero }

  mutating func begin(at now: Int64) {
    activated = now
    last = now
  }

  /// The start of the attempt, or of its last leg: libcurl's times count from then.
  func began(_ attempt: Attempt) -> Int64 { attempt.began > 0 ? attempt.began : activated }

  mutating func note(_ now: Int64) { last = now }

  /// Stores the kernel's count of the connection's bytes; nil if there is none.
  mutating func checkWire(_ count: Int64?, at now: Int64) { wire.checked(count, at: now) }

  /// Begins to check the connection. Returns false if the checks have already begun.
  mutating func beginServerChecks(at now: Int64) -> Bool {
    guard nextServerCheck == .max else { return false }
    nextServerCheck = now + Self.serverCheckInterval
    return true
  }

  mutating func isServerCheckDue(at now: Int64) -> Bool {
    guard nextServerCheck <= now else { return false }
    nextServerCheck = now + Self.serverCheckInterval
    return true
  }

  // MARK: deadlines

  func totalDeadline(_ timeouts: Timeouts) -> Int64 { timeouts.total.map { submitted + $0.nanoseconds } ?? .max }

  /// The next deadline of a transfer in the request queue.
  func queueDeadline(_ timeouts: Timeouts) -> Int64 {
    min(totalDeadline(timeouts), timeouts.queue.map { queued + $0.nanoseconds } ?? .max)
  }

  /// The next deadline of an active transfer.
  func deadline(_ timeouts: Timeouts) -> Int64 {
    let next = min(totalDeadline(timeouts), nextServerCheck)
    guard let idle = timeouts.idle else { return next }
    return min(next, wire.nextCheck(lastActivity: last, limit: idle.nanoseconds))
  }

  func hasTotalExpired(_ timeouts: Timeouts, at now: Int64) -> Bool { totalDeadline(timeouts) <= now }

  func hasQueueExpired(_ limit: Duration, at now: Int64) -> Bool { queued + limit.nanoseconds <= now }

  func isIdle(for limit: Duration, at now: Int64) -> Bool { wire.idleSince(lastActivity: last) + limit.nanoseconds <= now }
}

/// The activity of a connection that libcurl does not report, from the kernel's count of its bytes. The count is read at least
/// every quarter of the idle timeout, so that the timeout fires at most a quarter late. All times are nanoseconds.
struct WireActivity {
  private var bytes: Int64 = 0
  private var checked: Int64 = 0
  /// The time at which the count was first read with its present value.
  private var changed: Int64 = 0

  /// The time from which the idle timeout counts.
  ///
  /// - Parameter lastActivity: the time at which libcurl last sent or received bytes.
  func idleSince(lastActivity: Int64) -> Int64 { max(lastActivity, changed) }

  /// The time at which the idle timeout expires, or the count must be read again, even if there is no connection yet.
  func nextCheck(lastActivity: Int64, limit: Int64) -> Int64 {
    let since = idleSince(lastActivity: lastActivity)
    return min(since + limit, max(since, checked) + max(1, limit / 4))
  }

  /// Stores the count; nil if there is none.
  mutating func checked(_ count: Int64?, at now: Int64) {
    checked = now
    guard let count, count != bytes else { return }
    bytes = count
    changed = now
  }
}

/// The earliest timeout that applies to the current phase of an attempt. At a later check, the attempt may be in another phase
/// with a later timeout: a phase that has not begun cannot time out before a full timeout from now.
struct PhaseDeadline {
  /// The time of the timeout, in nanoseconds of `Clock`.
  private(set) var at = Int64.max
  private(set) var code: TransportError.Code?
  private var limit = Duration.zero

  /// - Parameters:
  ///   - activated: the time at which the transfer was started.
  ///   - awaitsFirstByte: whether no byte of the response has arrived.
  init(
    _ timeouts: Timeouts, of attempt: Attempt?, activated: Int64, awaitsFirstByte: Bool, isSecure: Bool, in sockets: Sockets?,
    now: Int64
  ) {
    if let limit = timeouts.totalExcludingQueue { consider(activated + limit.nanoseconds, .totalTimeout, limit) }
    let isReady = attempt?.isReady ?? false
    if let limit = timeouts.firstByte, awaitsFirstByte {
      consider((isReady ? attempt?.readyAt ?? now : now) + limit.nanoseconds, .firstByteTimeout, limit)
    }
    guard let attempt, let sockets, !isReady || timeouts.tls != nil && attempt.isInHandshake else { return }
    if let limit = timeouts.resolve, !isReady, attempt.isResolving {
      consider(max(activated, attempt.began) + limit.nanoseconds, .resolveTimeout, limit)
    }
    if let limit = timeouts.tls, isSecure {
      // libcurl does not report when TCP was connected, so the sockets are polled.
      if let connected = isReady ? attempt.readyAt : attempt.connectedSince(now, in: sockets) {
        consider(connected + limit.nanoseconds, .tlsTimeout, limit)
      } else {
        consider(now + max(limit.nanoseconds / 8, 1_000_000), .tlsTimeout, limit)
      }
    }
  }

  private mutating func consider(_ at: Int64, _ code: TransportError.Code, _ limit: Duration) {
    guard at < self.at else { return }
    (self.at, self.code, self.limit) = (at, code, limit)
  }

  var message: String {
    switch code {
    case .resolveTimeout: "the host name was not resolved within \(limit)"
    case .tlsTimeout: "the TLS handshake did not complete within \(limit)"
    case .firstByteTimeout: "no byte of the response arrived for \(limit)"
    default: "the exchange took longer than \(limit) from its start"
    }
  }
}

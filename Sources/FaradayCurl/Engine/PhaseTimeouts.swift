internal import CCurl
internal import FaradayCore

/// The timeouts of parts of an exchange.
extension Transfer {
  /// The earliest of them that applies now. When it is looked at later, the transfer may be in another phase, with a later one: a
  /// phase that has not begun cannot end sooner than a whole timeout from now.
  func phaseDeadline(_ timeouts: Timeouts, now: Int64 = Clock.now) -> PhaseDeadline {
    var next = PhaseDeadline()
    if let limit = timeouts.totalFromStart {
      next.consider(activated + limit.nanoseconds, .totalTimeout, limit)
    }
    if let limit = timeouts.firstByte, firstByte == 0 || isChallenge {
      let start = attempt.isReady ? attempt.readyAt : now
      next.consider(start + limit.nanoseconds, .firstByteTimeout, limit)
    }
    guard !attempt.isReady, let easy else { return next }
    if let limit = timeouts.resolve, attempt.openedSockets.isEmpty, easy.get(offset: CURLINFO_NAMELOOKUP_TIME_T) == 0 {
      next.consider(max(activated, attempt.began) + limit.nanoseconds, .resolveTimeout, limit)
    }
    if let limit = timeouts.tls, target.isSecure {
      // libcurl does not say when TCP was connected: that is looked at now and then.
      if attempt.connectedAt == 0, isConnected { attempt.connectedAt = now }
      let isConnected = attempt.connectedAt > 0
      let wait = isConnected ? limit.nanoseconds : max(limit.nanoseconds / 8, 1_000_000)
      next.consider((isConnected ? attempt.connectedAt : now) + wait, .tlsTimeout, limit)
    }
    return next
  }

  /// The error of the phase timeout that has expired; nil if none has.
  func phaseTimeout(_ timeouts: Timeouts, at now: Int64) -> TransportError? {
    let next = phaseDeadline(timeouts, now: now)
    guard next.at <= now, let code = next.code else { return nil }
    return error(code, next.message)
  }

  struct PhaseDeadline {
    private(set) var at = Int64.max
    private(set) var code: TransportError.Code?
    private var limit = Duration.zero

    fileprivate mutating func consider(_ at: Int64, _ code: TransportError.Code, _ limit: Duration) {
      guard at < self.at else { return }
      (self.at, self.code, self.limit) = (at, code, limit)
    }

    fileprivate var message: String {
      switch code {
      case .resolveTimeout: "the host name was not resolved within \(limit)"
      case .tlsTimeout: "the TLS handshake was not done within \(limit)"
      case .firstByteTimeout: "no byte of the response arrived for \(limit)"
      default: "the exchange took longer than \(limit) from its start"
      }
    }
  }
}

internal import CCurl
internal import FaradayCore

/// The events of an exchange, for `Configuration.onEvent`. Without it each costs a comparison.
extension Transfer {
  /// Reports a phase, which is reached now unless a time is given (in nanoseconds of `Clock`). Times never go back.
  func report(_ phase: ExchangeEvent.Phase, at time: Int64? = nil, error: (any Error)? = nil) {
    guard let onEvent = settings.onEvent else { return }
    let now = Clock.now
    lastEvent = max(lastEvent, min(time ?? now, now))
    let connection = attempt.connectionNumber.map {
      ExchangeEvent.Connection(id: $0, isReused: attempt.isReused, remoteAddress: attempt.addresses.remote)
    }
    onEvent(
      ExchangeEvent(
        exchange: number, phase: phase, time: .nanoseconds(lastEvent - submitted), method: request.method, origin: target.origin,
        connection: connection, status: parser.isComplete ? parser.status : nil, error: error))
    callbackReturned()
  }

  /// Reports a connection that is ready, and that the request is sent over next. libcurl tells only then when it was made.
  func reportConnection() {
    guard settings.onEvent != nil, let easy else { return }
    attempt.sentBody = 0
    attempt.hasReportedHead = false
    attempt.hasReportedBody = false
    guard !attempt.isReused, attempt.legs == 0 else { return }
    // libcurl's times count from when the attempt was added to it.
    let began = attempt.began > 0 ? attempt.began : activated
    report(.connected, at: began + easy.get(offset: CURLINFO_CONNECT_TIME_T) * 1000)
    if target.isSecure { report(.secured, at: began + easy.get(offset: CURLINFO_APPCONNECT_TIME_T) * 1000) }
  }

  /// Reports what libcurl has written to the socket, by its log.
  func reportSent(_ kind: curl_infotype, _ count: Int) {
    // What was sent before is a proxy's: CONNECT.
    guard settings.onEvent != nil, attempt.expectsHead else { return }
    if kind == CURLINFO_HEADER_OUT, !attempt.hasReportedHead {
      attempt.hasReportedHead = true
      report(.headSent)
    }
    if kind == CURLINFO_DATA_OUT, let length = request.body.length {
      attempt.sentBody += Int64(count)
      if attempt.sentBody >= length { reportBodySent() }
    }
  }

  /// Reports that all of the body was sent, once.
  func reportBodySent() {
    guard settings.onEvent != nil, !attempt.hasReportedBody else { return }
    attempt.hasReportedBody = true
    report(.bodySent)
  }
}

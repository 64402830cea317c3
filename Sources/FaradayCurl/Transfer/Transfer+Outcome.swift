internal import CCurl
internal import FaradayCore

/// How a transfer ends: exactly once, on the engine's thread.
extension Transfer {
  /// How libcurl, or the engine, says that it has ended.
  enum Outcome {
    case done(CURLcode)
    case failed(any Error)
  }

  /// Tells whoever waits for it how it has ended. Returns whether it has ended well.
  ///
  /// A head that has come is handed over whatever becomes of the body: what that says may be all that is wanted.
  func finish(_ outcome: Outcome) -> Bool {
    do {
      try check(outcome)
    } catch {
      if !(error is CancellationError) {
        if small != nil { beginStream() }
        handOverHead()
      }
      stream?.fail(error, metrics: metrics())
      continuation?.resume(throwing: error)
      continuation = nil
      return false
    }
    reportUpload()
    let metrics = metrics()
    handOverHead()
    stream?.finish(trailers: RawHead.fields(parser.trailers), metrics: metrics)
    guard let waiting = continuation else { return true }
    continuation = nil
    let received = Received(head: parser.head, content: .whole(small ?? Data(), trailers: parser.trailers), metrics: metrics)
    if let engine, !isSentFromEngine {
      engine.complete(Completed(waiting: waiting, received: received, priority: priority))
    } else {
      waiting.resume(returning: received)
    }
    return true
  }

  /// Throws what is wrong with how it has ended; what was noted before wins.
  private func check(_ outcome: Outcome) throws {
    if case .failed(let error) = outcome { throw error }
    if let failure { throw failure }
    // The response of a server that then closes, while the upload still goes on, is no less of one.
    if case .done(let code) = outcome, code != CURLE_OK, !isWhole { throw libcurlError(code) }
    if let problem = incompleteness { throw error(.truncatedResponse, problem) }
    // A source that fails when the server has answered without it makes the answer no less of one.
    if case .stream(let buffer) = source, let failure = buffer.failure, !hasEarlyAnswer { throw bodyError(failure) }
  }

  /// What is missing of a response that libcurl takes for complete; nil if nothing is.
  private var incompleteness: String? {
    guard parser.isComplete else { return "the connection ended inside the response's head" }
    if let chunks = parser.framing.chunks, !chunks.hasEnded, !parser.hasNoBody {
      return "the connection ended before the last chunk"
    }
    if attempt.hasCloseNotify == false { return "the connection ended without TLS's close_notify: the body may be cut" }
    return nil
  }

  /// Ends a transfer that the engine has never seen.
  func fail(_ code: TransportError.Code, _ message: String) {
    let error = error(code, message)
    _ = finish(.failed(error))
    life = .finished
    dispose()
  }

  // MARK: errors

  func error(
    _ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil, engineCode: Int? = nil,
    underlying: (any Error)? = nil
  ) -> TransportError {
    TransportError(
      code, phase: phase ?? self.phase, method: request.method, url: request.url, secrets: request.secrets, message: message,
      engineCode: engineCode, underlying: underlying, partialResponse: partialResponse)
  }

  func libcurlError(_ code: CURLcode) -> TransportError {
    let said = errorText.map { String(cString: $0) } ?? ""
    let text = settings.proxies.redacted(said.isEmpty ? String(cString: curl_easy_strerror(code)) : said)
    // Of what has been sent nobody may think that it was not, and send it again.
    let phase = ErrorTable.isTLS(code) && !attempt.isReady ? .tls : phase
    if phase == .resolving || phase == .connecting, faraday_is_out_of_descriptors() != 0 {
      return error(.outOfDescriptors, "the process or the system has no file descriptor left: \(text)", phase: phase)
    }
    return error(
      ErrorTable.code(for: code, phase: phase, text: text, headSize: parser.size), text, phase: phase,
      engineCode: Int(code.rawValue))
  }

  /// How far the exchange was.
  var phase: TransportError.Phase {
    guard let easy, isActive else { return .connecting }
    if parser.isComplete { return .receiving }
    if attempt.isReady || parser.size > 0 {
      let isSending = if case .none = source { false } else { sent < request.body.length ?? .max }
      return isSending ? .sending : .waiting
    }
    if easy.get(offset: CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    if easy.get(offset: CURLINFO_CONNECT_TIME_T) == 0 { return .connecting }
    return target.isSecure ? .tls : .connecting
  }

  /// What is known of the response. Whoever collects the body adds what has come of that.
  private var partialResponse: Response? {
    guard parser.isComplete else { return nil }
    return Received(head: parser.head, content: .whole(Data(), trailers: []), metrics: metrics()).response(to: request)
  }
}

extension Transfer {
  /// What the exchange has cost until now. libcurl counts from when the transfer was added; we from when it was submitted.
  func metrics() -> TransferMetrics {
    var metrics = TransferMetrics()
    guard let easy, isActive else { return metrics }
    let queue = activated - submitted
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = easy.get(offset: info)
      return microseconds > 0 ? .nanoseconds(queue + microseconds * 1000) : nil
    }
    metrics.queue = .nanoseconds(queue)
    metrics.reusedConnection = attempt.isReused
    if !metrics.reusedConnection {
      metrics.dns = time(CURLINFO_NAMELOOKUP_TIME_T)
      metrics.connect = time(CURLINFO_CONNECT_TIME_T)
      metrics.tls = time(CURLINFO_APPCONNECT_TIME_T)
    }
    // libcurl's is the first byte sent, of an upload, or of a 100.
    if firstByte > 0 { metrics.firstByte = .nanoseconds(firstByte - submitted) }
    // libcurl's begins later than our clock, and would put the last byte of a quick response before its first.
    metrics.total = .nanoseconds(Clock.now - submitted)
    // libcurl counts the framing of chunks as well.
    metrics.bytesSent = if case .none = source { easy.get(offset: CURLINFO_SIZE_UPLOAD_T) } else { sent }
    metrics.bytesReceived = easy.get(offset: CURLINFO_SIZE_DOWNLOAD_T)
    metrics.remoteAddress = attempt.remoteAddress
    return metrics
  }
}

/// What the engine hands to the waiting task, still in bytes: parsing is done there, and not on the engine's thread.
struct Received: Sendable {
  enum Content: Sendable {
    case whole(Data, trailers: [UInt8])
    case stream(Body, ResponseStream)
  }

  let head: RawHead
  let content: Content
  let metrics: TransferMetrics

  func response(to request: Request) -> Response {
    let (response, version) = head.parsed()
    switch content {
    case .whole(let data, let trailers):
      return Response(
        status: response.status, headers: response.headerFields, body: .data(data), trailers: RawHead.fields(trailers),
        url: request.url, version: version, metrics: metrics)
    case .stream(let body, let stream):
      return Response(
        status: response.status, headers: response.headerFields, body: body, url: request.url, version: version, metrics: metrics,
        stream: stream)
    }
  }
}

internal import CCurl
internal import FaradayCore

/// How a transfer ends: exactly once, on the engine's thread.
extension Transfer {
  /// Gives the head of a streamed response to whoever waits for it.
  func handOverHead() {
    isHeadDue = false
    guard let waiting = continuation, let handle, let stream else { return }
    continuation = nil
    let body = stream.body {
      handle.post(.resumeReceiving(self))
    } cancel: {
      handle.post(.cancel(self))
    }
    let content = Received.Content.stream(body, length: parser.length)
    waiting.resume(returning: Received(head: parser.head, content: content, metrics: metrics(), ending: ending))
  }

  /// Ends with what libcurl says, or with what was noted before.
  func finish(_ code: CURLcode) {
    if let failure { return finish(failure) }
    // The response of a server that then closes, while the upload still goes on, is no less of one.
    guard code == CURLE_OK || isWhole else { return finish(libcurlError(code)) }
    if let problem = incompleteness { return finish(error(.truncatedResponse, problem)) }
    // A source that fails when the server has answered without it makes the answer no less of one.
    if case .stream(let buffer) = source, let failure = buffer.failure, !hasEarlyAnswer { return finish(bodyError(failure)) }
    reportUpload()
    let metrics = metrics()
    if isHeadDue { handOverHead() }
    if let stream {
      ending.set(trailers: RawHead.fields(parser.trailers), metrics: metrics)
      stream.finish(.success(()))
    } else if let waiting = continuation {
      continuation = nil
      let received = Received(head: parser.head, content: .whole(whole, trailers: parser.trailers), metrics: metrics, ending: nil)
      guard let engine, !isSentFromEngine else { return waiting.resume(returning: received) }
      engine.complete(Completed(waiting: waiting, received: received, priority: priority))
    }
  }

  /// What is missing of a response that libcurl takes for complete; nil if nothing is.
  private var incompleteness: String? {
    guard parser.isComplete else { return "the connection ended inside the response's head" }
    if let chunks = parser.framing.chunks, !chunks.hasEnded, !parser.hasNoBody {
      return "the connection ended before the last chunk"
    }
    if hasCloseNotify == false { return "the connection ended without TLS's close_notify: the body may be cut" }
    return nil
  }

  /// Ends with an error.
  func finish(_ error: any Error) {
    hasFailed = true
    if isHeadDue { handOverHead() }
    if let stream {
      ending.set(trailers: [:], metrics: metrics())
      stream.finish(.failure(error))
    }
    continuation?.resume(throwing: error)
    continuation = nil
  }

  /// Ends a transfer that the engine has never seen.
  func fail(_ code: TransportError.Code, _ message: String) {
    let error = error(code, message)
    state = .finished
    finish(error)
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
    let phase = ErrorTable.isTLS(code) && !isReady ? .tls : phase
    if phase == .resolving || phase == .connecting, faraday_is_out_of_descriptors() != 0 {
      return error(.outOfDescriptors, "the process or the system has no file descriptor left: \(text)", phase: phase)
    }
    return error(
      ErrorTable.code(for: code, phase: phase, text: text, headSize: parser.size), text, phase: phase,
      engineCode: Int(code.rawValue))
  }

  /// How far the exchange was.
  var phase: TransportError.Phase {
    guard let easy, state == .active else { return .connecting }
    if parser.isComplete { return .receiving }
    if isReady || parser.size > 0 {
      let isSending = if case .none = source { false } else { sent < request.body.length ?? .max }
      return isSending ? .sending : .waiting
    }
    if easy.get(offset: CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    if easy.get(offset: CURLINFO_CONNECT_TIME_T) == 0 { return .connecting }
    return target.isSecure ? .tls : .connecting
  }

  private var partialResponse: Response? {
    guard parser.isComplete else { return nil }
    return Received(head: parser.head, content: .whole(whole, trailers: parser.trailers), metrics: metrics(), ending: nil)
      .response(to: request)
  }
}

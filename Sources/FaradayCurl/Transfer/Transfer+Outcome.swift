internal import CCurl
internal import FaradayCore

/// The end of a transfer: exactly once, on the engine's thread.
extension Transfer {
  /// How libcurl or the engine has ended it.
  enum Outcome {
    case done(CURLcode)
    case failed(any Error)

    /// Whether libcurl has ended the transfer, or was given all the time there was. Otherwise the transfer was cancelled, refused, or
    /// failed with its engine, which says nothing about other requests.
    var hasTried: Bool {
      switch self {
      case .done: true
      case .failed(let error): (error as? TransportError)?.isTimeout ?? false
      }
    }
  }

  /// Resumes the waiting task and ends the stream. Returns whether the transfer has succeeded.
  ///
  /// A complete head is delivered even if the body failed; reading the body then throws.
  func finish(_ outcome: Outcome) -> Bool {
    if isChallenge {
      isChallenge = false
      // It is the response only if libcurl sends no other request: one that has failed must not look like this response.
      if case .done(CURLE_OK) = outcome {
        _ = beginResponse()
      } else {
        parser = ResponseParser(to: request.method, request.headers)
      }
    }
    if let onRawHead = request.options.onRawHead { flushRawHead(onRawHead) }
    countSmallBody()
    do {
      try check(outcome)
    } catch {
      if !(error is CancellationError) {
        if bufferedBody != nil { beginStream() }
        deliverHead()
      }
      report(.end, error: error)
      handle?.counters.ended(error)
      stream?.fail(error, metrics: metrics())
      continuation?.resume(throwing: error)
      continuation = nil
      return false
    }
    reportUpload()
    let metrics = metrics()
    deliverHead()
    report(.end)
    handle?.counters.ended(nil)
    stream?.finish(trailers: RawHead.fields(parser.trailers), metrics: metrics)
    guard let waiting = continuation else { return true }
    continuation = nil
    let received = Received(
      head: parser.head, codings: parser.codings, content: .whole(bufferedBody ?? Data(), trailers: parser.trailers),
      metrics: metrics)
    if let engine, !isSentFromEngine {
      engine.complete(Completed(waiting: waiting, received: received, priority: priority))
    } else {
      waiting.resume(returning: received)
    }
    return true
  }

  /// Counts the body that libcurl has sent by itself.
  private func countSmallBody() {
    guard case .none = source, !request.body.isEmpty, isActive, let easy else { return }
    handle?.counters.bytesSent.add(easy.get(offset: CURLINFO_SIZE_UPLOAD_T))
  }

  /// Throws the error of the outcome; one that was noted before takes precedence.
  private func check(_ outcome: Outcome) throws {
    if case .failed(let error) = outcome { throw error }
    if let failure { throw failure }
    // A complete response counts, even if the server has closed the connection during the upload.
    if case .done(let code) = outcome, code != CURLE_OK, !isWhole { throw libcurlError(code) }
    if let problem = incompleteness { throw error(.truncatedResponse, problem) }
    // An early response counts, even if the body's source has failed.
    if case .stream(let buffer) = source, let failure = buffer.failure, !responseEndsUpload { throw bodyError(failure) }
  }

  /// What is missing of a response that libcurl considers complete; nil if nothing is.
  private var incompleteness: String? {
    guard parser.isComplete else { return "the connection was closed within the response's head" }
    if let chunks = parser.framing.chunks, !chunks.hasEnded, !parser.hasNoBody {
      return "the connection was closed before the last chunk"
    }
    if attempt.hasCloseNotify == false {
      return "the connection was closed without a TLS close_notify: the body may be truncated"
    }
    return nil
  }

  /// Fails a transfer that was never submitted to an engine.
  func fail(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil) {
    end(error(code, message, phase: phase))
  }

  /// Ends a transfer that was never submitted to an engine.
  func end(_ error: any Error) {
    _ = finish(.failed(error))
    life = .finished
    dispose()
  }

  // MARK: errors

  func error(
    _ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil, engineCode: Int? = nil,
    underlying: (any Error)? = nil
  ) -> TransportError {
    var error = TransportError(
      code, phase: phase ?? self.phase, method: request.method, url: request.url, secrets: request.secrets, message: message,
      engineCode: engineCode, underlying: underlying, partialResponse: partialResponse)
    error.peerCertificates = attempt.certificates
    if isActive { error.metrics = metrics() }
    return error
  }

  func libcurlError(_ code: CURLcode) -> TransportError {
    let said = errorText.map { String(cString: $0) } ?? ""
    let text = CertificatePath.plain(said.isEmpty ? String(cString: curl_easy_strerror(code)) : said)
    if let refused = attempt.refusedAddress, attempt.openedSockets.isEmpty { return forbidden(refused) }
    // The phase must not be TLS once the request may have been sent: a caller would consider a retry safe.
    let phase = ErrorTable.isTLS(code, text) && !attempt.isReady ? .tls : phase
    if phase == .resolving || phase == .connecting, faraday_is_out_of_descriptors() != 0 {
      return error(.outOfDescriptors, "no free file descriptor for a connection: \(text)", phase: phase)
    }
    // Within the TLS of a proxy, libcurl 7.88 reports every failure of the server's as one of the connection.
    let failed = failedProxy(code, text)
    let hasReason = proxy?.scheme != .https || failed != nil
    let meaning = ErrorTable.code(for: code, phase: phase, text: hasReason ? text : "", headSize: parser.size, proxy: failed)
    return error(meaning, text, phase: phase, engineCode: Int(code.rawValue))
  }

  /// The state of the proxy, if an error of libcurl's is one of the connection to it, before it was one to the server.
  private func failedProxy(_ code: CURLcode, _ text: String) -> ErrorTable.ProxyState? {
    guard let proxy, let easy, !attempt.isReady else { return nil }
    let answer = easy.get(CURLINFO_HTTP_CONNECTCODE)
    // Behind the proxy nothing can fail before the request is sent but TLS, for which libcurl over GnuTLS has other codes too.
    let isOfProxy =
      !ErrorTable.isTLS(code, text) && OpenSSL.isUsed || (proxy.scheme == .https || !OpenSSL.isUsed) && answer / 100 != 2
    guard isOfProxy else { return nil }
    return answer == 0 ? .silent : .answered
  }

  /// The phase of the exchange.
  var phase: TransportError.Phase {
    guard let easy, isActive else { return .connecting }
    if parser.isComplete { return .receiving }
    if attempt.isReady || parser.size > 0 {
      let isSending = if case .none = source { false } else { sent < request.body.length ?? .max }
      return isSending ? .sending : .waiting
    }
    if easy.get(offset: CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    // Not CURLINFO_CONNECT_TIME_T: before 8.0 that has the handshake, too. Through a proxy it cannot be told apart.
    return target.isSecure && proxy == nil && isConnected ? .tls : .connecting
  }

  /// Whether a TCP connection was established for this attempt.
  var isConnected: Bool {
    attempt.openedSockets.contains { descriptor in
      guard let sockets = engine?.sockets, sockets.isNew(descriptor), !sockets.isHTTP3(descriptor) else { return false }
      return faraday_is_connected(descriptor) != 0
    }
  }

  /// The response without its body, once the head is complete. The reader of the body adds the bytes that were received.
  private var partialResponse: Response? {
    guard parser.isComplete else { return nil }
    return Received(head: parser.head, content: .whole(Data(), trailers: []), metrics: metrics()).response(to: request)
  }
}

extension Transfer {
  /// The metrics so far. libcurl's times count from when the transfer was added to it, ours from when it was submitted.
  func metrics() -> TransferMetrics {
    var metrics = TransferMetrics()
    guard let easy, isActive else { return metrics }
    let queue = activated - submitted
    // libcurl's times count from when the attempt was added to it.
    let start = attempt.legs == 0 && attempt.began > 0 ? attempt.began - submitted : queue
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = easy.get(offset: info)
      return microseconds > 0 ? .nanoseconds(start + microseconds * 1000) : nil
    }
    metrics.queue = .nanoseconds(queue)
    metrics.reusedConnection = attempt.isReused
    if !metrics.reusedConnection {
      metrics.dns = time(CURLINFO_NAMELOOKUP_TIME_T)
      metrics.connect = time(CURLINFO_CONNECT_TIME_T)
      metrics.tls = time(CURLINFO_APPCONNECT_TIME_T)
    }
    // Not CURLINFO_STARTTRANSFER_TIME: for uploads that is the first byte sent, and it counts a 100.
    if firstByte > 0 { metrics.firstByte = .nanoseconds(firstByte - submitted) }
    // Not CURLINFO_TOTAL_TIME: it starts later than our clock, so that a quick response would end before its first byte.
    metrics.total = .nanoseconds(Clock.now - submitted)
    // Not CURLINFO_SIZE_UPLOAD_T for streamed bodies: it includes the framing of chunks.
    metrics.bytesSent = if case .none = source { easy.get(offset: CURLINFO_SIZE_UPLOAD_T) } else { sent }
    // Of a response without a head libcurl leaves out what may have been the start of one.
    metrics.bytesReceived = parser.head.isAbsent ? received : easy.get(offset: CURLINFO_SIZE_DOWNLOAD_T)
    metrics.requestSize = Int64(easy.get(CURLINFO_REQUEST_SIZE))
    let proxyStatus = easy.get(CURLINFO_HTTP_CONNECTCODE)
    metrics.proxyStatus = proxyStatus > 0 ? proxyStatus : nil
    metrics.localAddress = attempt.addresses.local
    metrics.remoteAddress = attempt.addresses.remote
    metrics.peerCertificates = attempt.certificates
    metrics.tlsSession = attempt.tlsSession
    return metrics
  }
}

/// A response for the waiting task, unparsed: parsing is done in that task, and not on the engine's thread.
/// One reference, for which each request that waits has room in its frame.
final class Received: Sendable {
  enum Content: Sendable {
    case whole(Data, trailers: [UInt8])
    case stream(Body, ResponseStream)
  }

  let head: RawHead
  /// The transfer codings of the body, besides chunked.
  let codings: [String]
  let content: Content
  let metrics: TransferMetrics

  init(head: RawHead, codings: [String] = [], content: Content, metrics: TransferMetrics) {
    self.head = head
    self.codings = codings
    self.content = content
    self.metrics = metrics
  }

  // Not inlined: its temporaries would be in the frame of each request that waits.
  @inline(never)
  func response(to request: Request) -> Response {
    let response = codedResponse(to: request)
    return codings.isEmpty ? response : response.decoding(transfer: codings, for: request)
  }

  private func codedResponse(to request: Request) -> Response {
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

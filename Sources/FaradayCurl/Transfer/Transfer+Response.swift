internal import CCurl
internal import FaradayCore

/// Receiving the response's body, in libcurl's callbacks on the engine's thread, piece by piece into the response stream. From here
/// libcurl may only be asked for information or have options set.
extension Transfer {
  /// The state of backpressure.
  enum Receiving {
    case flowing
    /// The stream is full: the next piece pauses the transfer.
    case full
    /// The transfer is paused in libcurl.
    case paused
  }

  /// The largest body that is returned together with its head, if the caller uses buffered delivery. In bytes.
  static let maximumBufferedBody = 256 << 10
  /// How long the head waits for such a body, in nanoseconds: a middleware that needs the head only, such as redirects, must not
  /// wait for a server that stalls.
  static let maximumBufferingTime: Int64 = 1_000_000_000
  /// With so many bytes unflushed a body counts as large: more are waited for, even if none are ready to be read.
  private static let bulk = 32 << 10
  /// How long received bytes may wait to be coalesced with more, in nanoseconds.
  static let maximumCoalescingTime: Int64 = 1_000_000

  // MARK: the end of the body

  /// Whether the response is complete.
  var isWhole: Bool { parser.isWhole(received: received) }

  /// A TLS body that is ended by the close of the connection is complete only after a close_notify: an attacker may have truncated
  /// it (RFC 9112, section 9.8). libcurl 7.88 does not check that. Its progress callback is called once more when such a transfer
  /// is done and still has its connection.
  func watchForCloseNotify() {
    guard target.isSecure, !isMultiplexed, !parser.hasNoBody, !parser.framing.isChunked, parser.framing.contentLength == nil
    else { return }
    attempt.needsCloseNotify = true
    try? watchProgress()
  }

  /// Checks whether the server has sent a close_notify.
  func checkCloseNotify() {
    guard let easy, let ssl = faraday_get_ssl(easy.pointer) else { return }
    attempt.hasCloseNotify = OpenSSL.hasReceivedCloseNotify(ssl)
  }

  /// libcurl 7.88 drops bytes that follow a response without a body, reports that in its log only, and keeps the connection, though
  /// more such bytes may follow.
  func watchForExcessBytes() {
    guard !isMultiplexed, parser.hasNoBody || parser.framing.contentLength == 0, let easy else { return }
    _ = faraday_set_log(easy.pointer, logCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  /// A line of libcurl's log, or what it sends and receives: for a trace. Closes the connection if libcurl reports dropped bytes.
  func logged(_ kind: curl_infotype, _ line: UnsafeRawBufferPointer) {
    if kind == CURLINFO_TEXT, isFrame(line) { return readFrame(line) }
    if let onTrace = request.options.onTrace, let kind = TraceEvent.Kind(kind) { onTrace(TraceEvent(kind, Data(line))) }
    guard kind == CURLINFO_TEXT else { return reportSent(kind, line.count) }
    let isExcess = Self.excess.contains {
      line.starts(with: UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
    }
    if isExcess { forbidReuse() }
    if readsProtocolFromLog { readProtocol(line) }
  }
  private static let excess: [StaticString] = ["Excess found", "Leftovers after chunking"]

  // MARK: the body

  /// libcurl's write callback: a piece of the body. Returns the number of bytes, or the code for pause or error.
  func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil, pendingRestart == nil else { return faraday_write_error }
    // Its body is delivered: libcurl does not answer it.
    if isChallenge {
      isChallenge = false
      guard beginResponse() else { return faraday_write_error }
    }
    guard parser.isComplete || beginWithoutHead() else { return faraday_write_error }
    let isDone = parser.framing.chunks == nil ? takeWhole(bytes) : takeChunks(bytes)
    guard let isDone else { return faraday_write_error }
    // libcurl keeps this piece and the rest of what it has read, and delivers them again when the transfer is resumed.
    guard isDone else { return faraday_write_pause }
    attempt.consumedBeforePause = 0
    touchAfterEarlyResponse()
    return bytes.count
  }

  /// Begins the delivery of a response without a head (HTTP/0.9), if the request accepts one. Returns false to abort. A connection
  /// that was kept is that of a server with HTTP/1.1.
  private func beginWithoutHead() -> Bool {
    guard request.options.acceptsHTTP0_9, !attempt.isReused else { return stop(.malformedResponse, "the response has no head") }
    parser.beginWithoutHead()
    firstByte = Clock.now
    report(.firstByte, at: firstByte)
    return beginResponse()
  }

  /// Consumes a piece of a body that is not chunked. Returns false to pause, nil to abort.
  private func takeWhole(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    guard canAcceptBytes() else { return false }
    return take(bytes) ? true : nil
  }

  /// Consumes a piece of a chunked body, chunk by chunk. Returns false to pause, nil to abort.
  private func takeChunks(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var offset = attempt.consumedBeforePause
    while true {
      switch parser.framing.chunks?.next(in: bytes, at: &offset) ?? .dry {
      case .data(let count):
        guard canAcceptBytes() else {
          attempt.consumedBeforePause = offset
          return false
        }
        parser.framing.chunks?.take(count)
        guard take(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])) else { return nil }
        offset += count
      case .trailer:
        if request.options.onRawHead != nil, let line = parser.framing.chunks?.line { rawHead.append(contentsOf: line) }
        do { try parser.takeTrailer() } catch { return stop(error.code, error.message) ? true : nil }
      case .dry:
        lastActivity = engine?.now ?? lastActivity
        return true
      case .end:
        // Excess bytes belong to no request: the connection must not be reused.
        if offset < bytes.count { forbidReuse() }
        return true
      case .malformed(let problem):
        return stop(.malformedResponse, "the response's chunked body is malformed: \(problem)") ? true : nil
      case .tooLarge(let problem):
        return stop(.headTooLarge, problem) ? true : nil
      }
    }
  }

  /// Whether the stream has room and the turn has time left. If not, the transfer must be paused, and is noted as such.
  private func canAcceptBytes() -> Bool {
    guard mayPause else { return true }
    if receiving == .full {
      receiving = .paused
      return false
    }
    if let rate = request.options.transport?.fields.rates.maximumReceive, let engine {
      let due = rateDue(rate)
      if due > engine.now {
        receiving = .paused
        resumeAt = due
        engine.updateDeadline(of: self)
        return false
      }
    }
    if let engine, engine.isTurnOver(for: self) {
      receiving = .paused
      engine.postpone(self)
      return false
    }
    return true
  }

  /// When the next piece may be received at that rate, in bytes per second: an eighth of a second's bytes may come at once. libcurl's
  /// own limit is not used, as before 8.0 it lets through whatever has arrived by then.
  private func rateDue(_ rate: Int) -> Int64 {
    let ahead = received - Int64(max(rate / 8, 1))
    guard ahead > 0 else { return 0 }
    return firstByte &+ Int64(min(Double(ahead) / Double(rate), 1e9) * 1e9)
  }

  /// Consumes decoded bytes of the body. Returns false to abort.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastActivity = engine?.now ?? lastActivity
    received &+= Int64(bytes.count)
    handle?.counters.bytesReceived.add(Int64(bytes.count))
    bytesThisTurn &+= bytes.count
    if let stream { return write(bytes, to: stream) }
    if received == bytes.count, let length = parser.length { bufferedBody?.reserveCapacity(Int(clamping: length)) }
    bufferedBody?.append(contentsOf: bytes)
    if received > Self.maximumBufferedBody { beginStream() }
    return true
  }

  /// Reads the clock after a caller's callback, whose time must not count for the idle timeout.
  func callbackReturned() {
    engine?.callbackReturned()
    lastActivity = engine?.now ?? lastActivity
  }

  /// Notes the error that the transfer must end with. Returns false, for callbacks to return.
  func stop(_ code: TransportError.Code, _ message: String) -> Bool {
    failure = error(code, message)
    return false
  }

  // MARK: the response stream

  // Waking a task for every piece is expensive, so pieces are coalesced: until there are many, until no more arrive, or for a
  // millisecond. A reader on the engine's thread gets them at once.

  /// Makes the head be delivered before the body is complete: the body goes into a stream.
  func beginStream() {
    let capacity = settings.streamBufferSize
    let batch = isSentFromEngine ? min(256 << 10, capacity / 2) : capacity / 2
    let stream = ResponseStream(capacity: capacity, batch: batch, gathers: request.options.onChunk == nil)
    self.stream = stream
    coalescingSince = lastActivity
    if let bufferedBody, !bufferedBody.isEmpty, stream.write(bufferedBody) == .pause { receiving = .full }
    bufferedBody = nil
    engine?.touch(self)
  }

  /// Delivers the head without a complete body, if that has been waited for long enough.
  func endBufferingIfDue(at now: Int64) {
    guard bufferingDeadline <= now else { return }
    bufferingDeadline = .max
    if bufferedBody != nil { beginStream() }
  }

  /// Writes to the stream. Returns false to abort.
  func write(_ bytes: UnsafeRawBufferPointer, to stream: ResponseStream) -> Bool {
    if stream.gathered == 0 { coalescingSince = lastActivity }
    let answer = stream.write(bytes)
    if stream.isDrained {
      callbackReturned()
    } else if stream.gathered > 0 {
      engine?.touch(self)
    } else if isSentFromEngine {
      engine?.runJobs()
      callbackReturned()
    }
    return obey(answer)
  }

  /// Applies the stream's answer. Returns false to abort.
  func obey(_ answer: ResponseStream.Answer) -> Bool {
    switch answer {
    case .more: receiving = .flowing
    case .pause: receiving = .full
    case .stop: failure = CancellationError()
    }
    return answer != .stop
  }

  /// Whether the head can be delivered and has not been.
  var canDeliverHead: Bool { stream != nil && continuation != nil }

  /// Whether the received bytes may wait to be coalesced with more.
  func mayCoalesce(isQuiet: Bool, now: Int64) -> Bool {
    guard isActive, failure == nil, !canDeliverHead, receiving == .flowing, !isUploadStalled, !isSentFromEngine else {
      return false
    }
    guard let stream, stream.gathered > 0, now - coalescingSince < Self.maximumCoalescingTime else { return false }
    return hasBulk || !isQuiet
  }

  var hasBulk: Bool { stream.map { $0.gathered >= Self.bulk } ?? false }

  /// Resumes the waiting task with the head and the streamed body.
  func deliverHead() {
    guard let waiting = continuation, let handle, let stream else { return }
    continuation = nil
    let body = stream.body(length: parser.length) {
      handle.post(.resumeReceiving(self))
    } onUnwanted: {
      handle.post(.cancel(self))
    }
    waiting.resume(
      returning: Received(head: parser.head, codings: parser.codings, content: .stream(body, stream), metrics: metrics()))
  }
}

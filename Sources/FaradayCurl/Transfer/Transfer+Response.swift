internal import CCurl
internal import FaradayCore

/// The response as libcurl brings it, on the engine's thread: its head line by line, then its body piece by piece on the way into
/// the response stream. None of it may call libcurl but to set or to ask.
extension Transfer {
  /// Whether libcurl hands over what comes.
  enum Receiving {
    case flowing
    /// The stream has no room: the next piece is not taken.
    case full
    /// libcurl has been told to wait.
    case paused
  }

  /// So much of a body that the caller wants whole is handed over with its head, at once.
  static let smallResponse = 256 << 10
  /// In nanoseconds: so long a small body is waited for, so that who needs its head alone, to follow a redirect for one, is not kept
  /// by a server that stalls.
  static let patience: Int64 = 1_000_000_000
  /// So much is the middle of something large: more is waited for, even if nothing is there just now.
  private static let bulk = 32 << 10
  /// In nanoseconds.
  static let gatheringTime: Int64 = 1_000_000

  // MARK: the head

  /// One line of a head, or of trailers. Returns false to end the transfer.
  func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil, repetition == nil else { return false }
    lastActivity = engine?.now ?? lastActivity
    do {
      switch try parser.take(line, isHTTP2: isHTTP2) {
      case .begun: firstByte = Clock.now
      case .field, .trailer: break
      case .informational:
        guard let onInformational = request.options.onInformational else { break }
        onInformational(parser.head.parsed().response)
        calledBack()
      case .head: return endHead()
      }
      return true
    } catch {
      return stop(error.code, error.message)
    }
  }

  private func endHead() -> Bool {
    // libcurl 8 sees it only where it stands first.
    if parser.framing.closesConnection { forbidReuse() }
    if isHTTP2, let origin { engine?.multiplexes(origin) }
    // (RFC 9110, section 10.1.1.) libcurl would repeat it by itself, and say `Expect` again.
    if parser.status == 417, request.headers.contains(.expect), !leavesOutExpect, canRewind {
      repetition = .withoutExpect
      return false
    }
    watchEnd()
    watchExcess()
    // A small body is waited for, if the caller waits for all of it anyway.
    let mayBeSmall = request.options.deliversWhole && parser.length ?? 0 <= Int64(Self.smallResponse)
    if mayBeSmall { waitForSmallBody() } else { beginStream() }
    reportUpload()
    touchIfAnswered()
    return true
  }

  private func waitForSmallBody() {
    small = Data()
    // The first look at it was before the head, which has come late.
    guard smallUntil == .max, let engine else { return }
    smallUntil = engine.now + Self.patience
    engine.limit(self)
  }

  // MARK: where the body ends

  /// Whether all of the response is here.
  var isWhole: Bool { parser.isWhole(received: received) }

  /// Over TLS the end of the connection is the end of a body only if the server says so: without its close_notify anybody may
  /// have cut it (RFC 9112, section 9.8). libcurl 7.88 does not look. It tells of progress once more when such a transfer is
  /// done and still has its connection.
  private func watchEnd() {
    guard target.isSecure, !isHTTP2, !parser.hasNoBody, !parser.framing.isChunked, parser.framing.contentLength == nil, let easy
    else { return }
    _ = faraday_set_transfer_progress(easy.pointer, progressCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Looks whether the server has ended its side of TLS.
  func noteEnd() {
    guard let easy, let ssl = faraday_get_ssl(easy.pointer) else { return }
    attempt.hasCloseNotify = OpenSSL.hasReceivedCloseNotify(ssl)
  }

  /// What libcurl has read behind a response without a body it drops, says so in its log and nowhere else, and keeps the connection
  /// (7.88), though the rest of that may still come.
  private func watchExcess() {
    guard !isHTTP2, parser.hasNoBody || parser.framing.contentLength == 0, let easy else { return }
    _ = faraday_set_log(easy.pointer, logCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  /// A line of libcurl's log: its words for what it has dropped.
  func logged(_ line: UnsafeRawBufferPointer) {
    let isExcess = Self.excess.contains {
      line.starts(with: UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
    }
    if isExcess { forbidReuse() }
  }
  private static let excess: [StaticString] = ["Excess found", "Leftovers after chunking"]

  // MARK: the body

  /// A piece of the body. Returns how much was taken, or what libcurl is to do instead.
  func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil, repetition == nil else { return faraday_write_error }
    let isDone = parser.framing.chunks == nil ? takeWhole(bytes) : takeChunks(bytes)
    guard let isDone else { return faraday_write_error }
    // libcurl keeps this piece, and the rest of what it has read, and hands them over again when the transfer is resumed.
    guard isDone else { return faraday_write_pause }
    attempt.takenAhead = 0
    touchIfAnswered()
    return bytes.count
  }

  /// Takes all of a piece. Returns false if it cannot now, nil if the transfer is to end.
  private func takeWhole(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    guard mayTake() else { return false }
    return take(bytes) ? true : nil
  }

  /// Takes the data out of a piece of a chunked body, chunk by chunk. Returns false if it has stopped on the way.
  private func takeChunks(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var offset = attempt.takenAhead
    while true {
      switch parser.framing.chunks?.next(in: bytes, at: &offset) ?? .dry {
      case .data(let count):
        guard mayTake() else {
          attempt.takenAhead = offset
          return false
        }
        parser.framing.chunks?.take(count)
        guard take(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])) else { return nil }
        offset += count
      case .trailer:
        do { try parser.takeTrailer() } catch { return stop(error.code, error.message) ? true : nil }
      case .dry:
        lastActivity = engine?.now ?? lastActivity
        return true
      case .end:
        // What is behind it answers nothing that was asked: this connection is not used again.
        if offset < bytes.count { forbidReuse() }
        return true
      case .malformed(let problem):
        return stop(.malformedResponse, "the response is not chunked as it says: \(problem)") ? true : nil
      }
    }
  }

  /// Whether there is room for more, and time in this turn. If not, the transfer is paused.
  private func mayTake() -> Bool {
    if receiving == .full {
      receiving = .paused
      return false
    }
    if let engine, engine.isTurnOver(for: self) {
      receiving = .paused
      engine.postpone(self)
      return false
    }
    return true
  }

  /// Returns false if the transfer is to end.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastActivity = engine?.now ?? lastActivity
    received &+= Int64(bytes.count)
    sinceQuantum &+= bytes.count
    if let stream { return write(bytes, to: stream) }
    if received == bytes.count, let length = parser.length { small?.reserveCapacity(Int(clamping: length)) }
    small?.append(contentsOf: bytes)
    if received > Self.smallResponse { beginStream() }
    return true
  }

  /// The time that a callback takes is not the network's.
  func calledBack() {
    engine?.calledBack()
    lastActivity = engine?.now ?? lastActivity
  }

  /// Notes why the transfer must end. Returns false, which is what a callback then answers.
  func stop(_ code: TransportError.Code, _ message: String) -> Bool {
    failure = error(code, message)
    return false
  }

  // MARK: into the stream

  // A thread woken for every piece would cost more than all the rest, so pieces are gathered: until there are many, until no more
  // come, or for a millisecond. A reader that runs on the engine's thread has them at once.

  /// The head is handed over before the body, and what comes of that goes into a stream.
  func beginStream() {
    let capacity = settings.streamBufferSize
    let batch = isSentFromEngine ? min(256 << 10, capacity / 2) : capacity / 2
    let stream = ResponseStream(capacity: capacity, batch: batch, gathers: request.options.onChunk == nil)
    self.stream = stream
    gatheringSince = lastActivity
    if let small, !small.isEmpty, stream.write(small) == .pause { receiving = .full }
    small = nil
    engine?.touch(self)
  }

  /// It has been waited long enough for the rest of a body that may be small.
  func handOverSlowHead(at now: Int64) {
    guard smallUntil <= now else { return }
    smallUntil = .max
    if small != nil { beginStream() }
  }

  /// Returns false if the transfer is to end.
  func write(_ bytes: UnsafeRawBufferPointer, to stream: ResponseStream) -> Bool {
    if stream.gathered == 0 { gatheringSince = lastActivity }
    let answer = stream.write(bytes)
    if stream.isDrained {
      calledBack()
    } else if stream.gathered > 0 {
      engine?.touch(self)
    } else if isSentFromEngine {
      engine?.runJobs()
      calledBack()
    }
    return obey(answer)
  }

  /// Returns false if the transfer is to end.
  func obey(_ answer: ResponseStream.Answer) -> Bool {
    switch answer {
    case .more: receiving = .flowing
    case .pause: receiving = .full
    case .stop: failure = CancellationError()
    }
    return answer != .stop
  }

  /// The head has not been handed over, and may be.
  var isHeadDue: Bool { stream != nil && continuation != nil }

  /// Whether its bytes may wait for more.
  func mayGather(isQuiet: Bool, now: Int64) -> Bool {
    guard isActive, failure == nil, !isHeadDue, receiving == .flowing, !isRefused, !isSentFromEngine else { return false }
    guard let stream, stream.gathered > 0, now - gatheringSince < Self.gatheringTime else { return false }
    return isBulk || !isQuiet
  }

  var isBulk: Bool { stream.map { $0.gathered >= Self.bulk } ?? false }

  /// Gives the head to whoever waits for it, and the body's reading end with it.
  func handOverHead() {
    guard let waiting = continuation, let handle, let stream else { return }
    continuation = nil
    let body = stream.body(length: parser.length) {
      handle.post(.resumeReceiving(self))
    } onUnwanted: {
      handle.post(.cancel(self))
    }
    waiting.resume(returning: Received(head: parser.head, content: .stream(body, stream), metrics: metrics()))
  }
}

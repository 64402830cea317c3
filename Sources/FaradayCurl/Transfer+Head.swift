internal import CCurl
internal import FaradayCore

/// The head of a response, line by line, on the engine's thread. None of it may call libcurl but to set or to ask.
extension Transfer {
  /// One line of a head, or of trailers. Returns false to end the transfer.
  func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil, repetition == nil else { return false }
    lastActivity = engine?.now ?? lastActivity
    do {
      switch try parser.take(line, isHTTP2: isHTTP2) {
      case .begun: firstByte = Clock.now
      case .field, .trailer: break
      case .informational: request.options.onInformational?(parser.head.parsed().response)
      case .head: return endHead()
      }
      return true
    } catch {
      return stop(error.code, error.message)
    }
  }

  private func endHead() -> Bool {
    // libcurl 8 sees it only where it stands first.
    if parser.framing.closesConnection, let easy { _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1) }
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
    if isRefused || isAnsweredEarly || isAnswered { engine?.touch(self) }
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
    guard
      Self.excess.contains(where: { line.starts(with: UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount)) }),
      let easy
    else { return }
    _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1)
  }
  private static let excess: [StaticString] = ["Excess found", "Leftovers after chunking"]

  /// The response of an HTTP/2 stream is whole and its upload is not.
  var isAnsweredEarly: Bool {
    guard isHTTP2, !request.body.isEmpty, isWhole, let easy else { return false }
    return request.body.length.map { easy.get(offset: CURLINFO_SIZE_UPLOAD_T) < $0 } ?? true
  }

  /// The response is whole, and the upload may not be: libcurl does not look any more whether the server is still there, and
  /// counts as sent what it keeps for an HTTP/2 stream whose window is closed.
  var isAnswered: Bool { !request.body.isEmpty && isWhole && connection != nil }

  /// The server has answered without waiting for the body, whose source has nothing just now. Before 8.9 libcurl does not end
  /// while the upload is paused.
  var isRefused: Bool { isSendPaused && hasEarlyAnswer }

  /// The response, which has begun, is the end of the upload: libcurl does not send what is left of it once it is complete.
  var hasEarlyAnswer: Bool { parser.isComplete && (parser.status >= 300 || parser.framing.closesConnection) }

  /// The response says that the body is not wanted.
  var isTurnedDown: Bool { parser.isComplete && parser.status >= 300 }
}

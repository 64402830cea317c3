internal import CCurl
internal import FaradayCore

/// The head of a response, line by line, on the engine's thread. None of it may call libcurl but to set or to ask.
extension Transfer {
  enum HeadState { case expected, fields, complete }

  static let maximumHeadSize = 1 << 20

  /// One line of a head, or of trailers. Returns false to end the transfer.
  func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil, repetition == nil else { return false }
    lastActivity = engine?.now ?? lastActivity
    guard mayHaveLine(of: line.count) else { return false }
    switch headState {
    case .expected: return startHead(line)
    case .fields:
      guard line.first != 0x0D && line.first != 0x0A else { return endHead() }
      if let problem = framing.read(line) { return stop(.malformedResponse, problem) }
      head.append(line)
    // Trailers of HTTP/2, and where libcurl takes the chunks apart: else they come with the body.
    case .complete: if framing.chunks == nil { trailers.append(contentsOf: line) }
    }
    return true
  }

  /// Counts a line of a head or of trailers. Returns false to end the transfer, which has too many or too long ones.
  func mayHaveLine(of size: Int) -> Bool {
    headSize += size
    guard headSize <= Self.maximumHeadSize else {
      return stop(.headTooLarge, "the response's head and trailers are larger than \(Self.maximumHeadSize) bytes")
    }
    headLines += 1
    return headLines <= ResponseLimits.lines || stop(.headTooLarge, ResponseLimits.tooManyLines)
  }

  private func startHead(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = StatusLine(line) else { return stop(.malformedResponse, "the response has no status line") }
    // libcurl takes the server's word for the version, and would share the connection or not pause it.
    let isAgreed = (first.version == .http2) == isHTTP2 && first.version != .http3
    guard isAgreed else {
      return stop(.malformedResponse, "the response says \(first.version), which was not agreed on with the server")
    }
    firstByte = Clock.now
    head.removeAll()
    head.append(line)
    headState = .fields
    status = first.status
    framing = Framing(decodes: decompression != nil, closesConnection: first.version == .http1_0)
    return true
  }

  private func endHead() -> Bool {
    guard status != 101 else {
      return stop(.malformedResponse, "the server switches to another protocol, which nobody has asked for")
    }
    guard status >= 200 else {
      headState = .expected
      request.options.onInformational?(head.parsed().response)
      return true
    }
    headState = .complete
    // libcurl 8 sees it only where it stands first.
    if framing.closesConnection, let easy { _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1) }
    if isHTTP2, let origin { engine?.multiplexes(origin) }
    // (RFC 9110, section 10.1.1.) libcurl would repeat it by itself, and say `Expect` again.
    if status == 417, request.headers.contains(.expect), !leavesOutExpect, canRewind {
      repetition = .withoutExpect
      return false
    }
    watchEnd()
    watchExcess()
    guard !framing.isTransferCoded || decompression != nil else {
      return stop(.malformedResponse, "the response's Transfer-Encoding has a coding that was not asked for")
    }
    guard hasNoBody || !framing.hasTwoEnds else {
      return stop(.malformedResponse, "the response has a Content-Length and a Transfer-Encoding that is not chunked")
    }
    guard deliverHead() else { return false }
    reportUpload()
    if isRefused || isAnsweredEarly || isAnswered { engine?.touch(self) }
    return true
  }

  /// Gives the head to whoever waits for it. Returns false to end the transfer.
  func deliverHead() -> Bool {
    guard !isHeadDelivered else { return true }
    isHeadDelivered = true
    if let onHead = request.options.onHead {
      defer { calledBack() }
      do {
        try onHead(head.parsed().response)
      } catch {
        failure = error
        return false
      }
    }
    if stream != nil {
      isHeadDue = true
      engine?.touch(self)
    }
    return true
  }

  // MARK: where the body ends

  /// Whether the response has no body, whatever its head says (RFC 9112, section 6.3).
  var hasNoBody: Bool { request.method == .head || status == 204 || status == 304 }

  /// Whether all of the response is here, by its own framing. A body that only the connection's end ends never is, nor is one
  /// that libcurl decodes.
  var isWhole: Bool {
    guard headState == .complete else { return false }
    if hasNoBody { return true }
    if let chunks = framing.chunks { return chunks.hasEnded }
    return framing.length.map { $0 == received } ?? false
  }

  /// Over TLS the end of the connection is the end of a body only if the server says so: without its close_notify anybody may
  /// have cut it (RFC 9112, section 9.8). libcurl 7.88 does not look. It tells of progress once more when such a transfer is
  /// done and still has its connection.
  private func watchEnd() {
    guard target.isSecure, !isHTTP2, !hasNoBody, !framing.isChunked, framing.contentLength == nil, let easy else { return }
    _ = faraday_set_transfer_progress(easy.pointer, progressCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Looks whether the server has ended its side of TLS.
  func noteEnd() {
    guard let easy, let ssl = faraday_get_ssl(easy.pointer) else { return }
    hasCloseNotify = OpenSSL.hasReceivedCloseNotify(ssl)
  }

  /// What libcurl has read behind a response without a body, or behind the last chunk where it takes the chunks apart itself, it
  /// drops, says so in its log and nowhere else, and keeps the connection (7.88), though the rest of that may still come.
  private func watchExcess() {
    let hasOwnChunks = framing.isChunked && framing.chunks == nil
    guard !isHTTP2, hasNoBody || framing.contentLength == 0 || hasOwnChunks, let easy else { return }
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
  var hasEarlyAnswer: Bool { headState == .complete && (status >= 300 || framing.closesConnection) }

  /// The response says that the body is not wanted.
  var isTurnedDown: Bool { headState == .complete && status >= 300 }
}

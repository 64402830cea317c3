internal import CCurl
internal import FaradayCore

/// What libcurl asks for when it sends, on the engine's thread.
extension Transfer {
  /// Copies the next bytes of the body to where libcurl sends them from. Returns how many, 0 at the end, or what libcurl is to
  /// do instead.
  func fill(_ target: UnsafeMutableRawBufferPointer) -> Int {
    guard failure == nil else { return faraday_read_abort }
    // libcurl asks for more when what it had has gone to the socket.
    reportUpload()
    let now = engine?.now ?? lastActivity
    // Asking a dry source again, for the sake of a response that may have ended, moves nothing.
    if !hasEarlyAnswer { lastActivity = now }
    switch source {
    case .none: return 0
    case .memory(let data):
      let start = data.startIndex + Int(sent)
      let count = min(target.count, data.endIndex - start)
      data.copyBytes(to: target, from: start..<start + count)
      sent += Int64(count)
      lastActivity = now
      return count
    case .stream(let buffer):
      switch buffer.fill(target) {
      case .bytes(let count):
        sent += Int64(count)
        lastActivity = now
        return count
      case .dry:
        return pauseSending()
      case .end: return 0
      // Nobody asks for it any more; the answer counts.
      case .failed where isTurnedDown: return pauseSending()
      case .failed:
        failure = buffer.failure.map(bodyError)
        return faraday_read_abort
      }
    }
  }

  private func pauseSending() -> Int {
    isSendPaused = true
    if hasEarlyAnswer { engine?.waitsRefused(self) }
    return faraday_read_pause
  }

  /// Tells how much of the body has left, if that is news. A small body has left when the response begins.
  func reportUpload() {
    guard let onUploadProgress = request.options.onUploadProgress else { return }
    if case .none = source, parser.isComplete { sent = request.body.length ?? 0 }
    guard sent > reported else { return }
    reported = sent
    onUploadProgress(TransferProgress(bytes: sent, total: request.body.length))
    calledBack()
  }

  /// Whether the body can be sent from its start.
  var canRewind: Bool { sent == 0 || request.body.isReplayable }

  /// Starts over, for another attempt. Returns whether it can.
  func rewind() -> Bool {
    isSendPaused = false
    guard canRewind else { return false }
    guard sent > 0 else { return true }
    switch source {
    case .none: break
    case .memory: sent = 0
    case .stream(let buffer):
      buffer.close()
      producer?.cancel()
      source = .stream(SendBuffer(length: request.body.length))
      sent = 0
      startSource()
      openSource()
    }
    return true
  }

  // MARK: the source of a streamed body

  /// Starts the task that reads the body; it waits until ``openSource()``. Called by the sender, so that the task has its
  /// priority and task-local values.
  func startSource() {
    guard case .stream(let buffer) = source, let handle else { return }
    producer = Task { [body = request.body, weak self] in
      await buffer.pump(body) { [weak self] in
        if let self { handle.post(.resumeSending(self)) }
      }
    }
  }

  /// The exchange begins: the source may be read.
  func openSource() {
    if case .stream(let buffer) = source { buffer.open() }
  }

  func bodyError(_ error: any Error) -> TransportError {
    var failure = self.error(.bodyUnreadable, "")
    failure.setBodyFailure(error)
    return failure
  }

  // MARK: a response that comes before the body has left

  /// The engine is to see what becomes of the upload.
  func touchIfAnswered() {
    if isRefused || isAnsweredEarly || isAnswered { engine?.touch(self) }
  }

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

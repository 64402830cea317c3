internal import CCurl
internal import FaradayCore

/// Sending the request's body, on the engine's thread.
extension Transfer {
  /// libcurl's read callback: copies the next bytes of the body into libcurl's buffer. Returns their number, 0 at the end, or the
  /// code for pause or abort.
  func fill(_ target: UnsafeMutableRawBufferPointer) -> Int {
    guard failure == nil, pendingRestart == nil, noteBodyIsSent() else { return faraday_read_abort }
    // libcurl asks for more when it has written what it had to the socket.
    reportUpload()
    let now = engine?.now ?? lastActivity
    // For the idle timeout: resuming a stalled upload is no activity.
    if !responseEndsUpload { lastActivity = now }
    switch source {
    case .none: return 0
    case .memory(let data):
      let start = data.startIndex + Int(sent)
      let count = min(target.count, data.endIndex - start)
      data.copyBytes(to: target, from: start..<start + count)
      countSent(count)
      lastActivity = now
      return count
    case .stream(let buffer):
      switch buffer.fill(target) {
      case .bytes(let count):
        countSent(count)
        lastActivity = now
        return count
      case .dry:
        return pauseSending()
      case .end:
        // libcurl asks again when it has written what it had.
        if request.body.length == nil { reportBodySent() }
        return 0
      // The response counts, and not the source's error.
      case .failed where responseRejectsBody: return pauseSending()
      case .failed:
        failure = buffer.failure.map(bodyError)
        return faraday_read_abort
      }
    }
  }

  private func countSent(_ count: Int) {
    sent += Int64(count)
    handle?.counters.bytesSent.add(Int64(count))
  }

  private func pauseSending() -> Int {
    isSendPaused = true
    if responseEndsUpload { engine?.noteStalledUpload(self) }
    return faraday_read_pause
  }

  /// Calls `onUploadProgress` if more of the body has been sent. A small body counts as sent when the response begins.
  func reportUpload() {
    guard let onUploadProgress = request.options.onUploadProgress else { return }
    if case .none = source, parser.isComplete { sent = request.body.length ?? 0 }
    guard sent > reported else { return }
    reported = sent
    onUploadProgress(TransferProgress(bytes: sent, total: request.body.length))
    callbackReturned()
  }

  /// Whether the body can be sent from its start: nothing was sent yet, or it is replayable.
  var canRewind: Bool { sent == 0 || request.body.isReplayable }

  /// Rewinds the body to its start for another attempt. Returns false if it is not replayable.
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

  /// libcurl's seek callback, before it sends the request again. Some versions go on after a refusal, or report another error.
  func mayRewind() -> Bool {
    rewind() || stop(.bodyNotReplayable, "the request would have to be sent again, and its body can be read only once")
  }

  // MARK: the source of a streamed body

  /// Starts the task that reads the body; it waits for ``openSource()``. Called by the sending task, whose priority and task-local
  /// values it inherits.
  func startSource() {
    guard case .stream(let buffer) = source, let handle else { return }
    producer = Task { [body = request.body, weak self] in
      await buffer.pump(body) { [weak self] in
        if let self { handle.post(.resumeSending(self)) }
      }
    }
  }

  /// Lets the source be read: the transfer is active.
  func openSource() {
    if case .stream(let buffer) = source { buffer.open() }
  }

  func bodyError(_ error: any Error) -> TransportError {
    var failure = self.error(.bodyUnreadable, "")
    failure.setBodyFailure(error)
    return failure
  }

  // MARK: early responses: the states are defined at `Transfer`

  /// Makes the engine look at the upload at the end of its turn, if the response is an early one.
  func touchAfterEarlyResponse() {
    if isUploadStalled || isStreamUploadObsolete || mayBeUploadingAfterResponse { engine?.touch(self) }
  }

  /// Whether the response of a stream of HTTP/2 or HTTP/3 is complete and the upload is not.
  var isStreamUploadObsolete: Bool {
    guard isMultiplexed, !request.body.isEmpty, isWhole, let easy else { return false }
    return request.body.length.map { easy.get(offset: CURLINFO_SIZE_UPLOAD_T) < $0 } ?? true
  }

  /// Whether the response is complete and the upload may not be. It cannot be known exactly: libcurl counts bytes as sent that it
  /// buffers for an HTTP/2 stream with a closed flow-control window.
  var mayBeUploadingAfterResponse: Bool { !request.body.isEmpty && isWhole && connection != nil }

  /// Whether the response ends the upload, and the upload is paused because its source has no bytes.
  var isUploadStalled: Bool { isSendPaused && responseEndsUpload }

  /// Whether the response will end the upload: its head is complete, with a status of 300 or more, or the server closes the
  /// connection.
  var responseEndsUpload: Bool { parser.isComplete && (parser.status >= 300 || parser.framing.closesConnection) }

  /// Whether the response makes the body useless: its head is complete, with a status of 300 or more.
  var responseRejectsBody: Bool { parser.isComplete && parser.status >= 300 }
}

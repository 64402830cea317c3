internal import FaradayCore

/// The body on its way into the response stream, and when its reader is woken. A thread woken for every piece would cost more than all
/// the rest, so pieces are gathered: until there are many, until no more come, or for a millisecond. A reader that runs on the engine's
/// thread has them at once.
extension Transfer {
  /// So much is the middle of something large: more is waited for, even if nothing is there just now.
  private static let bulk = 32 << 10
  /// In nanoseconds.
  static let gatheringTime: Int64 = 1_000_000

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

  /// In nanoseconds: so long a small body is waited for, so that who needs its head alone, to follow a redirect for one, is not kept
  /// by a server that stalls.
  static let patience: Int64 = 1_000_000_000

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

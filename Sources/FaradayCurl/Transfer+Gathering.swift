internal import FaradayCore

/// When the reader of a streamed body is woken. A thread woken for every piece would cost more than all the rest, so pieces
/// are gathered: until there are many, until no more come, or for a millisecond. One that runs on the engine's thread has them
/// at once.
extension Transfer {
  /// So much is the middle of something large: more is waited for, even if nothing is there just now.
  private static let bulk = 32 << 10
  /// Nanoseconds.
  static let gatheringTime: Int64 = 1_000_000

  func gather(_ bytes: UnsafeRawBufferPointer, for stream: StreamWriter) -> Bool {
    if stream.isEmpty { gatheringSince = lastActivity }
    guard stream.append(bytes) else { return stop(.engineFailed, "out of memory") }
    let enough = isSentFromEngine ? min(SegmentPool.segmentSize, stream.worthPublishing) : stream.worthPublishing
    if isHeadDue || stream.count < enough {
      engine?.touch(self)
    } else {
      // Not at the end of the turn: the reader can work while libcurl does.
      _ = stream.publish()
      if isSentFromEngine {
        engine?.runJobs()
        calledBack()
      }
    }
    return true
  }

  /// Whether its bytes may wait for more.
  func mayGather(isQuiet: Bool, now: Int64) -> Bool {
    guard state == .active, failure == nil, !isHeadDue, !isReceivePaused, !isRefused, !isSentFromEngine else { return false }
    guard let stream, !stream.isEmpty, now - gatheringSince < Self.gatheringTime else { return false }
    return isBulk || !isQuiet
  }

  var isBulk: Bool { stream.map { $0.count >= Self.bulk } ?? false }
}

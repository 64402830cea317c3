internal import FaradayCore

/// When the reader of a streamed body is woken. A thread woken for every piece would cost more than all the rest, so pieces
/// are gathered: until there are many, until no more come, or for a millisecond.
extension Transfer {
  /// So much is the middle of something large: more is waited for, even if nothing is there just now.
  private static let bulk = 32 << 10
  /// Nanoseconds.
  static let gatheringTime: Int64 = 1_000_000

  func gather(_ bytes: UnsafeRawBufferPointer, for buffer: ReceiveBuffer) -> Bool {
    if segments.isEmpty { gatheringSince = lastActivity }
    guard segments.append(bytes) else { return stop(.engineFailed, "out of memory") }
    buffer.received(bytes.count)
    if segments.count >= buffer.worthPublishing && !isHeadDue {
      // Not at the end of the turn: the reader can work while libcurl does.
      _ = buffer.publish(segments.take())
    } else {
      engine?.touch(self)
    }
    return true
  }

  /// Whether its bytes may wait for more.
  func mayGather(isQuiet: Bool, now: Int64) -> Bool {
    guard state == .active, failure == nil, !isHeadDue, !isReceivePaused, !isRefused else { return false }
    guard !segments.isEmpty, now - gatheringSince < Self.gatheringTime else { return false }
    return isBulk || !isQuiet
  }

  var isBulk: Bool { segments.count >= Self.bulk }
}

internal import CCurl
internal import FaradayCore

/// The bounds of what libcurl receives and discards without telling: the bodies of challenges that it answers, and a proxy's answers
/// to CONNECT. Its progress callback is called after each read.
extension Transfer {
  /// The largest body of a challenge that is read to keep its connection, in bytes.
  private static let maximumChallenge: Int64 = 1 << 20
  /// The largest answers to CONNECT, in bytes. libcurl reads them byte by byte, and serves no other transfer until none are left.
  private static let maximumTunnelAnswer = 128 << 10

  /// Makes libcurl call ``mayGoOn(downloaded:)``.
  func watchProgress() throws(EasyHandle.OptionRejected) {
    guard let easy else { return }
    let code = faraday_set_transfer_progress(easy.pointer, progressCallback, Unmanaged.passUnretained(self).toOpaque())
    try easy.check(code, CURLOPT_XFERINFOFUNCTION)
  }

  func unwatchProgress() {
    if let easy { _ = faraday_set_long(easy.pointer, CURLOPT_NOPROGRESS, 1) }
  }

  /// Notes that the body of a challenge follows.
  func watchChallenge() {
    attempt.bytesBeforeChallenge = receivedBytes
    try? watchProgress()
  }

  /// libcurl's progress callback. Returns false to abort.
  func mayGoOn(downloaded: Int64) -> Bool {
    guard failure == nil, pendingRestart == nil else { return false }
    if attempt.needsCloseNotify { checkCloseNotify() }
    if isChallenge {
      // libcurl does not count framing.
      let discarded = max(downloaded, receivedBytes - attempt.bytesBeforeChallenge)
      guard discarded > Self.maximumChallenge else { return true }
      if isWithoutBody {
        pendingRestart = .withoutChallenge
        return false
      }
      return stop(
        .bodyTooLarge,
        "the body of a response (\(parser.status)), which is skipped, is larger than \(Self.maximumChallenge) bytes")
    }
    guard attempt.isTunnelling else { return true }
    attempt.tunnelReads += 1
    return attempt.tunnelReads <= Self.maximumTunnelAnswer
      || stop(.proxyFailed, "the proxy's answer to CONNECT is larger than \(Self.maximumTunnelAnswer) bytes")
  }

  /// The bytes that the connection has received; 0 if it is closed, other transfers use it too, or the system does not tell.
  private var receivedBytes: Int64 {
    guard let connection, !isMultiplexed, engine?.sockets.descriptor(connection.endpoints) == connection.descriptor else {
      return 0
    }
    return max(0, faraday_received_bytes(connection.descriptor))
  }
}

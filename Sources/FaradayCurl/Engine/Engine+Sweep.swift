internal import CCurl
internal import FaradayCore

/// Idle connections that are to go: those that have ended, and those that are older than they may be.
///
/// libcurl looks at them only when a request begins, once a second at most, and has no call for it. So a request is begun that
/// gets no socket.
extension Engine {
  /// In nanoseconds: libcurl would not look a second time before.
  static let shortest: Int64 = 1_100_000_000

  /// An idle connection has ended.
  func sweepSoon() {
    sockets.hasDead = false
    sweepDue = min(sweepDue, now + Self.shortest)
  }

  func sweepIfDue() {
    guard sweepDue <= turnBegan else { return }
    sweepDue = .max
    guard sockets.openCount > 0, sweeper == nil, let easy = curl_easy_init() else { return }
    sweeper = easy
    do {
      try configure(EasyHandle(pointer: easy))
      guard addSweeper(EasyHandle(pointer: easy)) else { return endSweep() }
    } catch {
      endSweep()
    }
  }

  private func configure(_ easy: EasyHandle) throws(EasyHandle.Refused) {
    try easy.set(CURLOPT_URL, "http://127.0.0.1:9/")
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_FRESH_CONNECT, 1)
    try easy.set(CURLOPT_PROXY, "")
    try easy.set(CURLOPT_NOPROXY, "")
    try easy.check(faraday_set_open_socket(easy.pointer, noSocketCallback), CURLOPT_OPENSOCKETFUNCTION)
    try ReuseLimits(configuration).apply(to: easy)
  }

  /// The request that was begun for it has failed, as it must.
  func endSweep() {
    guard let easy = sweeper else { return }
    sweeper = nil
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
    if sockets.openCount > 0 { sweepLater() }
  }
}

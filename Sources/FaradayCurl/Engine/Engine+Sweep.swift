internal import CCurl
internal import FaradayCore

/// The sweep of the connection pool: closes idle connections that the server has closed, and those beyond their idle timeout or
/// lifetime.
///
/// libcurl checks them only when a request starts, at most once a second, and has no function for it. So the engine starts a
/// request that is given no socket.
extension Engine {
  /// The minimum interval between sweeps, in nanoseconds: libcurl does not check more often.
  static let shortest: Int64 = 1_100_000_000

  /// Schedules a sweep as soon as possible: the server has closed an idle connection.
  func sweepSoon() {
    sockets.hasDeadConnections = false
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

  private func configure(_ easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    try easy.set(CURLOPT_URL, "http://127.0.0.1:9/")
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_PROXY, "")
    try easy.set(CURLOPT_NOPROXY, "")
    try easy.check(faraday_set_open_socket(easy.pointer, noSocketCallback), CURLOPT_OPENSOCKETFUNCTION)
    // Not CURLOPT_FRESH_CONNECT, with which libcurl 8.22 and newer does not look at its idle connections.
    _ = faraday_set_ready(easy.pointer, noRequestCallback, nil)
    try ReuseLimits(configuration).apply(to: easy)
  }

  /// Removes the request that was started for the sweep: it has failed, as it must.
  func endSweep() {
    guard let easy = sweeper else { return }
    sweeper = nil
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
    if sockets.openCount > 0 { sweepLater() }
  }
}

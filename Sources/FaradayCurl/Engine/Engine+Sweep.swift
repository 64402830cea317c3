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
    if sockets.openCount > 0, sweeper == nil { startSweep() }
  }

  /// Closes idle connections, and the others after their requests.
  func evictConnections() {
    pools.renew()
    sockets.evictAll()
    sweepSoon()
  }

  /// Clears libcurl's DNS cache with a sweep at once, because libcurl removes expired entries when a request ends, and has no function
  /// for it. Requests that start before it has ended do not use the cache either.
  func flushDNSCache() {
    endSweep()
    isFlushingDNSCache = true
    startSweep()
    // At once: requests that start meanwhile would remove their own entries too. A failure is found again in this turn.
    try? driver.act()
    finishDone()
  }

  private func startSweep() {
    guard let easy = curl_easy_init() else { return }
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
    if isFlushingDNSCache { try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 0) }
  }

  /// Removes the request that was started for the sweep: it has failed, as it must.
  func endSweep() {
    guard let easy = sweeper else { return }
    sweeper = nil
    isFlushingDNSCache = false
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
    if sockets.openCount > 0 { sweepLater() }
  }
}

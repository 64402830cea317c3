internal import CCurl
internal import FaradayCore

extension Transfer {
  /// What the exchange has cost until now. libcurl counts from when the transfer was added; we from when it was submitted.
  func metrics() -> Metrics {
    var metrics = Metrics()
    guard let easy, isActive else { return metrics }
    let queue = activated - submitted
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = easy.get(offset: info)
      return microseconds > 0 ? .nanoseconds(queue + microseconds * 1000) : nil
    }
    metrics.queue = .nanoseconds(queue)
    metrics.reusedConnection = attempt.isReused
    if !metrics.reusedConnection {
      metrics.dns = time(CURLINFO_NAMELOOKUP_TIME_T)
      metrics.connect = time(CURLINFO_CONNECT_TIME_T)
      metrics.tls = time(CURLINFO_APPCONNECT_TIME_T)
    }
    // libcurl's is the first byte sent, of an upload, or of a 100.
    if firstByte > 0 { metrics.firstByte = .nanoseconds(firstByte - submitted) }
    // libcurl's begins later than our clock, and would put the last byte of a quick response before its first.
    metrics.total = .nanoseconds(Clock.now - submitted)
    // libcurl counts the framing of chunks as well.
    metrics.bytesSent = if case .none = source { easy.get(offset: CURLINFO_SIZE_UPLOAD_T) } else { sent }
    metrics.bytesReceived = easy.get(offset: CURLINFO_SIZE_DOWNLOAD_T)
    metrics.remoteAddress = attempt.remoteAddress
    return metrics
  }
}

internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// The reports of an attempt: metrics, its connection in events, and the meaning of libcurl's errors.
extension Attempt {
  /// The metrics from libcurl and the connection. Times count from the submission of the transfer. libcurl's own times count
  /// from the time at which it was added.
  ///
  /// - Parameter start: the time from which libcurl's times count.
  func metrics(submitted: Int64, start: Int64) -> TransferMetrics {
    guard let easy else { return TransferMetrics() }
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = easy.get(offset: info)
      return microseconds > 0 ? .nanoseconds(start - submitted + microseconds * 1000) : nil
    }
    let proxyStatus = easy.get(CURLINFO_HTTP_CONNECTCODE)
    return TransferMetrics(
      resolve: isReused ? nil : time(CURLINFO_NAMELOOKUP_TIME_T), connect: isReused ? nil : time(CURLINFO_CONNECT_TIME_T),
      tls: isReused ? nil : time(CURLINFO_APPCONNECT_TIME_T),
      // Not CURLINFO_TOTAL_TIME: it starts later than `Clock`, so a quick response would end before its first byte.
      total: .nanoseconds(Clock.now - submitted),
      bytesSent: sentBody, bytesReceived: easy.get(offset: CURLINFO_SIZE_DOWNLOAD_T), isConnectionReused: isReused,
      remoteAddress: addresses.remote, peerCertificates: certificates, tlsSession: tlsSession, localAddress: addresses.local,
      requestSize: Int64(easy.get(CURLINFO_REQUEST_SIZE)), earlyDataSize: earlyDataSize,
      proxyStatus: proxyStatus > 0 ? proxyStatus : nil)
  }

  /// The connection for events; nil if it is unknown.
  var eventConnection: ExchangeEvent.Connection? {
    connectionNumber.map { ExchangeEvent.Connection(id: $0, isReused: isReused, remoteAddress: addresses.remote) }
  }

  /// TCP's count of the connection's bytes; nil if other transfers share the connection (HTTP/2, HTTP/3), or the system has no
  /// count.
  var movedBytes: Int64? {
    #if os(Linux)
    isMultiplexed ? nil : connection.map { faraday_moved_bytes($0.descriptor) }
    #else
    nil
    #endif
  }

  /// Returns the meaning of a libcurl error.
  ///
  /// - Parameter phase: the phase of the error, as far as it is known without the error.
  func meaning(
    of code: CURLcode, in phase: TransportError.Phase, headSize: Int, through proxy: Proxy?
  ) -> (code: TransportError.Code, text: String, phase: TransportError.Phase, engineCode: Int?) {
    let said = errorText
    let text = CertificatePath.plain(said.isEmpty ? String(cString: curl_easy_strerror(code)) : said)
    // The phase must not be TLS once the request may have been sent: a caller would consider a retry safe.
    let phase = ErrorTable.isTLS(code, text) && !isReady ? .tls : phase
    if phase == .resolving || phase == .connecting, faraday_is_out_of_descriptors() != 0 {
      return (.outOfDescriptors, "no free file descriptor for a connection: \(text)", phase, nil)
    }
    // Within an https proxy's TLS, libcurl 7.88 reports every failure of the server's TLS as a connection failure.
    let failed = failedProxy(proxy, code, text)
    let hasReason = proxy?.scheme != .https || failed != nil
    let meaning = ErrorTable.code(for: code, phase: phase, text: hasReason ? text : "", headSize: headSize, proxy: failed)
    return (meaning, text, phase, Int(code.rawValue))
  }

  /// The state of the proxy, if the error is a failure of the connection to the proxy; otherwise nil.
  private func failedProxy(_ proxy: Proxy?, _ code: CURLcode, _ text: String) -> ErrorTable.ProxyState? {
    guard let proxy, let easy, !isReady else { return nil }
    let answer = easy.get(CURLINFO_HTTP_CONNECTCODE)
    // Once the tunnel is established, only TLS can fail before the request is sent. libcurl over GnuTLS has other codes for
    // that, too.
    let isOfProxy =
      !ErrorTable.isTLS(code, text) && OpenSSL.isUsed || (proxy.scheme == .https || !OpenSSL.isUsed) && answer / 100 != 2
    guard isOfProxy else { return nil }
    return answer == 0 ? .silent : .answered
  }
}

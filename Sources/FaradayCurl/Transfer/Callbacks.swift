internal import CCurl
@_spi(Adapters) internal import FaradayCore

// libcurl's callbacks, all called on the engine's thread. Only this file converts libcurl's pointers back to objects. The
// pointers to a transfer, its exchange and its attempt are valid while the easy handle is valid, because the engine keeps the
// transfer until it has closed the handle. The pointers to a driver and a socket table are valid while the multi handle is
// valid.
//
// The callbacks are global functions, not closures: a closure in isolated code checks its executor when it is called, and would
// trap on the engine's thread.

nonisolated func writeCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  withExchange(data, otherwise: faraday_write_error) { $0.received(UnsafeRawBufferPointer(start: bytes, count: count)) }
}

nonisolated func headerCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  withExchange(data, otherwise: faraday_write_error) {
    $0.receivedHeader(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : faraday_write_error
  }
}

nonisolated func readCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  withExchange(data, otherwise: faraday_read_abort) {
    $0.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size &* count))
  }
}

nonisolated func seekCallback(_ data: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
  withExchange(data, otherwise: CURL_SEEKFUNC_CANTSEEK) {
    origin == SEEK_SET && offset == 0 && $0.mayRewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
  }
}

nonisolated func openSocketCallback(
  _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, withAttempt(data, otherwise: false, { $0.mayConnect(to: address) }) else { return faraday_bad_socket }
  let descriptor = faraday_open_socket(address)
  guard descriptor >= 0 else {
    withAttempt(data, otherwise: ()) { $0.openedNoSocket() }
    return faraday_bad_socket
  }
  withAttempt(data, otherwise: ()) { $0.openedSocket(descriptor, isDatagram: address.pointee.protocol == Int32(IPPROTO_UDP)) }
  return descriptor
}

nonisolated func readyCallback(
  _ data: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
  _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  let endpoints = Sockets.Endpoints(remote: remote, remotePort, local: local, localPort)
  let mayGoOn = withAttempt(data, otherwise: false) {
    $0.connectionIsReady(endpoints, remote, remotePort, local: local)
  }
  return mayGoOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Set only while libcurl may discard received bytes, and for responses whose end requires a TLS close_notify.
nonisolated func progressCallback(
  _ data: UnsafeMutableRawPointer?, _ downloadTotal: curl_off_t, _ downloaded: curl_off_t, _ uploadTotal: curl_off_t,
  _ uploaded: curl_off_t
) -> Int32 {
  withAttempt(data, otherwise: false) { $0.mayGoOn(downloaded: Int64(downloaded)) } ? 0 : 1
}

/// Called when a TLS connection is prepared, to report or verify its certificates.
nonisolated func tlsContextCallback(
  _ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?
) -> CURLcode {
  withAttempt(data, otherwise: false) { $0.mayBeginHandshake(easy, context) } ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
}

/// Called when the peer has sent its certificates: copies and verifies them.
nonisolated func verifyCallback(_ store: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
  let certificates = OpenSSL.certificates(verifiedWith: store)
  return withAttempt(data, otherwise: false) { $0.accepts(certificates, in: store) } ? 1 : 0
}

/// The trailers of the request's body.
nonisolated func trailerCallback(
  _ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
  let lines = withAttempt(data, otherwise: []) { $0.trailerLines() }
  guard let list, let lines else { return CURL_TRAILERFUNC_ABORT }
  for line in lines {
    guard let longer = curl_slist_append(list.pointee, line) else { return CURL_TRAILERFUNC_ABORT }
    list.pointee = longer
  }
  return CURL_TRAILERFUNC_OK
}

/// Set for responses after which libcurl may drop excess bytes, for a trace, and for events.
nonisolated func logCallback(
  _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ text: UnsafeMutablePointer<CChar>?, _ count: Int,
  _ data: UnsafeMutableRawPointer?
) -> Int32 {
  withAttempt(data, otherwise: ()) { $0.logged(kind, UnsafeRawBufferPointer(start: text, count: count)) }
  return 0
}

/// Prevents the sweep's request from opening a socket.
nonisolated func noSocketCallback(
  _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t { faraday_bad_socket }

/// Prevents the sweep's request from being sent over a keep-alive connection.
nonisolated func noRequestCallback(
  _ data: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
  _ remotePort: Int32, _ localPort: Int32
) -> Int32 { CURL_PREREQFUNC_ABORT }

nonisolated func closeSocketCallback(_ data: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
  if let data { Unmanaged<Sockets>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.closed(descriptor) } }
  return close(descriptor)
}

private func withExchange<Result>(
  _ data: UnsafeMutableRawPointer?, otherwise: Result, _ body: (Exchange) -> Result
) -> Result {
  guard let data else { return otherwise }
  return Unmanaged<Exchange>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
}

private func withAttempt<Result>(
  _ data: UnsafeMutableRawPointer?, otherwise: Result, _ body: (Attempt) -> Result
) -> Result {
  guard let data else { return otherwise }
  return Unmanaged<Attempt>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
}

/// The transfer of an easy handle, by its CURLOPT_PRIVATE.
func transfer(of easy: UnsafeMutableRawPointer) -> Transfer? {
  faraday_get_private(easy).map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

#if os(Linux)
nonisolated func socketCallback(
  _ easy: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ what: Int32, _ data: UnsafeMutableRawPointer?,
  _ own: UnsafeMutableRawPointer?
) -> Int32 {
  // Does not use `easy`: it may be an internal handle of libcurl.
  guard let data else { return 0 }
  Unmanaged<EpollDriver>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.changed(descriptor, to: what) }
  return 0
}

nonisolated func timerCallback(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ data: UnsafeMutableRawPointer?
) -> Int32 {
  guard let data else { return 0 }
  Unmanaged<EpollDriver>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.timer(in: milliseconds) }
  return 0
}
#endif

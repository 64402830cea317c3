internal import CCurl
internal import FaradayCore

// libcurl's callbacks, all called on the engine's thread. Only this file turns libcurl's pointers back into objects: a transfer's
// pointer is valid while its easy handle is, because the engine keeps the transfer until it has closed the handle; a driver's and a
// socket table's while the multi handle is.
//
// They are global functions and not closures: a closure written in isolated code checks its executor when it is called, and would
// trap on a thread that is not its own.

nonisolated func writeCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  withTransfer(data, otherwise: faraday_write_error) { $0.received(UnsafeRawBufferPointer(start: bytes, count: count)) }
}

nonisolated func headerCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  withTransfer(data, otherwise: faraday_write_error) {
    $0.receivedHeader(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : faraday_write_error
  }
}

nonisolated func readCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  withTransfer(data, otherwise: faraday_read_abort) {
    $0.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size &* count))
  }
}

nonisolated func seekCallback(_ data: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
  withTransfer(data, otherwise: CURL_SEEKFUNC_CANTSEEK) {
    origin == SEEK_SET && offset == 0 && $0.mayRewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
  }
}

nonisolated func openSocketCallback(
  _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, withTransfer(data, otherwise: false, { $0.mayConnect(to: address) }) else { return faraday_bad_socket }
  let descriptor = faraday_open_socket(address)
  guard descriptor >= 0 else {
    withTransfer(data, otherwise: ()) { $0.openedNoSocket() }
    return faraday_bad_socket
  }
  withTransfer(data, otherwise: ()) { $0.openedSocket(descriptor, isDatagram: address.pointee.protocol == Int32(IPPROTO_UDP)) }
  return descriptor
}

nonisolated func readyCallback(
  _ data: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
  _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  let endpoints = Sockets.Endpoints(remote: remote, remotePort, local: local, localPort)
  let mayGoOn = withTransfer(data, otherwise: false) {
    $0.connectionIsReady(endpoints, remote, remotePort, local: local)
  }
  return mayGoOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Set only while libcurl may discard what it receives, and for responses whose end needs a TLS close_notify.
nonisolated func progressCallback(
  _ data: UnsafeMutableRawPointer?, _ downloadTotal: curl_off_t, _ downloaded: curl_off_t, _ uploadTotal: curl_off_t,
  _ uploaded: curl_off_t
) -> Int32 {
  withTransfer(data, otherwise: false) { $0.mayGoOn(downloaded: Int64(downloaded)) } ? 0 : 1
}

/// A TLS connection is prepared: its certificates are to be reported, or decided about.
nonisolated func tlsContextCallback(
  _ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?
) -> CURLcode {
  withTransfer(data, otherwise: CURLE_SSL_CONNECT_ERROR) { transfer in
    // That of a DNS-over-HTTPS resolver is verified as without this callback.
    guard easy == transfer.easy?.pointer else { return CURLE_OK }
    // Those of an https proxy came first.
    transfer.attempt.certificates = []
    guard OpenSSL.setVerification(context, verifyCallback, data) else { return CURLE_SSL_CONNECT_ERROR }
    return transfer.verifier == nil || OpenSSL.requireVerification(context) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
  }
}

/// The peer has sent its certificates: they are copied, and verified.
nonisolated func verifyCallback(_ store: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
  let certificates = OpenSSL.certificates(verifiedWith: store)
  return withTransfer(data, otherwise: false) { $0.accepts(certificates, in: store) } ? 1 : 0
}

/// The trailers of the request's body.
nonisolated func trailerCallback(
  _ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
  let lines = withTransfer(data, otherwise: []) { $0.trailerLines() }
  guard let list, let lines else { return CURL_TRAILERFUNC_ABORT }
  for line in lines {
    guard let longer = curl_slist_append(list.pointee, line) else { return CURL_TRAILERFUNC_ABORT }
    list.pointee = longer
  }
  return CURL_TRAILERFUNC_OK
}

/// Set only for responses after which libcurl may drop excess bytes, and for a trace.
nonisolated func logCallback(
  _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ text: UnsafeMutablePointer<CChar>?, _ count: Int,
  _ data: UnsafeMutableRawPointer?
) -> Int32 {
  withTransfer(data, otherwise: ()) { $0.logged(kind, UnsafeRawBufferPointer(start: text, count: count)) }
  return 0
}

/// For the request that makes libcurl clean up idle connections: it must not open a socket.
nonisolated func noSocketCallback(
  _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t { faraday_bad_socket }

/// For the same request: it must not be sent over a kept connection.
nonisolated func noRequestCallback(
  _ data: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
  _ remotePort: Int32, _ localPort: Int32
) -> Int32 { CURL_PREREQFUNC_ABORT }

nonisolated func closeSocketCallback(_ data: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
  if let data { Unmanaged<Sockets>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.closed(descriptor) } }
  return close(descriptor)
}

private func withTransfer<Result>(
  _ data: UnsafeMutableRawPointer?, otherwise: Result, _ body: (Transfer) -> Result
) -> Result {
  guard let data else { return otherwise }
  return Unmanaged<Transfer>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
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
  // `easy` may be an internal handle of libcurl, and is not used.
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

internal import CCurl
internal import FaradayCore

/// The connection of a transfer, and whether the request may be sent over it. libcurl calls back when it opens a socket, and when a
/// connection, new or kept, is ready and before the request is sent.
extension Transfer {
  /// Why a transfer is restarted by us: see ``Transfer``.
  enum Restart: Hashable {
    /// The kept connection that libcurl chose must not be used. Nothing was sent; the next attempt opens a new one.
    case newConnection
    /// The server answered 417: the next attempt has no `Expect` (RFC 9110, section 10.1.1).
    case withoutExpect
    /// libcurl has removed the addresses of the host from its DNS cache before the last connection was opened: the next attempt
    /// gives them to it again.
    case addressesForgotten
    /// The response has come over HTTP/2, and its end would not be certain: see ``Transfer/mayBeHTTP2``.
    case overHTTP1
    /// The connection of HTTP/2 has ended before the response was complete: see ``Transfer/isCutWithItsSession(_:)``.
    case sessionEnded
    /// Neither the server nor the proxy challenged the request whose body libcurl has held back, and libcurl would not send the body
    /// after that, or the response is too large to be skipped. The next attempt sends the body at once over a new connection,
    /// without the schemes for which it is held back.
    case withoutChallenge
  }

  /// The state of one attempt and of its connection.
  struct Attempt {
    var openedSockets: [Int32] = []
    var connection: (descriptor: Int32, endpoints: Sockets.Endpoints)?
    /// The number of its connection; nil if that is unknown.
    var connectionNumber: Int?
    var addresses = Sockets.Addresses()
    /// The certificates that the peer has sent, in DER, if they are asked for.
    var certificates: [Data] = []
    /// What was negotiated in the TLS handshake; nil without TLS, and before it.
    var tlsSession: TLSSession?
    /// Whether a verifier has accepted the server's certificates.
    var isAcceptedByVerifier = false
    /// When the TCP connection was first seen to be established, in nanoseconds of `Clock`.
    var connectedAt: Int64 = 0
    /// How many challenges libcurl has answered, and over which connection the last one came.
    var legs = 0
    var challenged: Sockets.Endpoints?
    /// When it began, if it is not the first; in nanoseconds of `Clock`.
    var began: Int64 = 0
    /// The address that an ``AddressPolicy`` has refused.
    var refusedAddress: ForbiddenAddress?
    /// Whether the request's trailers were sent. libcurl 7.88 must not send again then: it would write outside of its buffer.
    var hasSentTrailers = false
    /// Whether a connection to the server is ready: what arrives before is a proxy's answer to CONNECT.
    var expectsHead = false
    /// Whether it has had a connection: the request may have been sent.
    var isReady = false
    /// When that was, in nanoseconds of `Clock`.
    var readyAt: Int64 = 0
    var isReused = false
    var isHTTP2 = false
    /// Whether libcurl's log says that HTTP/2 was negotiated.
    var hasLoggedHTTP2 = false
    var isHTTP3 = false
    /// What the connection had received when the body of a challenge began, and libcurl had sent of the request's body when
    /// the leg began: see ``Transfer/mayGoOn(downloaded:)`` and ``Transfer/mayAnswer(_:)``.
    var bytesBeforeChallenge: Int64 = 0
    var bodyBeforeLeg: Int64 = 0
    /// Whether libcurl has asked for a part of the body in this leg: then it does not hold the body back.
    var hasAskedForBody = false
    /// Whether a proxy may be asked for a tunnel next, and how often libcurl has read a byte of its answers.
    var isTunnelling = false
    var tunnelReads = 0
    /// The number of bytes at the start of the next piece that were consumed before a pause: libcurl delivers that piece again.
    var consumedBeforePause = 0
    /// Whether the response's end needs a TLS close_notify.
    var needsCloseNotify = false
    /// Whether the server has sent a TLS close_notify; nil if it was not checked.
    var hasCloseNotify: Bool?
    // For events: what was reported over its connection, and the bytes of the body that libcurl has written to it.
    var hasReportedHead = false
    var hasReportedBody = false
    var sentBody: Int64 = 0
  }

  var connection: (descriptor: Int32, endpoints: Sockets.Endpoints)? { attempt.connection }
  var isHTTP2: Bool { attempt.isHTTP2 }
  var isHTTP3: Bool { attempt.isHTTP3 }
  /// Whether the connection may have other streams at the same time.
  var isMultiplexed: Bool { isHTTP2 || isHTTP3 }

  func openedSocket(_ descriptor: Int32, isDatagram: Bool) {
    attempt.expectsHead = false
    attempt.openedSockets.append(descriptor)
    // A kept connection was dead: this is another one.
    attempt.connectionNumber = nil
    if !isDatagram, tcpSettings.userTimeoutMilliseconds > 0 {
      faraday_set_user_timeout(descriptor, tcpSettings.userTimeoutMilliseconds)
    }
    engine?.opened(descriptor, isDatagram: isDatagram, for: self)
    if attempt.openedSockets.count == 1 { report(.resolved) }
  }

  /// Opening a socket has failed.
  func openedNoSocket() {
    if faraday_is_out_of_descriptors() != 0 {
      _ = stop(.outOfDescriptors, "no free file descriptor for a connection: raise `ulimit -n` or lower the connection limits")
    }
  }

  /// A connection is ready, and libcurl sends the request next. Returns whether it may.
  func connectionIsReady(
    _ endpoints: Sockets.Endpoints, _ remote: UnsafePointer<CChar>?, _ port: Int32, local: UnsafePointer<CChar>?
  ) -> Bool {
    guard let engine, let easy, maySendNow(), mayUse(remote, port) else { return false }
    guard begin(on: endpoints, engine.sockets, easy) else {
      // With a new connection already, it would go on for ever.
      guard attempt.legs == 0 || !pastRestarts.contains(.newConnection) else {
        return stop(
          .malformedResponse, "the server sent more than its challenge, and the request cannot be sent over that connection")
      }
      pendingRestart = .newConnection
      return false
    }
    engine.connected(self)
    attempt.isReady = true
    if attempt.isTunnelling || attempt.legs > 0 { unwatchProgress() }
    attempt.isTunnelling = false
    attempt.expectsHead = true
    attempt.readyAt = Clock.now
    attempt.addresses = engine.sockets.addresses(
      of: connection?.descriptor, remote: remote, port, local: local, endpoints.localPort)
    // libcurl starts sending anew, without a pause.
    isSendPaused = false
    reportConnection()
    return true
  }

  /// Claims the connection. Returns false if it is a kept one with unread bytes, or one that is unknown: they must not be used.
  private func begin(on endpoints: Sockets.Endpoints, _ sockets: Sockets, _ easy: EasyHandle) -> Bool {
    releaseConnection()
    // libcurl counts the connections of all legs: after the first one, a connection that is known is a kept one.
    let found = mayBeHTTP3 ? sockets.descriptor(endpoints, active: easy.activeSocket) : sockets.descriptor(endpoints)
    let known = attempt.legs > 0 ? found : nil
    let isNextLeg = known != nil && attempt.challenged == endpoints
    let isReused = known != nil || attempt.legs == 0 && easy.get(CURLINFO_NUM_CONNECTS) == 0
    if attempt.legs == 0 { attempt.isReused = isReused }
    let descriptor = isReused ? found : sockets.connected(attempt.openedSockets, endpoints)
    let ssl = target.isSecure ? faraday_get_ssl(easy.pointer) : nil
    if let ssl, !isReused { attempt.tlsSession = OpenSSL.session(of: ssl) }
    // A handshake without a decision must not happen: sessions are not resumed.
    if !isReused, verifier != nil, !attempt.isAcceptedByVerifier {
      failure = error(
        .tlsVerificationFailed, "the server's certificates were not passed to `options.tls.verifier`", phase: .tls)
      return false
    }
    guard let descriptor else { return !isReused }
    attempt.isHTTP3 = sockets.isHTTP3(descriptor)
    if isReused {
      attempt.isHTTP2 = sockets.isHTTP2(descriptor)
      // A request for HTTP/1.1 must not use a connection of HTTP/2: see `Library.Behaviour.mixesVersions`.
      guard mayBeHTTP2 || !isHTTP2 else { return false }
      // Frames name their stream: what has arrived cannot be mistaken for this response, and libcurl reads it.
      guard isMultiplexed || !hasUnreadBytes(descriptor, ssl) else { return false }
      guard isNextLeg || !sockets.isEvicted(descriptor) && sockets.options(descriptor) == connectionOptions else { return false }
      sockets.apply(tcpSettings, to: descriptor)
      attempt.tlsSession = sockets.tlsSession(descriptor)
      if let ssl, request.options.transport?.fields.tls.reportsPeerCertificates ?? false {
        attempt.certificates = OpenSSL.peerCertificates(ssl)
      }
    } else {
      sockets.established(descriptor, to: target.origin)
      sockets.made(descriptor, with: connectionOptions, tcpSettings)
      if let session = attempt.tlsSession { sockets.note(session, of: descriptor) }
      attempt.isHTTP2 = !isHTTP3 && hasAgreedOnHTTP2(ssl)
      if isHTTP2 { sockets.noteHTTP2(descriptor) }
      // It could not be told later whether the TLS layer has unread bytes.
      if target.isSecure, !isMultiplexed, ssl == nil || !OpenSSL.detectsUnreadBytes { forbidReuse() }
    }
    watchFrames()
    let uses = sockets.begin(descriptor)
    attempt.connection = (descriptor, endpoints)
    attempt.connectionNumber = sockets.number(descriptor)
    if uses >= settings.requestsPerConnection { forbidReuse() }
    return true
  }

  /// Whether bytes have come that nobody asked for, or the server has closed the connection. A system call.
  private func hasUnreadBytes(_ descriptor: Int32, _ ssl: UnsafeMutableRawPointer?) -> Bool {
    faraday_is_readable_or_closed(descriptor) != 0 || ssl.map(OpenSSL.hasUnreadBytes) ?? false
  }

  private var tcpSettings: TCPSettings { request.options.transport.map { TCPSettings($0.fields.network) } ?? TCPSettings() }

  /// Makes libcurl close the connection after this request.
  func forbidReuse() {
    if let easy { _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1) }
  }

  /// Notes that the request no longer uses its connection.
  func releaseConnection() {
    if let connection { engine?.sockets.end(connection.descriptor, connection.endpoints) }
    attempt.connection = nil
  }

  // MARK: resending and restarts: see `Transfer`

  /// Whether the request may be sent over a connection, for the first time or again. If not, notes the error.
  ///
  /// libcurl resends by itself when a kept connection is closed before any byte of a response, whatever the method, and when an
  /// HTTP/2 server asks for HTTP/1.1, even after a part of a response.
  func maySendNow() -> Bool {
    guard failure == nil, pendingRestart == nil else { return false }
    if isChallenge { beginNextLeg() }
    guard failure == nil else { return false }
    guard !attempt.hasSentTrailers else {
      return stop(.connectionClosed, "the request would have to be sent again, and its trailers were sent already")
    }
    guard attempt.isReady else { return true }
    guard parser.size == 0 else {
      return stop(.truncatedResponse, "the response was truncated, and the request is not resent after a part of a response")
    }
    return maySendAgain
      || stop(
        .connectionClosed,
        "the connection was closed before a response; a \(request.method) may have arrived, is not idempotent, and is not resent"
      )
  }

  /// Whether resending is safe: the method is idempotent (RFC 9110, section 9.2.2), or nothing was sent.
  var maySendAgain: Bool { request.method.isIdempotent || easy?.get(CURLINFO_REQUEST_SIZE) == 0 }

  /// Why the transfer must be restarted, after libcurl has ended it with that code; nil if it is done.
  func neededRestart(after code: CURLcode) -> Restart? {
    if failure != nil { return nil }
    if let pendingRestart { return pendingRestart }
    if isCutWithItsSession(code) { return .sessionEnded }
    let isForgotten = code == CURLE_COULDNT_RESOLVE_HOST && hasAddresses && !pastRestarts.contains(.addressesForgotten)
    if isForgotten, isChallenge || parser.size == 0 && maySendAgain { return .addressesForgotten }
    // libcurl gives up after five kept connections that were dead (before 8.0) or refused the stream (HTTP/2). A new one may work.
    let isOutOfTries = code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR
    let isOld = attempt.isReused && !pastRestarts.contains(.newConnection)
    return isOutOfTries && isOld && parser.size == 0 && maySendAgain ? .newConnection : nil
  }

  /// Resets the state of the attempt and creates a new easy handle. Returns false if the body is not replayable.
  func restart(_ reason: Restart) throws -> Bool {
    guard rewind() else { return false }
    releaseConnection()
    closeHandle()
    if reason == .overHTTP1 { forbidHTTP2() }
    pastRestarts.insert(reason)
    pendingRestart = nil
    isChallenge = false
    attempt = Attempt()
    attempt.began = Clock.now
    firstByte = 0
    parser = ResponseParser(to: request.method, request.headers)
    receiving = .flowing
    // Nobody has seen what has arrived of the response.
    received = 0
    bufferedBody = nil
    stream = nil
    try prepare()
    engine?.updateDeadline(of: self)
    return true
  }
}

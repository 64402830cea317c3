internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// One attempt to send a request: its libcurl easy handle, its connection, and the challenges that libcurl responds to.
///
/// A restarted transfer has several attempts: ``Restart``. An easy handle is never reused, because `curl_easy_reset` keeps too
/// much state. The sending task may create and configure the attempt; after that it is used on the engine's thread only.
///
/// libcurl's callbacks about sockets, TLS, connections, progress and the log call the attempt. Callbacks about bytes of the
/// request and the response call the exchange. A callback that must end or restart the transfer records the reason with `stop`.
/// From then on every callback makes libcurl abort, and the engine reads the reason when libcurl has ended the transfer.
final class Attempt {
  /// The reason why the transfer is restarted with a new attempt: see ``Exchange``.
  enum Restart: Hashable {
    /// The keep-alive connection that libcurl chose must not be used. Nothing was sent; the next attempt opens a new
    /// connection.
    case newConnection
    /// The server responded with 417: the next attempt has no `Expect` (RFC 9110, section 10.1.1).
    case withoutExpect
    /// The server responded with 425 to early data (RFC 8470, section 5.2). Or libcurl has ended the handshake after early
    /// data, because the server chose another protocol or version (RFC 8446, section D.3). The next attempt waits for the
    /// handshake.
    case withoutEarlyData
    /// libcurl removed the host's addresses from its DNS cache before it opened the last connection. The next attempt sets the
    /// addresses again.
    case addressesForgotten
    /// The response arrived over HTTP/2, where its end would be unreliable: see ``Transfer/mayBeHTTP2``.
    case overHTTP1
    /// The HTTP/2 connection ended before the response was complete.
    case sessionEnded
    /// Neither the server nor the proxy challenged the request whose body libcurl has held back. libcurl would not send the
    /// body after that, or the response is too large to be skipped. The next attempt sends the body at once over a new
    /// connection, without the schemes for which libcurl holds the body back.
    case withoutChallenge
  }

  /// A connection that the attempt uses.
  typealias Connection = Sockets.Connection

  /// The result of claiming the connection that libcurl has chosen.
  enum Claim {
    case claimed
    /// A keep-alive connection with unread bytes, or an unknown connection.
    case unusable
    /// The connection's certificates were not passed to the verifier.
    case unverified
  }

  /// The maximum size of a challenge's body that is read to keep its connection, in bytes.
  static let maximumChallenge: Int64 = 1 << 20
  /// The maximum size of a proxy's responses to CONNECT, in bytes. libcurl reads them byte by byte, and serves no other
  /// transfer meanwhile.
  static let maximumTunnelAnswer = 128 << 10

  // Safe: the transfer owns the attempt, and closes it before the transfer is released.
  unowned(unsafe) private let transfer: Transfer

  // No run-time checks for exclusive access, because these are used for each line and piece: no caller code runs while they are
  // changed.

  /// The error that ends the transfer; it takes precedence over libcurl's error.
  @exclusivity(unchecked) private(set) var failure: (any Error)?
  /// The reason why another attempt must follow.
  @exclusivity(unchecked) private var pendingRestart: Restart?
  /// The easy handle; nil once it was closed.
  private var pointer: UnsafeMutableRawPointer?
  /// Memory that libcurl uses without copying: the error text, and lists.
  private let memory: UnsafeMutableRawPointer
  /// The origin whose parsed URL the easy handle uses.
  private var origin: ParsedOrigin?
  /// The names of fields that libcurl would add, but must omit.
  @exclusivity(unchecked) private var omitted: [String] = []
  /// Whether the attempt sets the host's addresses, which libcurl must not remove from its DNS cache before it has connected.
  private(set) var hasAddresses = false
  /// The reasons of earlier restarts.
  private let past: Set<Restart>
  /// The start of the attempt's last leg, in nanoseconds of `Clock`; 0 in the first leg of the first attempt.
  private(set) var began: Int64

  private var openedSockets: [Int32] = []
  private(set) var connection: Connection?
  /// The number of the connection; nil if it is unknown.
  private(set) var connectionNumber: Int?
  private(set) var addresses = Sockets.Addresses()
  /// The certificates from the peer, in DER, if the options request them.
  private(set) var certificates: [Data] = []
  /// The negotiated properties of the TLS session; nil without TLS, and before the handshake.
  private(set) var tlsSession: TLSSession?
  /// Whether the request was sent before the handshake was complete, and no response has arrived.
  private var sentInHandshake = false
  /// Whether a verifier has accepted the server's certificates.
  private var isAcceptedByVerifier = false
  /// The time at which the TCP connection was first found to be established, in nanoseconds of `Clock`; 0 before.
  private var connectedAt: Int64 = 0
  /// The address that an ``AddressPolicy`` has rejected.
  private var refused: ForbiddenAddressError?
  /// Whether the request's trailers were sent. libcurl 7.88 must not resend them: it would write beyond its buffer.
  private var hasSentTrailers = false
  /// Whether a connection to the server is ready. A head that arrives earlier is a proxy's response to CONNECT.
  @exclusivity(unchecked) private(set) var expectsHead = false
  /// Whether the attempt has had a connection: the request may have been sent.
  private(set) var isReady = false
  /// The time at which the connection was ready, in nanoseconds of `Clock`.
  private(set) var readyAt: Int64 = 0
  private(set) var isReused = false
  @exclusivity(unchecked) private(set) var isHTTP2 = false
  /// Whether HTTP/2 was negotiated according to libcurl's log.
  private var hasLoggedHTTP2 = false
  @exclusivity(unchecked) private(set) var isHTTP3 = false
  @exclusivity(unchecked) private(set) var challenges: Challenges
  /// Whether a proxy may receive a CONNECT request next, and the number of reads of its responses so far.
  private var isTunnelling = false
  private var tunnelReads = 0
  /// Whether the end of the response requires a TLS close_notify.
  private var needsCloseNotify = false
  /// Whether the server has sent a TLS close_notify; nil if it was not checked.
  private(set) var hasCloseNotify: Bool?
  /// Whether the end of the connection is watched, and whether it has ended.
  private var watchesEnd = false
  private(set) var hasEnded = false

  /// Creates the easy handle without options. Returns nil if libcurl is not initialized, or there is no memory.
  init?(of transfer: Transfer, after past: Set<Restart>) {
    guard Library.isReady, let memory = faraday_memory_create() else { return nil }
    guard let pointer = curl_easy_init() else {
      faraday_memory_free(memory)
      return nil
    }
    self.transfer = transfer
    (self.pointer, self.memory, self.past) = (pointer, memory, past)
    began = past.isEmpty ? 0 : Clock.now
    challenges = Challenges(to: transfer, mayHoldBack: !past.contains(.withoutChallenge))
  }

  deinit {
    close()
    faraday_memory_free(memory)
  }

  // MARK: the easy handle

  /// The context pointer of libcurl's callbacks about the connection.
  var this: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The easy handle; nil once it was closed.
  var easy: EasyHandle? { pointer.map { EasyHandle(pointer: $0) } }

  /// The buffer to which libcurl writes the text of an error.
  var errorBuffer: UnsafeMutablePointer<CChar> { faraday_memory_error(memory) }

  /// The text of libcurl's error; empty without an error.
  var errorText: String { String(cString: errorBuffer) }

  /// Frees the easy handle. It must have been removed from its multi handle.
  func close() {
    guard let pointer else { return }
    self.pointer = nil
    curl_easy_cleanup(pointer)
  }

  /// Sets an option whose value is a list of strings.
  func setList(_ option: CURLoption, _ texts: [String]) throws {
    // C would truncate the string at the NUL.
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw EasyHandle.OptionRejected(option: "(a text contains NUL)", code: CURLE_BAD_FUNCTION_ARGUMENT)
    }
    try setList(option, texts.flatMap { $0.utf8 + [0] })
  }

  /// Sets an option whose value is a list of C strings, each with its NUL.
  func setList(_ option: CURLoption, _ texts: [UInt8]) throws {
    guard !texts.isEmpty, let easy else { return }
    guard let list = faraday_memory_add(memory, texts, texts.count) else {
      throw EasyHandle.OptionRejected(option: "(out of memory)", code: CURLE_OUT_OF_MEMORY)
    }
    try easy.set(option, UnsafeRawPointer(list))
  }

  /// Sets the URL to an origin's root, for requests whose request target is set.
  func setURL(to origin: ParsedOrigin) throws {
    guard let easy else { return }
    self.origin = origin
    try easy.set(CURLOPT_URL, origin.root)
    try easy.set(CURLOPT_CURLU, UnsafeRawPointer(origin.url))
  }

  /// Sets the addresses of a host for libcurl, in the syntax of `CURLOPT_RESOLVE`.
  func setAddresses(_ entry: String) throws {
    try setList(CURLOPT_RESOLVE, [entry])
    hasAddresses = true
  }

  /// The names of fields that libcurl would add, but must omit.
  var omittedFields: [String] { omitted }

  func omitField(_ name: String) { omitted.append(name) }

  /// Whether libcurl must open a new connection. Either it chose an unusable connection, or libcurl 8.4 would hold back the
  /// body of a later request on this connection, even without credentials.
  var needsNewConnection: Bool { !past.isDisjoint(with: [.newConnection, .withoutChallenge]) }

  /// Whether the server responded with 417 to an earlier attempt.
  var omitsExpect: Bool { past.contains(.withoutExpect) }

  // MARK: early data of TLS 1.3 (0-RTT)

  // libcurl delays the handshake until it has the request, and sends both together. The connection is therefore ready, and its
  // protocol known, before the server responds. libcurl ends the connection if the server then negotiates another protocol.
  // libcurl sends early data only to a server that it has accepted before with equal options (authorities, pins, certificates),
  // because it separates TLS sessions by these options.

  /// Whether the request may be sent before the handshake is complete.
  var maySendEarlyData: Bool { transfer.maySendEarlyData && !past.contains(.withoutEarlyData) }

  /// The number of bytes that were sent as early data and accepted.
  var earlyDataSize: Int64 {
    guard maySendEarlyData, !isReused else { return 0 }
    return max(0, easy?.get(offset: Library.earlyDataInfo) ?? 0)
  }

  /// Whether the handshake is incomplete although the request may have been sent.
  var isInHandshake: Bool {
    guard sentInHandshake, let easy, let ssl = faraday_get_ssl(easy.pointer) else { return false }
    return OpenSSL.isInHandshake(ssl)
  }

  /// Notes that the response begins. Returns whether the request was sent before the handshake was complete.
  func endHandshake() -> Bool {
    defer { sentInHandshake = false }
    return sentInHandshake
  }

  /// Stores the negotiated properties of a handshake that completed after the request was sent.
  func noteCompletedHandshake(in sockets: Sockets?) {
    guard maySendEarlyData, !isReused, let easy, let connection, let ssl = faraday_get_ssl(easy.pointer) else { return }
    let session = OpenSSL.session(of: ssl)
    tlsSession = session
    sockets?.note(session, of: connection.descriptor)
  }

  /// Makes libcurl close the connection after this request.
  func forbidReuse() {
    if let easy { _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1) }
  }

  /// The number of body bytes that libcurl has sent.
  var sentBody: Int64 { easy?.get(offset: CURLINFO_SIZE_UPLOAD_T) ?? 0 }

  // MARK: ending and restarting: see `Exchange`

  /// Whether a callback may continue: no error and no restart is pending.
  var mayGoOn: Bool { failure == nil && pendingRestart == nil }

  /// Records the error that ends the transfer. Returns false, as the result for callbacks.
  func stop(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil) -> Bool {
    stop(transfer.exchange.error(code, message, phase: phase))
  }

  func stop(_ error: any Error) -> Bool {
    failure = error
    return false
  }

  /// Records that another attempt must follow. Returns false, as the result for callbacks.
  func stop(toRestart reason: Restart) -> Bool {
    pendingRestart = reason
    return false
  }

  /// The reason to restart the transfer after libcurl has ended it with that code; nil if no restart is needed.
  func neededRestart(after code: CURLcode) -> Restart? {
    if failure != nil { return nil }
    if let pendingRestart { return pendingRestart }
    if isCutWithItsSession(code) { return .sessionEnded }
    if sentInHandshake, code == CURLE_SSL_CONNECT_ERROR, transfer.exchange.headSize == 0 { return .withoutEarlyData }
    let isForgotten = code == CURLE_COULDNT_RESOLVE_HOST && hasAddresses && !past.contains(.addressesForgotten)
    if isForgotten, challenges.isPending || transfer.exchange.headSize == 0 && maySendAgain { return .addressesForgotten }
    // libcurl gives up after five keep-alive connections that were dead (before 8.0) or refused the stream (HTTP/2). A new
    // connection may work.
    let isOutOfTries = code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR
    let isOld = isReused && !past.contains(.newConnection)
    return isOutOfTries && isOld && transfer.exchange.headSize == 0 && maySendAgain ? .newConnection : nil
  }

  /// Whether libcurl has ended the transfer because its HTTP/2 connection has ended, and the request can be sent again over
  /// another connection. That needs an idempotent method, and a response of which nothing was delivered. Servers end
  /// connections at any time (GOAWAY), and some (caddy 2.6) do not complete streams that their GOAWAY has promised to complete.
  private func isCutWithItsSession(_ code: CURLcode) -> Bool {
    guard isHTTP2, !past.contains(.sessionEnded), transfer.isAwaited, transfer.request.method.isIdempotent else { return false }
    // CURLE_RECV_ERROR would mean a refused stream.
    let isEnd = [CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_GOT_NOTHING].contains(code)
    guard isEnd, transfer.options.deliversAtOnce, !transfer.exchange.isWhole, let connection,
      let engine = transfer.exchange.engine
    else {
      return false
    }
    // Otherwise only the stream has ended.
    return !engine.sockets.isOpen(connection) || faraday_is_readable_or_closed(connection.descriptor) != 0
  }

  /// Whether resending is safe: the method is idempotent (RFC 9110, section 9.2.2), or nothing was sent.
  private var maySendAgain: Bool { transfer.request.method.isIdempotent || easy?.get(CURLINFO_REQUEST_SIZE) == 0 }

  /// Whether the request may be sent over a connection, for the first time or again. If not, records the error.
  ///
  /// libcurl resends automatically if a keep-alive connection is closed before the first byte of a response, whatever the
  /// method. It also resends if an HTTP/2 server requires HTTP/1.1, even after a part of a response.
  private func maySendNow() -> Bool {
    guard mayGoOn else { return false }
    if challenges.isPending { beginNextLeg() }
    guard failure == nil else { return false }
    guard !hasSentTrailers else {
      return stop(.connectionClosed, "the request must be sent again, but its trailers were already sent")
    }
    guard isReady else { return true }
    guard transfer.exchange.headSize == 0 else {
      return stop(.truncatedResponse, "the response was truncated, and the request is not resent after a part of a response")
    }
    return maySendAgain
      || stop(
        .connectionClosed,
        "the connection was closed before a response: the server may have received the \(transfer.request.method), which is not idempotent and is not resent"
      )
  }

  // MARK: connecting

  /// Whether libcurl may open a socket to the address.
  func mayConnect(to address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    guard maySendNow() else { return false }
    guard let refused = transfer.addressRules.refusal(of: address) else { return true }
    // No error yet: other addresses of the name may be allowed.
    self.refused = refused
    return false
  }

  /// Handles a failure to open a socket.
  func openedNoSocket() {
    if faraday_is_out_of_descriptors() != 0 {
      _ = stop(.outOfDescriptors, "no free file descriptor for a connection: raise `ulimit -n` or lower the connection limits")
    }
  }

  func openedSocket(_ descriptor: Int32, isDatagram: Bool) {
    let transfer = self.transfer
    expectsHead = false
    let isFirst = openedSockets.isEmpty
    // The system uses the descriptor of a closed socket again.
    if !openedSockets.contains(descriptor) { openedSockets.append(descriptor) }
    // A keep-alive connection was dead, and libcurl opens another one.
    connectionNumber = nil
    let tcp = transfer.tcpSettings
    if !isDatagram, tcp.userTimeoutMilliseconds > 0 { faraday_set_user_timeout(descriptor, tcp.userTimeoutMilliseconds) }
    transfer.exchange.engine?.opened(descriptor, isDatagram: isDatagram, for: transfer)
    if isFirst { transfer.exchange.report(.resolved) }
  }

  /// Whether libcurl has neither opened a socket nor found an address.
  var isResolving: Bool { openedSockets.isEmpty && hasNoAddress }

  /// Whether libcurl has found no address yet.
  var hasNoAddress: Bool { easy?.get(offset: CURLINFO_NAMELOOKUP_TIME_T) == 0 }

  /// Whether a TCP connection was established for this attempt.
  func isConnected(in sockets: Sockets) -> Bool {
    openedSockets.contains { descriptor in
      guard sockets.isNew(descriptor), !sockets.isHTTP3(descriptor) else { return false }
      return faraday_is_connected(descriptor) != 0
    }
  }

  /// The time at which a TCP connection was first found to be established; nil before. libcurl does not report it, so the
  /// sockets are polled.
  func connectedSince(_ now: Int64, in sockets: Sockets) -> Int64? {
    if connectedAt == 0, isConnected(in: sockets) { connectedAt = now }
    return connectedAt > 0 ? connectedAt : nil
  }

  /// The rejected address, if no socket was opened.
  var refusedAddress: ForbiddenAddressError? { openedSockets.isEmpty ? refused : nil }

  // MARK: the server's certificates

  /// Called when libcurl prepares the TLS of a connection. Returns whether libcurl may continue.
  func mayBeginHandshake(_ easy: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) -> Bool {
    // The certificate of a DNS-over-HTTPS resolver is verified as without this callback.
    guard easy == pointer else { return true }
    // The certificates of an https proxy arrived earlier.
    certificates = []
    guard OpenSSL.setVerification(context, verifyCallback, this) else { return false }
    return transfer.verifier == nil || OpenSSL.requireVerification(context)
  }

  /// Called when the peer has sent its certificates. Returns whether the handshake may continue.
  func accepts(_ certificates: [Data], in store: UnsafeMutableRawPointer?) -> Bool {
    let tls = transfer.options.tls
    if tls.reportsPeerCertificates { self.certificates = certificates }
    guard let verifier = transfer.verifier else { return OpenSSL.verify(store) }
    if tls.verifiesCertificate {
      guard OpenSSL.verify(store) else { return false }
    }
    let host = transfer.target.endpoint.host
    isAcceptedByVerifier = verifier.accepts(certificates, host: host)
    transfer.exchange.callbackReturned()
    // OpenSSL has set no result if the chain was not verified.
    if !isAcceptedByVerifier || !tls.verifiesCertificate { OpenSSL.setResult(store, isAccepted: isAcceptedByVerifier) }
    return isAcceptedByVerifier
      || stop(.tlsVerificationFailed, "`options.tls.verifier` refused the certificates of \(host.bounded())", phase: .tls)
  }

  // MARK: the connection

  /// Whether the connection may have other streams at the same time.
  var isMultiplexed: Bool { isHTTP2 || isHTTP3 }

  /// Called when a connection is ready, just before libcurl sends the request. Returns whether libcurl may send it.
  func connectionIsReady(
    _ endpoints: Sockets.Endpoints, _ remote: UnsafePointer<CChar>?, _ port: Int32, local: UnsafePointer<CChar>?
  ) -> Bool {
    let transfer = self.transfer
    guard let engine = transfer.exchange.engine, maySendNow() else { return false }
    // A keep-alive connection may have been created under another policy.
    if let refused = transfer.addressRules.refusal(of: remote, port) { return stop(transfer.exchange.forbidden(refused)) }
    switch claim(endpoints, of: engine.sockets) {
    case .claimed: break
    case .unverified:
      return stop(
        .tlsVerificationFailed, "the server's certificates were not passed to `options.tls.verifier`", phase: .tls)
    case .unusable:
      // If the connection is already new, another restart would repeat forever.
      guard challenges.legs == 0 || !past.contains(.newConnection) else {
        return stop(
          .malformedResponse, "the server sent bytes after its challenge: the request cannot be sent over that connection")
      }
      return stop(toRestart: .newConnection)
    }
    engine.connected(transfer, isReused: isReused)
    isReady = true
    if isTunnelling || challenges.legs > 0, !watchesEnd { unwatchProgress() }
    isTunnelling = false
    expectsHead = true
    readyAt = Clock.now
    addresses = engine.sockets.addresses(
      of: connection?.descriptor, remote: remote, port, local: local, endpoints.localPort)
    transfer.exchange.beginsSending(over: self)
    return true
  }

  /// Claims the connection that libcurl has chosen.
  private func claim(_ endpoints: Sockets.Endpoints, of sockets: Sockets) -> Claim {
    let transfer = self.transfer
    guard let easy else { return .unusable }
    release(to: sockets)
    let challenged = challenges.connection.flatMap { sockets.isOpen($0) ? $0.descriptor : nil }
    let known: Int32?
    if endpoints.isAnonymous {
      // All connections to Unix sockets have the same endpoints, and only the next leg uses one again.
      known = challenged == easy.activeSocket ? challenged : nil
    } else {
      known = transfer.mayBeHTTP3 ? sockets.descriptor(endpoints, active: easy.activeSocket) : sockets.descriptor(endpoints)
    }
    let isNextLeg = known != nil && known == challenged
    // libcurl counts the connections of all legs. After the first leg, a known connection is a keep-alive connection.
    let isKept = challenges.legs == 0 ? easy.get(CURLINFO_NUM_CONNECTS) == 0 : known != nil
    if challenges.legs == 0 { isReused = isKept }
    let descriptor = isKept ? known : sockets.connected(openedSockets, endpoints)
    let ssl = transfer.target.isSecure ? faraday_get_ssl(easy.pointer) : nil
    if let ssl, !isKept { tlsSession = OpenSSL.session(of: ssl) }
    sentInHandshake = ssl.map { maySendEarlyData && OpenSSL.isInHandshake($0) } ?? false
    // A handshake without the verifier's decision must not happen: sessions are not resumed.
    guard isKept || transfer.verifier == nil || isAcceptedByVerifier else { return .unverified }
    guard let descriptor else { return isKept ? .unusable : .claimed }
    isHTTP3 = sockets.isHTTP3(descriptor)
    if isKept {
      isHTTP2 = sockets.isHTTP2(descriptor)
      // An HTTP/1.1 request must not use an HTTP/2 connection: see `Library.Behaviour.mixesVersions`.
      guard transfer.mayBeHTTP2 || !isHTTP2 else { return .unusable }
      // Frames identify their stream: earlier bytes cannot be mistaken for this response, and libcurl reads them.
      guard isMultiplexed || !hasUnreadBytes(descriptor, ssl) else { return .unusable }
      guard isNextLeg || !sockets.isEvicted(descriptor) && sockets.options(descriptor) == transfer.connectionOptions else {
        return .unusable
      }
      sockets.apply(transfer.tcpSettings, to: descriptor)
      tlsSession = sockets.tlsSession(descriptor)
      if let ssl, transfer.transport.map({ $0.fields.tls.reportsPeerCertificates }) ?? false {
        certificates = OpenSSL.peerCertificates(ssl)
      }
    } else {
      sockets.established(descriptor, to: transfer.target.origin)
      sockets.made(descriptor, with: transfer.connectionOptions, transfer.tcpSettings)
      if let tlsSession { sockets.note(tlsSession, of: descriptor) }
      isHTTP2 = !isHTTP3 && hasAgreedOnHTTP2(ssl)
      if isHTTP2 { sockets.noteHTTP2(descriptor) }
      // Without OpenSSL's functions, unread bytes in the TLS layer could not be detected before a reuse.
      if transfer.target.isSecure, !isMultiplexed, ssl == nil || !OpenSSL.detectsUnreadBytes { forbidReuse() }
    }
    watchFrames()
    let uses = sockets.begin(descriptor)
    connectionNumber = sockets.number(descriptor)
    connection = Connection(descriptor: descriptor, number: connectionNumber)
    if uses >= transfer.settings.requestsPerConnection { forbidReuse() }
    return .claimed
  }

  /// Whether unsolicited bytes have arrived, or the server has closed the connection. Costs a system call.
  private func hasUnreadBytes(_ descriptor: Int32, _ ssl: UnsafeMutableRawPointer?) -> Bool {
    faraday_is_readable_or_closed(descriptor) != 0 || ssl.map(OpenSSL.hasUnreadBytes) ?? false
  }

  /// Notes that the request no longer uses its connection.
  func release(to sockets: Sockets) {
    if let connection { sockets.endRequest(on: connection) }
    connection = nil
  }

  // MARK: HTTP/2

  /// Whether HTTP/2 was negotiated for the new connection.
  private func hasAgreedOnHTTP2(_ ssl: UnsafeMutableRawPointer?) -> Bool {
    if transfer.options.httpVersion == .http2PriorKnowledge { return true }
    return transfer.readsProtocolFromLog ? hasLoggedHTTP2 : ssl.flatMap(OpenSSL.hasAgreedOnHTTP2) ?? false
  }

  /// Makes libcurl log the frames of its connection: see ``Library/Behaviour/hidesBrokenSessions``.
  private func watchFrames() {
    if isHTTP2, Library.Behaviour.hidesBrokenSessions { watchLog() }
  }

  // MARK: challenges

  /// Notes that a head is complete. Returns whether libcurl may respond to it with another request.
  func isChallenge(_ status: Int) -> Bool {
    challenges.judge(status, sentBody: sentBody)
    return challenges.isPending
  }

  /// Notes that the body of a challenge follows, of which only a limited part is read.
  func watchChallenge() {
    challenges.beginBody(after: receivedBytes)
    try? watchProgress()
  }

  /// Notes that the pending head is delivered as the response.
  func deliverChallenge() { challenges.deliver() }

  /// Called when libcurl reads a part of the body. Returns whether a pending response with that status is the final response.
  func noteBodyIsSent(_ status: Int) -> Bool { challenges.noteBodyIsSent(status) }

  /// Called when libcurl responds to a challenge: another response follows, and possibly another connection.
  func beginNextLeg() {
    challenges.beginNextLeg(after: connection, sentBody: sentBody)
    isTunnelling = transfer.needsTunnel
    began = Clock.now
    if challenges.legs > Challenges.maximum {
      _ = stop(.malformedResponse, "the server challenged the request more than \(Challenges.maximum) times")
    }
    isReady = false
    transfer.exchange.awaitNextResponse()
  }

  // MARK: unreported work of libcurl

  /// Makes libcurl call ``mayGoOn(downloaded:)`` after each read. libcurl discards the bodies of challenges, and a proxy's
  /// responses to CONNECT; both must be bounded.
  private func watchProgress() throws(EasyHandle.OptionRejected) {
    guard let easy else { return }
    try easy.check(faraday_set_transfer_progress(easy.pointer, progressCallback, this), CURLOPT_XFERINFOFUNCTION)
  }

  private func unwatchProgress() {
    if let easy { _ = faraday_set_long(easy.pointer, CURLOPT_NOPROGRESS, 1) }
  }

  /// Notes that the request uses a tunnel, and limits the size of the proxy's responses.
  func expectTunnel() throws(EasyHandle.OptionRejected) {
    isTunnelling = true
    try watchProgress()
  }

  /// libcurl's progress callback. Returns false to abort.
  func mayGoOn(downloaded: Int64) -> Bool {
    guard mayGoOn else { return false }
    if needsCloseNotify { checkCloseNotify() }
    if watchesEnd { checkEnd() }
    if challenges.isPending {
      guard challenges.discarded(downloaded, receivedBytes) > Self.maximumChallenge else { return true }
      if challenges.isWithoutBody(transfer.exchange.status) { return stop(toRestart: .withoutChallenge) }
      return stop(
        .bodyTooLarge,
        "the skipped body of a \(transfer.exchange.status) response is larger than \(Self.maximumChallenge) bytes")
    }
    guard isTunnelling else { return true }
    tunnelReads += 1
    return tunnelReads <= Self.maximumTunnelAnswer
      || stop(.proxyFailed, "the proxy's response to CONNECT is larger than \(Self.maximumTunnelAnswer) bytes")
  }

  /// The number of bytes that the connection has received; 0 if it is closed or shared with other transfers, or the system does
  /// not report it.
  private var receivedBytes: Int64 {
    guard let connection, !isMultiplexed, transfer.exchange.engine?.sockets.isOpen(connection) == true else { return 0 }
    return max(0, faraday_received_bytes(connection.descriptor))
  }

  /// Watches for the close_notify of a TLS body that ends with the connection. Without a close_notify, an attacker may have
  /// truncated the body (RFC 9112, section 9.8). libcurl 7.88 does not check that. Its progress callback is called once more
  /// when such a transfer is done and still has its connection.
  func watchForCloseNotify() {
    guard transfer.target.isSecure, !isMultiplexed else { return }
    needsCloseNotify = true
    try? watchProgress()
  }

  private func checkCloseNotify() {
    guard let easy, let ssl = faraday_get_ssl(easy.pointer) else { return }
    hasCloseNotify = OpenSSL.hasReceivedCloseNotify(ssl)
  }

  /// Watches for the end of a connection while the request's body is paused. libcurl before 8.9 does not end the transfer then
  /// (curl issue 11769), and does not read from the connection any more.
  func watchForEnd() {
    guard Library.Behaviour.keepsPausedUploads, !isMultiplexed else { return }
    if !watchesEnd {
      watchesEnd = true
      try? watchProgress()
    }
    // libcurl may have read the end before the pause.
    checkEnd()
  }

  private func checkEnd() {
    let exchange = transfer.exchange
    guard exchange.isSendingPaused, !exchange.isReceivingPaused, !hasEnded, let easy, let connection else { return }
    // libcurl answers a challenge, or ends the transfer, when the stalled upload is resumed.
    guard !challenges.isPending else { return }
    if let ssl = faraday_get_ssl(easy.pointer) {
      // The TLS layer may have bytes that arrived before the end.
      guard !OpenSSL.hasUnreadBytes(ssl) else { return }
      guard OpenSSL.hasReceivedCloseNotify(ssl) == true || faraday_has_ended(connection.descriptor) != 0 else { return }
    } else {
      guard faraday_has_ended(connection.descriptor) != 0 else { return }
    }
    hasEnded = true
    transfer.exchange.engine?.touch(transfer)
  }

  // MARK: the log

  /// Makes libcurl call ``logged(_:_:)``.
  private func watchLog() {
    if let easy { _ = faraday_set_log(easy.pointer, logCallback, this) }
  }

  /// Watches for bytes after a response without a body. libcurl 7.88 drops such bytes, reports them only in its log, and keeps
  /// the connection, on which more of them may arrive.
  func watchForExcessBytes() {
    if !isMultiplexed { watchLog() }
  }

  /// Handles a line of libcurl's log, or the bytes that it sends and receives, for a trace. Closes the connection if libcurl
  /// reports dropped bytes.
  func logged(_ kind: curl_infotype, _ line: UnsafeRawBufferPointer) {
    if kind == CURLINFO_TEXT, Library.Behaviour.hidesBrokenSessions, line.starts(with: "[HTTP/2] ".utf8) {
      return readFrame(line)
    }
    if let onTrace = transfer.options.onTrace, let kind = TraceEvent.Kind(kind) { onTrace(TraceEvent(kind, Data(line))) }
    guard kind == CURLINFO_TEXT else {
      // Before a connection to the server is ready, libcurl sends only CONNECT requests, to a proxy.
      if expectsHead { transfer.exchange.reportSent(kind, line.count) }
      return
    }
    let isExcess = Self.excess.contains {
      line.starts(with: UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
    }
    if isExcess { forbidReuse() }
    if transfer.readsProtocolFromLog { readProtocol(line) }
  }
  private static let excess: [StaticString] = ["Excess found", "Leftovers after chunking"]

  /// Reads the negotiated protocol from a line of the log.
  private func readProtocol(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "ALPN: server accepted ".utf8) {
      hasLoggedHTTP2 = line.starts(with: "ALPN: server accepted h2".utf8)
    }
  }

  /// Ends the connection if libcurl has sent GOAWAY with an error.
  private func readFrame(_ line: UnsafeRawBufferPointer) {
    let start = "[HTTP/2] [0] -> FRAME[GOAWAY, error="
    guard let connection, line.starts(with: start.utf8), line.count > start.utf8.count else { return }
    if line[start.utf8.count] != UInt8(ascii: "0") { transfer.exchange.engine?.noteBrokenSession(connection) }
  }

  // MARK: trailers

  /// The trailers of the request as C strings; nil if one of them is invalid.
  func trailerLines() -> [[UInt8]]? {
    guard let requestTrailers = transfer.options.requestTrailers else { return [] }
    hasSentTrailers = true
    let fields = requestTrailers()
    transfer.exchange.callbackReturned()
    if let field = fields.first(where: { !$0.isSendable }) {
      _ = stop(.invalidHeader, "the trailer \(field.unsendableReason)")
      return nil
    }
    return fields.map { $0.line(blank: ": ") }
  }
}

internal import CCurl
internal import FaradayCore

/// Whether a transfer may have a connection, and this one. libcurl asks when it opens a socket, and when a connection is ready,
/// new or used, before the request goes out over it.
extension Transfer {
  /// What a transfer is begun again for, by us and not by libcurl.
  enum Repetition: Hashable {
    /// The connection that libcurl has chosen must not be used; nothing was sent.
    case fresh
    /// The server does not do `Expect` (RFC 9110, section 10.1.1).
    case withoutExpect
  }

  /// What is known of one attempt, and of its connection.
  struct Attempt {
    var openedSockets: [Int32] = []
    var connection: (descriptor: Int32, endpoints: Sockets.Endpoints)?
    var remoteAddress: String?
    /// It has had a connection.
    var isReady = false
    var isReused = false
    var isHTTP2 = false
    /// Bytes at the start of the next piece that have been taken already: it comes a second time, after a pause.
    var takenAhead = 0
    /// Whether the server has said that its side of TLS ends; nil if nobody has looked.
    var hasCloseNotify: Bool?
  }

  var connection: (descriptor: Int32, endpoints: Sockets.Endpoints)? { attempt.connection }
  var isHTTP2: Bool { attempt.isHTTP2 }

  func openedSocket(_ descriptor: Int32) {
    attempt.openedSockets.append(descriptor)
    engine?.opened(descriptor, for: self)
  }

  /// There is no socket to be had.
  func openedNoSocket() {
    if faraday_is_out_of_descriptors() != 0 {
      _ = stop(.outOfDescriptors, "the process or the system has no file descriptor left for a connection")
    }
  }

  /// It has a connection, and the request goes out next. Returns whether it may.
  func connectionIsReady(_ endpoints: Sockets.Endpoints, _ remote: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
    guard let engine, let easy, maySendNow() else { return false }
    if let origin { engine.open(origin) }
    guard begin(on: endpoints, engine.sockets, easy) else {
      repetition = .fresh
      return false
    }
    attempt.isReady = true
    attempt.remoteAddress = engine.sockets.address(connection?.descriptor, remote: remote, port)
    // A request that is sent anew is not paused.
    isSendPaused = false
    return true
  }

  /// Takes the connection. Returns false if it is one that was kept and is no longer clean.
  private func begin(on endpoints: Sockets.Endpoints, _ sockets: Sockets, _ easy: EasyHandle) -> Bool {
    leaveConnection()
    let isReused = easy.get(CURLINFO_NUM_CONNECTS) == 0
    attempt.isReused = isReused
    let descriptor = isReused ? sockets.descriptor(endpoints) : sockets.connected(attempt.openedSockets, endpoints)
    guard let descriptor else { return !isReused }
    let ssl = target.isSecure ? faraday_get_ssl(easy.pointer) : nil
    if isReused {
      attempt.isHTTP2 = sockets.isHTTP2(descriptor)
      // Of HTTP/2, libcurl reads what has come: it names the stream that it is for.
      let hasUnread = faraday_has_news(descriptor) != 0 || ssl.map(OpenSSL.hasUnreadBytes) ?? false
      guard isHTTP2 || !hasUnread else { return false }
    } else if let ssl {
      attempt.isHTTP2 = OpenSSL.hasAgreedOnHTTP2(ssl) ?? false
      if isHTTP2 { sockets.noteHTTP2(descriptor) }
    }
    let uses = sockets.begin(descriptor)
    attempt.connection = (descriptor, endpoints)
    if uses >= settings.requestsPerConnection { forbidReuse() }
    return true
  }

  /// The connection is closed when this request is done.
  func forbidReuse() {
    if let easy { _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1) }
  }

  /// The request is no longer on its connection.
  func leaveConnection() {
    if let connection { engine?.sockets.end(connection.descriptor, connection.endpoints) }
    attempt.connection = nil
  }

  // MARK: sending again

  /// Whether the request may have a connection, and go out: for the first time, or again. libcurl sends a request again by itself when a kept connection
  /// ends before anything of a response has come, whatever the method, and when an HTTP/2 server asks for HTTP/1.1, whatever has
  /// come. Notes why, if not.
  func maySendNow() -> Bool {
    guard failure == nil, repetition == nil else { return false }
    guard attempt.isReady else { return true }
    guard parser.size == 0 else {
      return stop(.truncatedResponse, "the response was broken off, and the request is not sent again after a part of it")
    }
    return mayRepeat
      || stop(
        .connectionClosed,
        "the connection ended before a response, and a \(request.method) that may have arrived is not sent again")
  }

  /// Whether sending it again does what sending it once does (RFC 9110, section 9.2.2), or nothing of it has left.
  var mayRepeat: Bool { request.method.isIdempotent || easy?.get(CURLINFO_REQUEST_SIZE) == 0 }

  /// What the transfer is to be begun again for, now that libcurl has ended it.
  func repetition(after code: CURLcode) -> Repetition? {
    if failure != nil { return nil }
    if let repetition { return repetition }
    // libcurl gives up after five kept connections that were dead (before 8.0), or that refused the stream (HTTP/2). They say
    // nothing about a new one.
    let isOutOfTries = code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR
    let isOld = attempt.isReused && !repetitions.contains(.fresh)
    return isOutOfTries && isOld && parser.size == 0 && mayRepeat ? .fresh : nil
  }

  /// Forgets the attempt that has ended and makes a handle for the next. Returns false if the body cannot be sent again.
  func beginAgain(_ repetition: Repetition) throws -> Bool {
    guard rewind() else { return false }
    leaveConnection()
    closeHandle()
    repetitions.insert(repetition)
    self.repetition = nil
    attempt = Attempt()
    parser = ResponseParser(to: request.method)
    receiving = .flowing
    try prepare()
    return true
  }
}

internal import CCurl
internal import FaradayCore

/// Receiving the response's head, in libcurl's callbacks on the engine's thread, line by line. From here libcurl may only be asked for
/// information or have options set.
extension Transfer {
  /// libcurl's header callback: a line of the head or the trailers. Returns false to abort the transfer.
  func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil, pendingRestart == nil else { return false }
    lastActivity = engine?.now ?? lastActivity
    if let onRawHead = request.options.onRawHead { addRawHead(line, onRawHead) }
    // The answer of a proxy to CONNECT, which comes only with that callback.
    guard request.options.onRawHead == nil || attempt.expectsHead || proxy == nil else { return true }
    if isChallenge {
      // Trailers of the challenge, over HTTP/2 or HTTP/3.
      guard line.starts(with: "HTTP/".utf8) else { return true }
      beginNextLeg()
    }
    do {
      switch try parser.take(line, isHTTP2: isHTTP2, isHTTP3: isHTTP3) {
      case .begun:
        firstByte = Clock.now
        // Nothing that follows a head is a response without one.
        if request.options.acceptsHTTP0_9 { try? easy?.set(CURLOPT_HTTP09_ALLOWED, 0) }
        if parser.status >= 200 || parser.status == 101 { report(.firstByte, at: firstByte) }
      case .field, .trailer: break
      case .informational:
        guard let onInformational = request.options.onInformational else { break }
        onInformational(parser.head.parsed().response)
        callbackReturned()
      case .head: return endHead()
      }
      return true
    } catch {
      return stop(error.code, error.message)
    }
  }

  /// Collects the lines of a head, for the callback.
  private func addRawHead(_ line: UnsafeRawBufferPointer, _ onRawHead: RawHeadHandler) {
    rawHead.append(contentsOf: line)
    guard line.first == 0x0A || line.first == 0x0D else { return }
    flushRawHead(onRawHead)
  }

  /// Delivers the lines that have been collected: a head, or trailers at the end.
  func flushRawHead(_ onRawHead: RawHeadHandler) {
    guard !rawHead.isEmpty else { return }
    let head = rawHead
    rawHead = Data()
    onRawHead(head)
    callbackReturned()
  }

  private func endHead() -> Bool {
    // libcurl may answer it with another request: it is not delivered before its body arrives, or the transfer ends.
    isChallenge = mayAnswer(parser.status)
    guard isChallenge else { return beginResponse() }
    if isWithoutBody, !holdsBodyBackForServer {
      pendingRestart = .withoutChallenge
      return false
    }
    if parser.framing.closesConnection { forbidReuse() }
    watchForExcessBytes()
    watchChallenge()
    // Some servers (squid 5) never read the rest of a body that they have refused, nor what follows on the connection.
    if sent > 0 { forbidReuse() }
    return true
  }

  /// Begins the delivery of the response, whose head is complete.
  func beginResponse() -> Bool {
    // libcurl 8 recognizes `close` only at the start of the field.
    if parser.framing.closesConnection { forbidReuse() }
    guard !needsHTTP1 else {
      pendingRestart = .overHTTP1
      return false
    }
    if isHTTP3 || isHTTP2 && Library.Behaviour.hasSoundStreams, let place { engine?.multiplexes(place) }
    // RFC 9110, section 10.1.1. libcurl would resend it by itself, with `Expect`.
    if parser.status == 417, sendsExpect, canRewind {
      pendingRestart = .withoutExpect
      return false
    }
    watchForCloseNotify()
    watchForExcessBytes()
    // A small body is waited for, if the caller waits for all of it anyway.
    let mayBeSmall = request.options.deliversWhole && parser.length ?? 0 <= Int64(Self.maximumBufferedBody)
    if mayBeSmall { beginBuffering() } else { beginStream() }
    report(.head)
    reportUpload()
    touchAfterEarlyResponse()
    return true
  }

  private func beginBuffering() {
    bufferedBody = Data()
    // Restarts the time if it expired before the head arrived.
    guard bufferingDeadline == .max, let engine else { return }
    bufferingDeadline = engine.now + Self.maximumBufferingTime
    engine.updateDeadline(of: self)
  }
}

internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// The data that a transfer exchanges with the server: the body of the request, and the response. libcurl's callbacks about
/// bytes call this type.
///
/// It composes the current ``Attempt`` (easy handle, connection, challenges), ``Receiving`` (parser, stream, pausing) and
/// ``Sending`` (source, rewinding), which are independent of each other.
///
/// **Reentrancy.** libcurl calls back while the engine is in `curl_multi_socket_action`, `curl_multi_add_handle`,
/// `curl_multi_remove_handle`, `curl_easy_cleanup` and, with bytes of the body, `curl_easy_pause`. A method of `Receiving` or
/// `Sending` must therefore not call any of these, and none of these may be called while such a method runs: the callback would
/// change the value a second time. Within a callback, only libcurl functions that read information or set options may be
/// called, because these never call back. The caller's closures and tasks may run at any time: they reach the engine only
/// through its mailbox.
///
/// **Sent again.** *Resending* is done by libcurl: it sends a request again automatically if a keep-alive connection dies
/// before the first byte of a response. The attempt prevents that for a non-idempotent request that may have arrived. An
/// ``Attempt/Restart`` is done by this adapter: the attempt is dropped, and a new easy handle starts over, because the
/// connection that libcurl chose must not be used, or because the server responded with 417 to `Expect`. Neither is a retry,
/// which a middleware does with a new request.
///
/// **Early responses.** A response may begin, and be complete, before the request's body has been sent. These states differ:
/// - ``responseRejectsBody``: the head is complete and the status is 300 or more. The body is no longer needed: a source that
///   fails or stalls from then on is not an error.
/// - ``responseEndsUpload``: as above, or the server closes the connection. libcurl stops sending when the response is
///   complete.
/// - ``isUploadStalled``: as above, and the upload is paused because its source has no bytes. libcurl before 8.9 does not end a
///   paused transfer, so the engine resumes the upload after every event (``Engine/resumeStalledUploads()``).
/// - ``isStreamUploadObsolete``: the response of an HTTP/2 or HTTP/3 stream is complete and the upload is not, or the server
///   has refused to switch protocols. libcurl would continue to send, so the engine ends the transfer.
/// - ``mayBeUploadingAfterResponse``: the response is complete, and the upload may be incomplete. libcurl no longer reads from
///   the connection, so the engine checks every 50 ms whether the server has closed it (``isDoneWithoutUpload``).
final class Exchange {
  // Safe: the transfer owns the exchange, sets this when it creates it, and closes it before the transfer is released.
  @exclusivity(unchecked) unowned(unsafe) private var transfer: Transfer!

  // No run-time checks for exclusive access, because these are used for each line, piece and turn: see "Reentrancy".

  private let request: Request
  /// The options of the request: reading them here costs no retain.
  private let options: Options
  /// Values of the request that are needed for each line and piece.
  private let hasBody: Bool
  private let onRawHead: RawHeadHandler?
  /// The handle of the transfer's engine, and the engine while it has the transfer.
  @exclusivity(unchecked) private(set) var handle: EngineHandle?
  @exclusivity(unchecked) private(set) var engine: Engine?
  /// The times from which timeouts are measured.
  @exclusivity(unchecked) private(set) var activity: Activity
  @exclusivity(unchecked) private var events: EventLog
  /// The reasons of earlier restarts.
  @exclusivity(unchecked) private var pastRestarts: Set<Attempt.Restart> = []
  /// The current attempt; nil before it is prepared, and after the transfer has finished.
  @exclusivity(unchecked) private(set) var attempt: Attempt?
  @exclusivity(unchecked) private var receiving: Receiving
  @exclusivity(unchecked) private var sending: Sending
  /// Whether the next piece must be taken without a pause, because it is the first one after a pause.
  @exclusivity(unchecked) private var mustTakePiece = false

  init(_ request: Request, _ settings: TransferSettings) {
    self.request = request
    options = request.options
    hasBody = !request.body.isEmpty
    onRawHead = options.onRawHead
    receiving = Receiving(to: request, streamCapacity: settings.streamBufferSize)
    sending = Sending(request.body)
    let now = Clock.now
    activity = Activity(submitted: now)
    events = EventLog(isOn: settings.onEvent != nil, at: now)
  }

  // MARK: before it is submitted

  func belongs(to transfer: Transfer) { self.transfer = transfer }

  func belongs(to handle: EngineHandle) { self.handle = handle }

  func enter(_ engine: Engine) { self.engine = engine }

  /// Notes that the task that waits for the response runs on the engine's thread.
  func noteReaderOnEngine() { receiving.noteReaderOnEngine() }

  /// Starts the task that reads a streamed body. The task waits until the transfer is active. Called by the sending task.
  func startSource() {
    if sending.hasProducer { sending.start(request.body, tell: resumeSendingLater) }
  }

  private var resumeSendingLater: @Sendable () -> Void {
    { [handle, weak transfer = self.transfer] in
      if let transfer { handle?.post(.resumeSending(transfer)) }
    }
  }

  // MARK: attempts: see "Sent again"

  /// The easy handle; nil before it is needed, and after the transfer has finished.
  var easy: EasyHandle? { attempt?.easy }
  var connection: Attempt.Connection? { attempt?.connection }
  var isHTTP2: Bool { attempt?.isHTTP2 ?? false }
  var isHTTP3: Bool { attempt?.isHTTP3 ?? false }
  /// Whether libcurl must not remove the addresses of the host from its DNS cache.
  var hasAddresses: Bool { attempt?.hasAddresses ?? false }

  /// Creates and configures an easy handle.
  func beginAttempt() throws {
    guard let attempt = Attempt(of: transfer, after: pastRestarts) else {
      throw error(.engineFailed, "curl_easy_init failed: libcurl is not initialized or out of memory", phase: .building)
    }
    self.attempt = attempt
    do {
      try attempt.configure(for: transfer, copiesBody: sending.isCopied)
    } catch let rejected as EasyHandle.OptionRejected {
      if rejected.code == CURLE_NOT_BUILT_IN || rejected.code == CURLE_UNKNOWN_OPTION {
        throw error(.unsupported, "libcurl \(Library.versionText) has no \(rejected.option)", phase: .building)
      }
      let reason = String(cString: curl_easy_strerror(rejected.code))
      throw error(.engineFailed, "libcurl rejected the option \(rejected.option): \(reason)", phase: .building)
    }
  }

  /// Whether the body can be sent from its start: nothing was sent yet, or it is replayable.
  var canRewind: Bool { sending.canRewind(request.body) }

  /// Drops the attempt, so that another can begin. Returns false if the body is not replayable.
  func endAttempt(for reason: Attempt.Restart) -> Bool {
    guard rewind() else { return false }
    releaseConnection()
    closeAttempt()
    pastRestarts.insert(reason)
    receiving.awaitNextAttempt(for: request)
    return true
  }

  private func rewind() -> Bool { sending.rewind(request.body, tell: resumeSendingLater) }

  /// The reason to restart the transfer after libcurl has ended it with that code; nil if no restart is needed.
  func neededRestart(after code: CURLcode) -> Attempt.Restart? { attempt?.neededRestart(after: code) }

  /// Notes that the request no longer uses its connection.
  func releaseConnection() {
    if let engine { attempt?.release(to: engine.sockets) }
  }

  /// Frees the easy handle and stops the body's source. Called on the engine's thread, unless the transfer was never submitted.
  func close() {
    closeAttempt()
    sending.close()
    engine = nil
  }

  /// Closes the attempt's easy handle. `attempt` is cleared first, because libcurl may call back during the close.
  private func closeAttempt() {
    let closed = attempt
    attempt = nil
    closed?.close()
  }

  /// Notes that the transfer waits for a connection.
  func noteQueued(at now: Int64) { activity.enterQueue(at: now) }

  /// Notes that the transfer starts.
  func activate(at now: Int64) {
    activity.begin(at: now)
    if options.deliversWhole { receiving.beginBuffering(at: now) }
  }

  /// Opens the body's source after the easy handle was added to libcurl. The bytes for another protocol wait for its start.
  func open() {
    if !transfer.switchesProtocol { sending.open() }
  }

  // MARK: called by the attempt

  /// Whether libcurl may keep received bytes, because the transfer is paused.
  var isReceivingPaused: Bool { receiving.isPaused }
  /// Whether the transfer is paused because the source of the body has no bytes.
  var isSendingPaused: Bool { sending.isPaused }
  var isWhole: Bool { receiving.isWhole }
  var status: Int { receiving.status }
  /// The size of the lines of all received heads, in bytes.
  var headSize: Int { receiving.headSize }

  /// Called when libcurl responds to a challenge: another response follows.
  func awaitNextResponse() {
    receiving.awaitNextResponse(to: request)
    engine?.updateDeadline(of: transfer)
  }

  /// Called when a connection is ready, just before libcurl sends the request from its start, unpaused.
  func beginsSending(over attempt: Attempt) {
    sending.resume()
    reportConnection(of: attempt)
  }

  /// Reads the clock after a caller's callback. The callback's time must not count towards the idle timeout.
  func callbackReturned() {
    engine?.callbackReturned()
    noteActivity()
  }

  /// Notes that libcurl has sent or received bytes.
  private func noteActivity() {
    if let engine { activity.note(engine.now) }
  }

  /// Begins to check the connection: the response is complete, and the upload may be incomplete.
  private func beginServerChecks() {
    if let engine, activity.beginServerChecks(at: engine.now) { engine.updateDeadline(of: transfer) }
  }

  // MARK: the head

  /// libcurl's header callback: a line of the head or the trailers. Returns false to abort the transfer.
  func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let attempt, attempt.mayGoOn else { return false }
    noteActivity()
    if let onRawHead {
      if let head = receiving.collectRawLine(line) { deliver(head, to: onRawHead) }
      // A proxy's response to CONNECT. libcurl delivers it only for `onRawHead`.
      guard attempt.expectsHead || transfer.proxy == nil else { return true }
    }
    if attempt.challenges.isPending {
      // Trailers of the challenge, over HTTP/2 or HTTP/3.
      guard line.starts(with: "HTTP/".utf8) else { return true }
      attempt.beginNextLeg()
    }
    do {
      switch try receiving.takeLine(line, isHTTP2: attempt.isHTTP2, isHTTP3: attempt.isHTTP3) {
      case .begun:
        // After a head, no response without a head can follow.
        if options.acceptsHTTP0_9 { try? easy?.set(CURLOPT_HTTP09_ALLOWED, 0) }
        if attempt.endHandshake(), !attempt.isReused { report(.secured, at: receiving.firstByte) }
        if receiving.status >= 200 || receiving.status == 101 { report(.firstByte, at: receiving.firstByte) }
      case .field, .trailer: break
      case .informational:
        guard let onInformational = options.onInformational else { break }
        onInformational(receiving.head.parsed().response)
        callbackReturned()
      case .head: return endHead(attempt)
      }
      return true
    } catch {
      return attempt.stop(error.code, error.message)
    }
  }

  private func deliver(_ rawHead: Data, to onRawHead: RawHeadHandler) {
    onRawHead(rawHead)
    callbackReturned()
  }

  private func endHead(_ attempt: Attempt) -> Bool {
    // libcurl may respond to the head with another request: the head is delivered when its body arrives, or the transfer ends.
    guard attempt.isChallenge(receiving.status) else { return beginResponse(attempt) }
    if attempt.challenges.isWithoutBody(receiving.status), !attempt.challenges.holdsBodyBackForServer {
      return attempt.stop(toRestart: .withoutChallenge)
    }
    if receiving.closesConnection { attempt.forbidReuse() }
    if receiving.isEmpty { attempt.watchForExcessBytes() }
    attempt.watchChallenge()
    // Some servers (squid 5) never read the rest of a body that they have rejected, nor later requests on the connection.
    if sending.sent > 0 { attempt.forbidReuse() }
    if isUploadStalled { engine?.noteStalledUpload(transfer) }
    return true
  }

  /// Begins the delivery of the response, whose head is complete.
  private func beginResponse(_ attempt: Attempt) -> Bool {
    // libcurl 8 recognizes `close` only at the start of the field.
    if receiving.closesConnection { attempt.forbidReuse() }
    if attempt.isHTTP2, transfer.needsHTTP1(forLength: receiving.length) { return attempt.stop(toRestart: .overHTTP1) }
    if attempt.isHTTP3 || attempt.isHTTP2 && Library.Behaviour.hasSoundStreams, let place = transfer.place {
      engine?.multiplexes(place)
    }
    // RFC 9110, section 10.1.1. libcurl would resend it automatically, with `Expect`.
    if receiving.status == 417, attempt.sendsExpect(of: transfer), canRewind { return attempt.stop(toRestart: .withoutExpect) }
    if receiving.status == 425, attempt.earlyDataSize > 0 { return attempt.stop(toRestart: .withoutEarlyData) }
    attempt.noteCompletedHandshake(in: engine?.sockets)
    if receiving.hasSwitchedProtocol {
      sending.open()
      engine?.leavesPool(transfer)
    } else if receiving.endsWithConnection {
      attempt.watchForCloseNotify()
    }
    if receiving.isEmpty { attempt.watchForExcessBytes() }
    if receiving.begin(options, at: engine?.now ?? activity.last, engine) { engine?.updateDeadline(of: transfer) }
    if receiving.hasStream { engine?.touch(transfer) }
    report(.head)
    reportUpload()
    touchAfterEarlyResponse()
    return true
  }

  /// Delivers a pending challenge as the response: libcurl does not respond to the challenge.
  private func deliverChallenge(_ attempt: Attempt) -> Bool {
    attempt.deliverChallenge()
    return beginResponse(attempt)
  }

  // MARK: the body

  /// libcurl's write callback: a piece of the body. Returns the number of bytes, or the code for pause or error.
  func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let attempt, attempt.mayGoOn else { return faraday_write_error }
    // libcurl delivers a challenge's body only if it does not respond to the challenge.
    if attempt.challenges.isPending {
      guard deliverChallenge(attempt) else { return faraday_write_error }
    }
    guard receiving.hasHead || beginWithoutHead(attempt) else { return faraday_write_error }
    let before = receiving.received
    let mayPause = !mustTakePiece && (!attempt.isHTTP2 || Library.Behaviour.hasSoundStreams)
    mustTakePiece = false
    let taken = receiving.take(bytes, mayPause: mayPause, engine: engine)
    if receiving.received > before {
      handle?.counters.bytesReceived.add(receiving.received - before)
      noteActivity()
      if receiving.hasUnflushed || canDeliverHead { engine?.touch(transfer) }
    }
    switch taken {
    case .wholeWithExcess: attempt.forbidReuse()
    case .whole: noteActivity()
    // libcurl keeps this piece and the other bytes that it has read, and delivers them again when the transfer is resumed.
    case .full: return faraday_write_pause
    case .ahead:
      engine?.updateDeadline(of: transfer)
      return faraday_write_pause
    case .outOfTurn:
      engine?.postpone(transfer)
      return faraday_write_pause
    case .unwanted:
      _ = attempt.stop(CancellationError())
      return faraday_write_error
    case .malformed(let problem):
      _ = attempt.stop(problem.code, problem.message)
      return faraday_write_error
    }
    touchAfterEarlyResponse()
    return bytes.count
  }

  /// Begins the delivery of a response without a head (HTTP/0.9), if the request accepts it. Returns false to abort. A reused
  /// connection proves that the server uses HTTP/1.1.
  private func beginWithoutHead(_ attempt: Attempt) -> Bool {
    guard options.acceptsHTTP0_9, !attempt.isReused else {
      return attempt.stop(.malformedResponse, "the response has no head")
    }
    receiving.beginWithoutHead()
    report(.firstByte, at: receiving.firstByte)
    return beginResponse(attempt)
  }

  // MARK: delivering and resuming

  /// Whether so many bytes are unflushed that the engine waits for more.
  var hasBulk: Bool { receiving.hasBulk }
  /// How much of the engine's turn the transfer has used.
  var turnUsage: TurnShare.Usage { receiving.turnUsage }

  /// Whether the head can be delivered and was not delivered yet.
  private var canDeliverHead: Bool { receiving.hasStream && transfer.isAwaited }

  /// Whether the received bytes may wait to be coalesced with more.
  func mayCoalesce(isQuiet: Bool, now: Int64) -> Bool {
    guard transfer.isActive, attempt?.failure == nil, !canDeliverHead, !isUploadStalled, attempt?.hasEnded != true else {
      return false
    }
    return receiving.mayCoalesce(isQuiet: isQuiet, now: now)
  }

  /// Delivers the received data at the end of a turn. Returns the outcome if the transfer must end.
  func deliver() -> Transfer.Outcome? {
    guard transfer.isActive else { return nil }
    if let failure = attempt?.failure { return .failed(failure) }
    transfer.deliverHead()
    if receiving.hasUnflushed, let answer = flush(), let outcome = obey(answer) { return outcome }
    if isUploadStalled, let outcome = resumeSending() { return outcome }
    // Over HTTP/2 libcurl would wait until the upload is complete.
    if isStreamUploadObsolete { return .done(CURLE_OK) }
    if attempt?.hasEnded ?? false { return .done(resultOfEndedConnection) }
    // The rest of the upload may take long, and the server may close the connection first.
    if mayBeUploadingAfterResponse { beginServerChecks() }
    return nil
  }

  /// libcurl's code for a transfer whose connection has ended.
  private var resultOfEndedConnection: CURLcode {
    guard receiving.hasHead else { return receiving.headSize > 0 ? CURLE_OK : CURLE_GOT_NOTHING }
    return receiving.isWhole || receiving.endsWithConnection || receiving.hasSwitchedProtocol ? CURLE_OK : CURLE_PARTIAL_FILE
  }

  /// Called when the reader is below its low watermark, or has started to drain. Returns the outcome if the transfer must end.
  func readerHasRoom() -> Transfer.Outcome? {
    guard transfer.isActive, let answer = flush() else { return nil }
    // The command means that the stream has room, so `pause` is outdated.
    return obey(answer == .pause ? .more : answer)
  }

  private func flush() -> ResponseStream.Answer? {
    let answer = receiving.flush(engine)
    // The engine has read the clock if the reader's closure was called.
    if receiving.isDrained { noteActivity() }
    return answer
  }

  private func obey(_ answer: ResponseStream.Answer) -> Transfer.Outcome? {
    switch answer {
    case .more: resumeReceiving()
    case .pause: nil
    case .stop: .failed(CancellationError())
    }
  }

  /// The response with a streamed body. Nil before its head is complete, and if the body is buffered.
  func streamedResponse() -> Received? {
    guard receiving.hasStream, let handle = handle else { return nil }
    let body = receiving.body { [transfer = self.transfer] in
      handle.post(.resumeReceiving(transfer))
    } onUnwanted: { [transfer = self.transfer] in
      handle.post(.dropBody(transfer))
    }
    return body.map { Received(head: receiving.head, codings: receiving.codings, content: $0, metrics: metrics()) }
  }

  /// The response with its whole body.
  func wholeResponse(_ metrics: consuming TransferMetrics) -> Received {
    Received(head: receiving.head, codings: receiving.codings, content: receiving.wholeBody, metrics: metrics)
  }

  /// Resumes receiving if it was paused. Returns the outcome if the transfer must end.
  func resumeReceiving() -> Transfer.Outcome? {
    guard transfer.isActive, receiving.resume() else { return nil }
    // libcurl's buffer may contain the end of the response; libcurl does not end the transfer while the upload is paused.
    if isUploadStalled { sending.resume() }
    noteActivity()
    if let outcome = unpause() { return outcome }
    return attempt?.failure.map(Transfer.Outcome.failed)
  }

  /// Resumes sending if it was paused. Returns the outcome if the transfer must end.
  func resumeSending() -> Transfer.Outcome? {
    guard transfer.isActive, sending.isPaused else { return nil }
    // Resuming a stalled upload does not count as activity for the idle timeout.
    if !isUploadStalled { noteActivity() }
    sending.resume()
    return unpause()
  }

  private func unpause() -> Transfer.Outcome? {
    guard let easy else { return nil }
    let directions = (receiving.isPaused ? CURLPAUSE_RECV : 0) | (sending.isPaused ? CURLPAUSE_SEND : 0)
    // libcurl delivers its buffered bytes, and reads bytes to send, within this call.
    mustTakePiece = Library.Behaviour.failsOnSecondPause
    let code = curl_easy_pause(easy.pointer, directions)
    mustTakePiece = false
    // Without a connection there is no pause to end: libcurl is opening another connection.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return nil }
    // libcurl does not always report an error within this call as the transfer's end.
    return .done(code)
  }

  /// Makes libcurl free the bytes that it has buffered for a paused transfer. libcurl frees them only when the write callback
  /// takes or rejects them.
  func discardPausedBytes(because error: any Error) {
    guard let attempt, let easy = attempt.easy, receiving.resume() else { return }
    _ = attempt.stop(error)
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  // MARK: sending

  /// libcurl's read callback: copies the next bytes of the body into libcurl's buffer. Returns their number, 0 at the end, or
  /// the code for pause or abort.
  func fill(_ target: UnsafeMutableRawBufferPointer) -> Int {
    guard let attempt, attempt.mayGoOn else { return faraday_read_abort }
    if attempt.noteBodyIsSent(receiving.status), !beginResponse(attempt) { return faraday_read_abort }
    // libcurl reads more after it has written the previous bytes to the socket.
    reportUpload()
    // For the idle timeout: resuming a stalled upload does not count as activity.
    if !responseEndsUpload { noteActivity() }
    switch sending.fill(target) {
    case .bytes(let count):
      handle?.counters.bytesSent.add(Int64(count))
      noteActivity()
      return count
    case .dry: return pauseSending()
    case .end:
      // libcurl would report a body that is shorter than its size.
      if transfer.switchesProtocol { return pauseSending() }
      // libcurl reads again after it has written the previous bytes.
      if request.body.length == nil { reportBodySent() }
      return 0
    // The response takes precedence over the source's error.
    case .failed where responseRejectsBody: return pauseSending()
    case .failed:
      if let failure = sending.failure { _ = attempt.stop(bodyError(failure)) }
      return faraday_read_abort
    }
  }

  private func pauseSending() -> Int {
    sending.pause()
    if responseEndsUpload { engine?.noteStalledUpload(transfer) }
    attempt?.watchForEnd()
    return faraday_read_pause
  }

  /// libcurl's seek callback, before it resends the request. Some versions continue after a refusal, or report another error.
  func mayRewind() -> Bool {
    rewind()
      || attempt?.stop(.bodyNotReplayable, "the request must be sent again, but its body can be read only once") ?? false
  }

  /// Calls `onUploadProgress` if more of the body has been sent.
  func reportUpload() {
    guard let onUploadProgress = options.onUploadProgress else { return }
    let length = request.body.length
    guard let sent = sending.newProgress(hasResponse: receiving.hasHead, length: length) else { return }
    onUploadProgress(TransferProgress(bytes: sent, total: length))
    callbackReturned()
  }

  // MARK: early responses: see the comment of the type

  /// Makes the engine check the upload at the end of its turn, if the response is early.
  private func touchAfterEarlyResponse() {
    if isUploadStalled || isStreamUploadObsolete || mayBeUploadingAfterResponse { engine?.touch(transfer) }
  }

  private var isStreamUploadObsolete: Bool {
    guard hasBody, let attempt, attempt.isMultiplexed || transfer.switchesProtocol, receiving.isWhole else {
      return false
    }
    return request.body.length.map { attempt.sentBody < $0 } ?? true
  }

  /// Inexact: libcurl counts bytes as sent that it buffers for an HTTP/2 stream with a closed flow-control window.
  private var mayBeUploadingAfterResponse: Bool { hasBody && receiving.isWhole && connection != nil }

  private var isUploadStalled: Bool { sending.isPaused && responseEndsUpload }

  private var responseEndsUpload: Bool {
    responseRejectsBody || receiving.hasHead && receiving.closesConnection && !receiving.hasSwitchedProtocol
  }

  private var responseRejectsBody: Bool {
    receiving.hasHead && (receiving.status >= 300 || transfer.switchesProtocol && !receiving.hasSwitchedProtocol)
  }

  /// Whether the exchange waits for the caller (its reader or body source) instead of the network.
  private var waitsForCaller: Bool {
    if receiving.isPaused { return true }
    guard sending.isPaused, !responseRejectsBody else { return false }
    return !transfer.switchesProtocol || receiving.hasSwitchedProtocol
  }

  /// Whether a transfer with a complete early response can end without the rest of its upload: the server has closed the
  /// connection or sent more bytes. An HTTP/2 or HTTP/3 stream then lacks only its end (and trailers that arrive later).
  private var isDoneWithoutUpload: Bool {
    guard mayBeUploadingAfterResponse, let attempt, let connection else { return false }
    return attempt.isMultiplexed || faraday_is_readable_or_closed(connection.descriptor) != 0
  }

  // MARK: times

  /// The next time at which ``expire(at:now:)`` must be called, in nanoseconds of `Clock`.
  var nextDeadline: Int64 { receiving.nextDeadline }

  /// Whether no byte of the final response has arrived.
  var awaitsFirstByte: Bool { receiving.firstByte == 0 || attempt?.challenges.isPending ?? false }

  /// Handles all deadlines up to that time. Returns the outcome if the transfer must end.
  ///
  /// - Parameter now: the time at which the last caller code has returned, if that is later.
  func expire(at time: Int64, now: Int64) -> Transfer.Outcome? {
    if transfer.isActive {
      // TCP's counters show activity that libcurl does not report: bytes that a slow server reads from the socket buffer, and
      // incomplete lines. Time spent waiting for the caller does not count.
      if waitsForCaller { activity.note(now) }
      activity.checkWire(attempt?.movedBytes, at: now)
    }
    let due = receiving.expire(at: time, lastActivity: activity.last, engine)
    if due.beginsStream { engine?.touch(transfer) }
    if due.mayResume, let outcome = resumeReceiving() { return outcome }
    return activity.isServerCheckDue(at: time) && isDoneWithoutUpload ? .done(CURLE_OK) : nil
  }

  // MARK: the end

  /// Called when libcurl or the engine has ended the transfer: libcurl no longer responds to a pending challenge.
  func settle(_ outcome: Transfer.Outcome) {
    if let attempt, attempt.challenges.isPending {
      // The challenge is the response only if libcurl sends no other request: a failed request must not appear to have this
      // response.
      if case .done(CURLE_OK) = outcome {
        _ = deliverChallenge(attempt)
      } else {
        attempt.deliverChallenge()
        receiving.awaitNextResponse(to: request)
      }
    }
    if let onRawHead, let rest = receiving.takeRawLines() { deliver(rest, to: onRawHead) }
    // Counts a body that libcurl has copied and sent.
    if sending.isCopied, hasBody, transfer.isActive, let attempt {
      handle?.counters.bytesSent.add(attempt.sentBody)
    }
  }

  /// Delivers the head without the rest of a small body.
  func endBuffering() {
    if receiving.isBuffering { receiving.beginStream(at: activity.last, engine) }
  }

  /// Ends the stream, if there is one.
  func end(_ metrics: TransferMetrics) { receiving.end(metrics) }

  /// Ends the stream with an error, if there is one.
  func fail(_ error: any Error) { receiving.fail(error, metrics()) }

  // MARK: errors and metrics

  func error(
    _ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil, engineCode: Int? = nil,
    underlying: (any Error)? = nil
  ) -> TransportError {
    // The response without its body, once the head is complete. The reader of the body adds the received bytes.
    let partial =
      receiving.hasHead
      ? Received(head: receiving.head, content: .whole(Data(), trailers: []), metrics: metrics()).response(to: request) : nil
    var error = TransportError(
      code, phase: phase ?? self.phase, method: request.method, url: request.url, secrets: request.secrets, message: message,
      engineCode: engineCode, underlying: underlying, partialResponse: partial)
    error.peerCertificates = attempt?.certificates ?? []
    if transfer.isActive { error.metrics = metrics() }
    return error
  }

  /// The error for the libcurl code that has ended the attempt.
  func libcurlError(_ code: CURLcode) -> TransportError {
    if let refused = attempt?.refusedAddress { return forbidden(refused) }
    guard let meaning = attempt?.meaning(of: code, in: phase, headSize: receiving.headSize, through: transfer.proxy) else {
      return error(.engineFailed, String(cString: curl_easy_strerror(code)), engineCode: Int(code.rawValue))
    }
    return error(meaning.code, meaning.text, phase: meaning.phase, engineCode: meaning.engineCode)
  }

  func forbidden(_ address: ForbiddenAddressError) -> TransportError {
    error(.addressForbidden, address.description, phase: .connecting, underlying: address)
  }

  private func bodyError(_ error: any Error) -> TransportError {
    var failure = self.error(.bodyUnreadable, "")
    failure.setBodyFailure(error)
    return failure
  }

  /// The phase of the exchange.
  private var phase: TransportError.Phase {
    guard let attempt, let engine, transfer.isActive else { return .connecting }
    if receiving.hasHead { return .receiving }
    if attempt.isReady || receiving.headSize > 0 {
      if transfer.switchesProtocol { return .waiting }
      return !sending.isCopied && sending.sent < request.body.length ?? .max ? .sending : .waiting
    }
    if attempt.hasNoAddress { return .resolving }
    // Not CURLINFO_CONNECT_TIME_T: before 8.0 it includes the handshake. Through a proxy, the phases cannot be distinguished.
    return transfer.target.isSecure && transfer.proxy == nil && attempt.isConnected(in: engine.sockets) ? .tls : .connecting
  }

  /// The metrics so far.
  func metrics() -> TransferMetrics {
    guard let attempt, transfer.isActive else { return TransferMetrics() }
    let start = attempt.challenges.legs == 0 ? activity.began(attempt) : activity.activated
    var metrics = attempt.metrics(submitted: activity.submitted, start: start)
    metrics.queue = activity.timeInQueue
    // Not CURLINFO_STARTTRANSFER_TIME: for uploads it is the first byte sent, and it counts a 100.
    if receiving.firstByte > 0 { metrics.firstByte = .nanoseconds(receiving.firstByte - activity.submitted) }
    // Not CURLINFO_SIZE_UPLOAD_T for streamed bodies: it includes the framing of chunks.
    if !sending.isCopied { metrics.bytesSent = sending.sent }
    // For a response without a head, libcurl omits the bytes that could have been the start of a head.
    if receiving.head.isAbsent { metrics.bytesReceived = receiving.received }
    return metrics
  }

  /// Throws the error of the outcome. An error that was recorded before takes precedence.
  func check(_ outcome: Transfer.Outcome) throws {
    if case .failed(let error) = outcome { throw error }
    if let failure = attempt?.failure { throw failure }
    // A complete response takes precedence, even if the server has closed the connection during the upload.
    if case .done(let code) = outcome, code != CURLE_OK, !receiving.isWhole, !isEmptyUpgrade(code) { throw libcurlError(code) }
    if let problem = incompleteness { throw error(.truncatedResponse, problem) }
    // An early response takes precedence, even if the body's source has failed.
    if let failure = sending.failure, !responseEndsUpload { throw bodyError(failure) }
  }

  /// Whether the connection has ended without a byte of the new protocol. Some versions of libcurl (8.14.1) report that as a
  /// response that never began.
  private func isEmptyUpgrade(_ code: CURLcode) -> Bool { code == CURLE_GOT_NOTHING && receiving.hasSwitchedProtocol }

  /// The missing part of a response that libcurl considers complete; nil if the response is complete.
  private var incompleteness: String? {
    guard receiving.hasHead else { return "the connection was closed within the response's head" }
    if receiving.lacksChunks { return "the connection was closed before the last chunk" }
    if attempt?.hasCloseNotify == false {
      return "the connection was closed without a TLS close_notify: the body may be truncated"
    }
    return nil
  }

  // MARK: events

  /// Reports a ready connection, just before libcurl sends the request from its start.
  private func reportConnection(of attempt: Attempt) {
    guard events.isOn, let easy = attempt.easy else { return }
    events.beginConnection()
    // libcurl reports only now when the connection was established.
    guard !attempt.isReused, attempt.challenges.legs == 0 else { return }
    let began = activity.began(attempt)
    report(.connected, at: began + easy.get(offset: CURLINFO_CONNECT_TIME_T) * 1000)
    // With early data, the first byte of the response shows that the handshake is complete.
    guard transfer.target.isSecure, !attempt.isInHandshake else { return }
    report(.secured, at: began + easy.get(offset: CURLINFO_APPCONNECT_TIME_T) * 1000)
  }

  /// Reports bytes that libcurl has written to the socket.
  func reportSent(_ kind: curl_infotype, _ count: Int) {
    guard events.isOn, let phase = events.noteSent(kind, count, length: request.body.length) else { return }
    report(phase)
  }

  /// Reports once that the whole body was sent.
  private func reportBodySent() {
    if events.noteBodyIsSent() { report(.bodySent) }
  }

  /// Reports a phase. The time is now, unless a time is given (in nanoseconds of `Clock`). Times never go back.
  func report(_ phase: ExchangeEvent.Phase, at time: Int64? = nil, error: (any Error)? = nil) {
    guard events.isOn, let onEvent = transfer.settings.onEvent else { return }
    let time = Duration.nanoseconds(events.time(of: time) - activity.submitted)
    onEvent(
      ExchangeEvent(
        exchange: events.number, phase: phase, time: time, method: request.method, origin: transfer.target.origin,
        connection: attempt?.eventConnection, status: receiving.hasHead ? receiving.status : nil, error: error))
    callbackReturned()
  }
}

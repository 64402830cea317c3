internal import CCurl
internal import FaradayCore

/// One thread's worth of libcurl: a multi handle, the transfers on it, those that wait for a slot, and their deadlines.
///
/// Everything in it happens on its thread, one turn after the other: take commands, start what may start, let libcurl act,
/// settle what has ended, hand out what has arrived, sleep.
final class Engine {
  private let handle: EngineHandle
  private let multi: UnsafeMutableRawPointer
  private let share: UnsafeMutableRawPointer?
  private let driver: any Driver
  private let streamsPerConnection: Int
  private var admission: Admission<Transfer>
  private var deadlines = DeadlineHeap<Transfer>()
  private var active: [Transfer] = []
  private var touched: [Transfer] = []
  private var refused: [Transfer] = []
  private var commands: [Command] = []
  private var completed: [(UnsafeContinuation<Received, any Error>, Received)] = []
  /// The time: when commands were taken, when the engine woke up, or when somebody else's code was done on its thread.
  private(set) var now = Clock.now
  private var turnBegan = Clock.now
  private var postponed: [Transfer] = []

  /// Serves the mailbox until it is told to stop and nothing is left to do. If libcurl fails as a whole, everything under way
  /// fails with it and a new engine goes on.
  static func serve(_ handle: EngineHandle) {
    repeat {
      guard let engine = Engine(handle) else {
        return handle.refuseAll("there is no memory or descriptor left for an engine")
      }
      do {
        try engine.run()
      } catch {
        engine.failAll("libcurl's multi interface failed: \(String(cString: curl_multi_strerror(error.code)))")
      }
      engine.close()
    } while !handle.mayEnd()
  }

  private init?(_ handle: EngineHandle) {
    guard let waker = handle.waker, let multi = curl_multi_init() else { return nil }
    let configuration = handle.configuration
    var driver: (any Driver)? = PollDriver(multi, waker: waker)
    #if os(Linux)
    if configuration.driver == .platform { driver = EpollDriver(multi, waker: waker) }
    #endif
    guard let driver else {
      curl_multi_cleanup(multi)
      return nil
    }
    self.handle = handle
    self.multi = multi
    self.driver = driver
    streamsPerConnection = configuration.streamsPerConnection
    admission = Admission(perOrigin: configuration.connectionsPerOrigin, total: configuration.connections)
    // Sessions are kept with the easy handle before 8.12, and ours live for one request.
    share = curl_share_init()
    if let share { faraday_share_tls_sessions(share) }
    // The default shrinks with the number of active transfers, and closes connections while a burst drains.
    faraday_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.connections))
    faraday_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, configuration.streamsPerConnection))
  }

  private func close() {
    curl_multi_cleanup(multi)
    if let share { curl_share_cleanup(share) }
  }

  // MARK: the turn

  private func run() throws(MultiFailure) {
    while true {
      let isStopping = handle.take(&commands)
      now = Clock.now
      turnBegan = now
      for command in commands { obey(command) }
      commands.removeAll(keepingCapacity: true)
      admit()
      resumePostponed()
      try driver.act()
      settle(isQuiet: false)
      if isStopping && admission.isIdle && active.isEmpty { return }
      // What libcurl then does is dated to the waking, not to before a sleep.
      let hadNews = try driver.wait(atMost: untilNextTurn) {
        now = Clock.now
        turnBegan = now
      }
      handle.wokeUp()
      // Only here has everything that had arrived by `now` been received: a slow callback is not the network's silence.
      if hadNews { resumeRefused() }
      settle(isQuiet: !hadNews, expiring: true)
    }
  }

  private func obey(_ command: Command) {
    switch command {
    case .submit(let transfer): submit(transfer)
    case .cancel(let transfer): cancel(transfer)
    case .resumeReceiving(let transfer): resumeReceiving(transfer)
    case .resumeSending(let transfer): resumeSending(transfer)
    }
  }

  /// What has ended and what has arrived goes to those who wait for it.
  private func settle(isQuiet: Bool, expiring: Bool = false) {
    finishDone()
    flush(isQuiet: isQuiet)
    if expiring { expire() }
    answer()
  }

  /// How long it may sleep, in nanoseconds.
  private var untilNextTurn: Int64 {
    // What has just ended or connected may have let others start.
    guard !admission.hasReady, postponed.isEmpty, touched.allSatisfy(\.isBulk), handle.maySleep() else { return 0 }
    let untilNextDeadline = deadlines.first.map { max(0, $0.deadline - Clock.now) } ?? .max / 2
    return touched.isEmpty ? untilNextDeadline : min(untilNextDeadline, Transfer.gatheringTime)
  }

  // MARK: starting

  private func submit(_ transfer: Transfer) {
    transfer.state = .queued
    transfer.engine = self
    transfer.origin = admission.enqueue(transfer, to: transfer.target.origin)
    transfer.updateDeadline()
    if transfer.deadline != .max { deadlines.update(transfer) }
    // A task that is cancelled just as it submits can have said so before there was anybody to hear it.
    if transfer.isCancelled { end(transfer, CancellationError()) }
  }

  private func cancel(_ transfer: Transfer) {
    if transfer.state != .new { end(transfer, CancellationError()) }
  }

  private func admit() {
    while let transfer = admission.next() {
      if transfer.state == .queued {
        start(transfer)
      } else if let origin = transfer.origin {
        admission.release(origin)
        transfer.origin = nil
      }
    }
  }

  private func start(_ transfer: Transfer) {
    guard let easy = transfer.easy else { return }
    transfer.state = .active
    transfer.activated = now
    transfer.lastActivity = now
    transfer.slot = active.count
    active.append(transfer)
    transfer.updateDeadline()
    if transfer.deadline != .max { deadlines.update(transfer) }
    driver.adopt(easy)
    if let share, transfer.target.isSecure { _ = faraday_set_pointer(easy.pointer, CURLOPT_SHARE, share) }
    let code = curl_multi_add_handle(multi, easy.pointer)
    guard code == CURLM_OK else {
      return end(transfer, transfer.error(.engineFailed, String(cString: curl_multi_strerror(code))))
    }
    transfer.openSource()
  }

  /// The first connection to an origin has its address, so that others may start.
  func opened(_ descriptor: Int32, for transfer: Transfer) {
    driver.opened(descriptor)
    // Over HTTP/2 the others wait until it is there, to go over it.
    if let origin = transfer.origin, !transfer.request.options.httpVersion.mayBeHTTP2(for: transfer) { open(origin) }
  }

  func open(_ origin: Admission<Transfer>.Origin) {
    admission.open(origin)
  }

  func multiplexes(_ origin: Admission<Transfer>.Origin) {
    admission.multiplex(origin, streams: streamsPerConnection)
  }

  // MARK: going on

  /// A caller's callback has returned, after who knows how long.
  func calledBack() { now = Clock.now }

  /// Remembers that a transfer has something to hand out at the end of the turn.
  func touch(_ transfer: Transfer) {
    guard !transfer.isTouched else { return }
    transfer.isTouched = true
    touched.append(transfer)
  }

  /// Answers a waiting task at the end of the turn.
  func complete(_ waiting: UnsafeContinuation<Received, any Error>, _ received: Received) {
    completed.append((waiting, received))
  }

  /// Waking a thread for each of many tasks costs this one more than its work for them: one is woken for all.
  private func answer() {
    guard !completed.isEmpty else { return }
    let batch = completed
    completed.removeAll(keepingCapacity: true)
    if batch.count < 3 {
      for (waiting, received) in batch { waiting.resume(returning: received) }
    } else {
      Task.detached { for (waiting, received) in batch { waiting.resume(returning: received) } }
    }
  }

  /// Hands out what has arrived. While more comes, a reader is not woken for every piece.
  private func flush(isQuiet: Bool) {
    var waiting: [Transfer] = []
    // Resuming one can touch others.
    while !touched.isEmpty {
      let round = touched
      touched.removeAll(keepingCapacity: true)
      for transfer in round {
        if transfer.mayGather(isQuiet: isQuiet, now: now) {
          waiting.append(transfer)
        } else {
          transfer.isTouched = false
          if transfer.state == .active { flush(transfer) }
        }
      }
    }
    touched = waiting
  }

  private func flush(_ transfer: Transfer) {
    if let failure = transfer.failure { return end(transfer, failure) }
    if transfer.isHeadDue { transfer.handOverHead() }
    if case .stream(let buffer) = transfer.sink, buffer.publish(transfer.segments.take()) { resumeReceiving(transfer) }
    if transfer.isRefused { resumeSending(transfer) }
  }

  /// Whether callbacks have had their time: commands and the other transfers are to have theirs.
  var isTurnOver: Bool { now - turnBegan > Self.turnLength }
  /// Nanoseconds.
  private static let turnLength: Int64 = 5_000_000

  /// Lets a transfer go on in the next turn. libcurl would serve one as long as there is something to read, and with a slow
  /// callback there always is.
  func postpone(_ transfer: Transfer) { postponed.append(transfer) }

  private func resumePostponed() {
    guard !postponed.isEmpty else { return }
    let round = postponed
    postponed.removeAll(keepingCapacity: true)
    for transfer in round { resumeReceiving(transfer) }
  }

  private func resumeReceiving(_ transfer: Transfer) {
    guard transfer.state == .active, transfer.isReceivePaused else { return }
    transfer.isReceivePaused = false
    // The last of the response may be among what libcurl has kept.
    if transfer.isRefused { transfer.isSendPaused = false }
    transfer.lastActivity = now
    // libcurl delivers what it has kept from within the call: answering with another pause would be quadratic.
    transfer.isResuming = true
    unpause(transfer)
    transfer.isResuming = false
    if let failure = transfer.failure { end(transfer, failure) }
  }

  private func resumeSending(_ transfer: Transfer) {
    guard transfer.state == .active, transfer.isSendPaused else { return }
    // That libcurl is to look again at an upload that nobody wants is no sign of life.
    if !transfer.isRefused { transfer.lastActivity = now }
    transfer.isSendPaused = false
    unpause(transfer)
  }

  /// An upload that the server has refused has paused again, because its source still has nothing. It ends with the response,
  /// and only if it is not paused then; nobody is told of that end, so it is resumed whenever something has happened.
  func waitsRefused(_ transfer: Transfer) {
    refused.append(transfer)
  }

  private func resumeRefused() {
    guard !refused.isEmpty else { return }
    let round = refused
    refused.removeAll()
    for transfer in round { resumeSending(transfer) }
  }

  private func unpause(_ transfer: Transfer) {
    guard let easy = transfer.easy else { return }
    let directions = (transfer.isReceivePaused ? CURLPAUSE_RECV : 0) | (transfer.isSendPaused ? CURLPAUSE_SEND : 0)
    let code = curl_easy_pause(easy.pointer, directions)
    // Without a connection there is nothing to resume: libcurl is making another, and will ask again.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return }
    // What fails within that call does not always come up again as the transfer's end.
    end(transfer) { $0.finish(code) }
  }

  // MARK: ending

  private func finishDone() {
    var code = CURLE_OK
    while let easy = faraday_next_done(multi, &code) {
      guard let transfer = transfer(of: easy) else { continue }
      if !retriesFresh(transfer, code) { end(transfer) { $0.finish(code) } }
    }
  }

  /// Before 8.0 libcurl gives up after five pooled connections that were dead. They say nothing about a new one.
  private func retriesFresh(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR,
      !Library.Behaviour.hasSoundHTTP2Streams, !transfer.hasRetriedFresh, transfer.headSize == 0,
      transfer.failure == nil, let easy = transfer.easy, easy.get(CURLINFO_NUM_CONNECTS) == 0, transfer.mayRepeat,
      transfer.rewind()
    else { return false }
    transfer.hasRetriedFresh = true
    curl_multi_remove_handle(multi, easy.pointer)
    _ = faraday_set_long(easy.pointer, CURLOPT_FRESH_CONNECT, 1)
    return curl_multi_add_handle(multi, easy.pointer) == CURLM_OK
  }

  private func expire() {
    while let transfer = deadlines.first, transfer.deadline <= now {
      let timeouts = transfer.request.options.timeouts
      if transfer.waitsForCaller { transfer.lastActivity = now }
      transfer.updateDeadline()
      if transfer.deadline > now {
        deadlines.update(transfer)
      } else if let total = timeouts.total, transfer.submitted + total.nanoseconds <= now {
        end(transfer, transfer.error(.totalTimeout, "the exchange took longer than \(total)"))
      } else {
        let idle = timeouts.idle.map { "\($0)" } ?? ""
        end(transfer, transfer.error(.idleTimeout, "no byte moved for \(idle)"))
      }
    }
  }

  private func end(_ transfer: Transfer, _ error: @autoclosure () -> any Error) {
    guard transfer.state != .finished else { return }
    let error = error()
    if transfer.isReceivePaused, let easy = transfer.easy {
      // What libcurl keeps for a paused transfer is freed only if it is delivered, or refused.
      transfer.failure = error
      transfer.isReceivePaused = false
      curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }
    if transfer.isHTTP2, !Library.Behaviour.hasSafeHTTP2, let easy = transfer.easy {
      // The reset of its stream would be sent with the next request. Nobody else on the connection: it is closed instead.
      _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1)
    }
    end(transfer) { $0.finish(error) }
  }

  /// The one way out: outcome first, while the handle still has its figures; then everything is given back.
  private func end(_ transfer: Transfer, outcome: (Transfer) -> Void) {
    guard transfer.state != .finished else { return }
    outcome(transfer)
    deadlines.remove(transfer)
    switch transfer.state {
    case .active:
      if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
      active.swapAt(transfer.slot, active.count - 1)
      active[transfer.slot].slot = transfer.slot
      active.removeLast()
      if let origin = transfer.origin { admission.release(origin) }
      transfer.origin = nil
      refused.removeAll { $0 === transfer }
      transfer.dispose()
    case .queued:
      transfer.dispose()
      transfer.state = .finished
      if let origin = transfer.origin { admission.abandon(origin) { $0.state == .finished } }
    case .new, .finished:
      break
    }
    transfer.state = .finished
    transfer.engine = nil
  }

  // MARK: failing

  private func failAll(_ message: String) {
    while let transfer = active.last { end(transfer, transfer.error(.engineFailed, message)) }
    while let transfer = admission.next() {
      end(transfer, transfer.error(.engineFailed, message))
      if let origin = transfer.origin { admission.release(origin) }
    }
  }
}

extension Transfer {
  /// Its name is resolved, and it needs a connection. Returns whether it may have one.
  func mayOpenSocket() -> Bool { maySendNow() }

  func openedSocket(_ descriptor: Int32) {
    engine?.opened(descriptor, for: self)
  }

  /// It has a connection, new or used, and the request goes out next. Returns whether it may.
  func connectionIsReady() -> Bool {
    if let origin { engine?.open(origin) }
    guard maySendNow() else { return false }
    isReady = true
    // A request that is sent anew is not paused.
    isSendPaused = false
    return true
  }
}

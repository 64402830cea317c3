internal import CCurl
@_spi(Adapters) internal import FaradayCore

/// An event loop on a dedicated thread: a libcurl multi handle with its connection pool, the active transfers, the request
/// queue, and their deadlines.
///
/// Not thread-safe: everything runs on the engine's thread. Other threads send ``Command``s through ``EngineHandle``. A turn of
/// the loop: take commands, start queued transfers, let libcurl work, end completed transfers, deliver received bytes, check
/// timeouts, sleep.
///
/// **Reentrancy.** libcurl may call back during each call to it: see ``Exchange``. The callbacks reach the engine through the
/// methods under "called by transfers". These methods note something for later, and never call libcurl. A loop over a list that
/// these methods extend first takes the list, or its length.
final class Engine {
  private let handle: EngineHandle
  private let multi: UnsafeMutableRawPointer
  let sockets: Sockets
  private let share: UnsafeMutableRawPointer?
  private let driver: any Driver
  private let configuration: CurlAdapter.Configuration
  // No run-time checks for exclusive access, for speed: no caller code runs while these are changed.
  @exclusivity(unchecked) private var admission: Admission<Transfer>
  @exclusivity(unchecked) private var deadlines = DeadlineHeap<Transfer>()
  @exclusivity(unchecked) private var active: [Transfer] = []
  @exclusivity(unchecked) private var turnShare = TurnShare()
  @exclusivity(unchecked) private var pools = ConnectionPools()
  @exclusivity(unchecked) private var sweep: PoolSweep
  private weak var sharedPool: SegmentPool?
  /// Transfers that may have something to deliver at the end of the turn.
  @exclusivity(unchecked) private var touched: [Transfer] = []
  /// Transfers whose uploads have stalled after an early response: see ``Exchange``.
  @exclusivity(unchecked) private var stalledUploads: [Transfer] = []
  /// Transfers that have used up their share of a turn, and continue in later turns.
  @exclusivity(unchecked) private var postponed = Fifo<Transfer>()
  /// HTTP/2 connections whose session has ended while their transfers still wait.
  @exclusivity(unchecked) private var brokenSessions: [Attempt.Connection] = []
  /// The number of transfers that wait for a connection.
  private var queued = 0
  /// The number of transfers whose connections have left the pool, and the number that libcurl's pool has room for.
  private var outsidePool = 0
  private var roomOutsidePool = 0
  /// Tasks that wait until no transfer is active or queued.
  @exclusivity(unchecked) private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var commands: [Command] = []
  @exclusivity(unchecked) private var completions = Completions()
  /// The current time. It is read when commands are taken, when the engine wakes, and after caller code has run.
  @exclusivity(unchecked) private(set) var now = Clock.now
  @exclusivity(unchecked) private var turnBegan = Clock.now

  /// Runs engines for the handle until the handle is stopped and no work is left. If libcurl's multi handle fails, all
  /// transfers fail, and a new engine takes over.
  static func serve(_ handle: EngineHandle) {
    repeat {
      guard let engine = Engine(handle) else {
        return handle.failPending(.outOfDescriptors, "no memory or file descriptor for libcurl's event loop: raise `ulimit -n`")
      }
      do {
        try engine.run()
      } catch {
        engine.failAll(.engineFailed, "libcurl's multi interface failed: \(String(cString: curl_multi_strerror(error.code)))")
        engine.answerIfIdle()
      }
      engine.close()
    } while !handle.mayEnd()
  }

  private init?(_ handle: EngineHandle) {
    guard let waker = handle.waker, let multi = faraday_multi_init() else { return nil }
    let configuration = handle.configuration
    let sockets = Sockets(handle.counters)
    var driver: (any Driver)? = PollDriver(multi, waker: waker)
    #if os(Linux)
    if configuration.driver == .platform { driver = EpollDriver(multi, waker: waker, sockets) }
    #endif
    guard let driver else {
      curl_multi_cleanup(multi)
      return nil
    }
    self.handle = handle
    self.multi = multi
    self.sockets = sockets
    self.driver = driver
    sockets.driver = driver
    self.configuration = configuration
    admission = Admission(
      perOrigin: configuration.maximumPooledConnectionsPerOrigin, total: configuration.maximumPooledConnections,
      isCancelled: \.hasFinished,
      takesKeptConnection: { $0.reserveConnection(of: sockets) })
    sweep = PoolSweep(configuration)
    // TLS sessions are shared: before 8.12 they belong to the easy handle, and an easy handle here serves one request.
    share = curl_share_init()
    if let share { faraday_share_tls_sessions(share) }
    resizePool()
    faraday_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, configuration.streamsPerConnection))
  }

  /// Sets the size of libcurl's pool. libcurl's default shrinks with the number of active transfers, and closes connections
  /// after a burst. Connections that have left the pool still count in libcurl.
  private func resizePool() {
    roomOutsidePool = outsidePool
    let (size, isBeyond) = max(1, configuration.maximumPooledConnections).addingReportingOverflow(outsidePool)
    faraday_multi_set_long(multi, CURLMOPT_MAXCONNECTS, isBeyond ? .max : size)
  }

  private func close() {
    endSweep()
    curl_multi_cleanup(multi)
    sockets.countAllClosed()
    if let share { curl_share_cleanup(share) }
  }

  // MARK: the turn

  private func run() throws(MultiFailure) {
    while true {
      if Exit.hasBegun { Exit.park() }
      turnBegan = Clock.now
      runJobs()
      let isStopping = handle.take(&commands)
      now = Clock.now
      turnBegan = now
      // Queued transfers start first, which makes room in the queue.
      admit()
      for command in commands { obey(command) }
      commands.removeAll(keepingCapacity: true)
      admit()
      try resumePostponed()
      try driver.act()
      settle(isQuiet: false)
      if isStopping && admission.isIdle && active.isEmpty { return }
      // The clock is read after the sleep, before libcurl handles the events.
      let hadNews = try driver.wait(atMost: untilNextTurn) {
        now = Clock.now
        turnBegan = now
        return now + TurnShare.turnLength
      }
      handle.wokeUp()
      if sockets.takeDeadConnections() { sweep.makeDueSoon(now) }
      // Timeouts are checked only here, after all bytes that had arrived by `now` were received: the time of a slow callback
      // does not count.
      if hadNews { resumeStalledUploads() }
      settle(isQuiet: !hadNews, expiring: !driver.hasPendingEvents)
    }
  }

  private func obey(_ command: Command) {
    switch command {
    case .submit(let transfer): submit(transfer)
    case .cancel(let transfer): cancel(transfer)
    case .dropBody(let transfer): end(transfer, .failed(CancellationError()))
    case .resumeReceiving(let transfer): end(transfer, transfer.exchange.readerHasRoom())
    case .resumeSending(let transfer): end(transfer, transfer.exchange.resumeSending())
    case .evictConnections: evictConnections()
    case .flushDNSCache: flushDNSCache()
    case .whenIdle(let continuation): idleWaiters.append(continuation)
    case .cut(let continuation): continuation.resume(returning: failAll(.shuttingDown, Draining.cutting))
    }
  }

  /// Resumes the tasks that wait until no transfer is active or queued.
  private func answerIfIdle() {
    guard !idleWaiters.isEmpty, active.isEmpty, queued == 0 else { return }
    for continuation in idleWaiters { continuation.resume() }
    idleWaiters = []
  }

  /// Ends completed transfers, delivers received bytes, and checks timeouts.
  private func settle(isQuiet: Bool, expiring: Bool = false) {
    if outsidePool != roomOutsidePool { resizePool() }
    endBrokenSessions()
    finishDone()
    flush(isQuiet: isQuiet)
    if expiring {
      expire()
      if sweep.isDue(turnBegan), sockets.openCount > 0 { startSweep() }
    }
    completions.deliver()
    answerIfIdle()
  }

  /// The maximum time that the engine may sleep, in nanoseconds.
  private var untilNextTurn: Int64 {
    // A transfer that has ended or connected may allow others to start.
    guard !driver.hasPendingEvents, !admission.hasReady, postponed.isEmpty, touched.allSatisfy(\.exchange.hasBulk),
      handle.maySleep()
    else {
      return 0
    }
    let next = min(deadlines.first?.deadline ?? .max, sweep.due)
    let untilNextDeadline = next == .max ? .max / 2 : max(0, next - Clock.now)
    return touched.isEmpty ? untilNextDeadline : min(untilNextDeadline, Receiving.maximumCoalescingTime)
  }

  // MARK: starting

  private func submit(_ transfer: Transfer) {
    transfer.exchange.enter(self)
    // If the task was cancelled during the submission, its cancel command may have been dropped.
    guard !transfer.isCancelled else { return end(transfer, .failed(CancellationError())) }
    let (origin, gate, limit) = (transfer.target.origin, transfer.gateKey, transfer.connectionLimit)
    if let place = admission.admit(transfer, to: origin, by: gate, limit: limit, now: now) {
      start(transfer, at: place)
    } else if queued < configuration.maximumQueuedRequests {
      queued += 1
      transfer.enterQueue(at: admission.enqueue(transfer, to: origin, by: gate, limit: limit, now: now), now: now)
      updateDeadline(of: transfer)
      transfer.exchange.report(.queued)
    } else {
      end(
        transfer,
        .failed(
          transfer.exchange.error(
            .queueFull,
            "the request queue is full: \(configuration.maximumQueuedRequests) requests are waiting (`maximumQueuedRequests`)")
        ))
    }
  }

  private func cancel(_ transfer: Transfer) {
    // The submission follows later, and checks for cancellation.
    if transfer.isNew { return }
    end(transfer, .failed(CancellationError()))
  }

  private func admit() {
    while let (transfer, place) = admission.next(now: now) {
      leaveQueue(transfer)
      start(transfer, at: place)
    }
  }

  private func start(_ transfer: Transfer, at place: Admission<Transfer>.Place) {
    handle.started()
    transfer.activate(at: place, slot: active.count, now: now)
    active.append(transfer)
    handle.counters.active.set(active.count)
    updateDeadline(of: transfer)
    transfer.exchange.report(.started)
    do {
      try transfer.prepare()
      try add(transfer)
    } catch {
      return end(transfer, .failed(error))
    }
    transfer.exchange.open()
  }

  /// Notes that the transfer was removed from the queue.
  private func leaveQueue(_ transfer: Transfer) {
    queued -= 1
    transfer.leaveQueue()
  }

  /// Adds the transfer's easy handle to libcurl.
  private func add(_ transfer: Transfer) throws {
    guard let easy = transfer.exchange.easy else { return }
    sockets.watch(easy)
    if let share, transfer.target.isSecure { _ = faraday_set_pointer(easy.pointer, CURLOPT_SHARE, share) }
    var pool = pools.number(of: transfer.connectionOptions)
    if Library.Behaviour.mixesVersions, transfer.target.isSecure, !transfer.mayBeHTTP2 { pool += 1 << 24 }
    if pool > 0, !transfer.mayNeedScope {
      // libcurl's pool keeps connections with different numbers apart. The option is meant for link-local IPv6 addresses, and
      // ignored for others.
      _ = faraday_set_long(easy.pointer, CURLOPT_ADDRESS_SCOPE, pool)
    }
    if admission.shouldClearDNSCache || sweep.isFlushingDNSCache, !transfer.exchange.hasAddresses {
      // Clears the DNS cache: libcurl iterates over the whole cache at the end of each transfer.
      _ = faraday_set_long(easy.pointer, CURLOPT_DNS_CACHE_TIMEOUT, 0)
      admission.didClearDNSCache()
    }
    let code = curl_multi_add_handle(multi, easy.pointer)
    guard code == CURLM_OK else { throw transfer.exchange.error(.engineFailed, String(cString: curl_multi_strerror(code))) }
  }

  // MARK: delivering and resuming

  /// Delivers received bytes. While more bytes arrive, they are coalesced, so that the reader is not woken for every piece.
  private func flush(isQuiet: Bool) {
    var waiting: [Transfer] = []
    // Resuming one transfer can mark others.
    while !touched.isEmpty {
      let round = touched
      touched.removeAll(keepingCapacity: true)
      for transfer in round {
        if transfer.exchange.mayCoalesce(isQuiet: isQuiet, now: now) {
          waiting.append(transfer)
        } else {
          transfer.untouch()
          end(transfer, transfer.exchange.deliver())
        }
      }
    }
    touched = waiting
  }

  /// Resumes postponed transfers one after the other, until half of the turn is over. Each receives before the next one is
  /// resumed: otherwise each would receive a buffer after the end of the turn, and libcurl would copy it for the pause. (A driver
  /// that lets libcurl check all transfers does that only once, after the last of them.)
  private func resumePostponed() throws(MultiFailure) {
    for _ in 0..<postponed.count {
      guard let transfer = postponed.popFirst() else { return }
      end(transfer, transfer.exchange.resumeReceiving())
      if !driver.checksAll { try driver.act() }
      now = Clock.now
      if now - turnBegan > TurnShare.turnLength / 2 { return }
    }
  }

  /// Resumes uploads that have stalled after an early response. libcurl ends such an upload with the response, but only if the
  /// upload is not paused, and it does not report the response's end. So the uploads are resumed after every event, and pause
  /// again.
  private func resumeStalledUploads() {
    guard !stalledUploads.isEmpty else { return }
    let round = stalledUploads
    stalledUploads.removeAll()
    for transfer in round { end(transfer, transfer.exchange.resumeSending()) }
  }

  // MARK: the end

  private func finishDone() {
    var code = CURLE_OK
    while let easy = faraday_next_done(multi, &code) {
      guard let transfer = transfer(of: easy) else {
        endSweep()
        continue
      }
      let isUnresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
      let failure = isUnresolved ? transfer.exchange.libcurlError(code) : nil
      let place = transfer.place
      end(transfer, .done(code))
      if let failure, let place, transfer.hasFinished { failWaiting(for: place, failure) }
    }
  }

  /// Fails all queued transfers that wait for the same failed lookup, instead of repeating the lookup for each.
  private func failWaiting(for place: Admission<Transfer>.Place, _ failure: TransportError) {
    // The custom options may change the lookup, and are not compared here.
    guard configuration.unsafeCustomize == nil else { return }
    for transfer in admission.takeUnprepared(place, now: now) where transfer.isQueued {
      leaveQueue(transfer)
      let error = transfer.exchange.error(failure.code, failure.message, phase: failure.phase, engineCode: failure.engineCode)
      end(transfer, .failed(error))
    }
  }

  /// Restarts a transfer with a new easy handle. Returns false if its body is not replayable.
  private func restart(_ transfer: Transfer, _ reason: Attempt.Restart) -> Bool {
    guard transfer.exchange.canRewind else { return false }
    if let easy = transfer.exchange.easy { curl_multi_remove_handle(multi, easy.pointer) }
    transfer.release(to: sockets)
    let connection = transfer.exchange.connection
    do {
      guard try transfer.restart(reason) else { return false }
      // As in `end(_:_:)`: otherwise the server would not learn that the stream is cancelled.
      if let connection, reason == .overHTTP1 || sockets.isEvicted(connection.descriptor) { sockets.retire(connection) }
      try add(transfer)
    } catch {
      end(transfer, .failed(error))
    }
    return true
  }

  /// Ends transfers whose deadlines had passed when the engine woke. Bytes that arrived later, while caller code ran on this
  /// thread, are read in the next turn and must count first.
  private func expire() {
    while let transfer = deadlines.first, transfer.deadline <= turnBegan {
      if let outcome = transfer.expire(at: turnBegan, now: max(turnBegan, now)) {
        end(transfer, outcome)
      } else if transfer.deadline > turnBegan {
        deadlines.update(transfer)
      } else {
        deadlines.remove(transfer)
      }
    }
  }

  /// Ends a transfer: no other code does. Reports the outcome while the easy handle has its metrics, then releases everything.
  /// Restarts the transfer instead if its outcome needs another attempt.
  ///
  /// - Parameter outcome: nil if the transfer continues; nothing happens then.
  private func end(_ transfer: Transfer, _ outcome: Transfer.Outcome?) {
    guard let outcome, !transfer.hasFinished else { return }
    if case .done(let code) = outcome, let reason = transfer.exchange.neededRestart(after: code), restart(transfer, reason) {
      return
    }
    if case .failed(let error) = outcome { transfer.exchange.discardPausedBytes(because: error) }
    let isWell = transfer.finish(outcome)
    deadlines.remove(transfer)
    let connection = transfer.exchange.connection
    transfer.release(to: sockets)
    transfer.exchange.releaseConnection()
    switch transfer.endLife() {
    case .active(let place, let slot):
      if let easy = transfer.exchange.easy { curl_multi_remove_handle(multi, easy.pointer) }
      // A failed transfer's connection is closed here: libcurl 8 would first shut it down gracefully, for as long as the server
      // likes. Before 8.20 this applies to HTTP/2 too: the RST_STREAM of a cancelled stream waits for the connection's next
      // frame, which may never come.
      let tellsServer = transfer.exchange.isHTTP3 || transfer.exchange.isHTTP2 && Library.Behaviour.resetsAtOnce
      let hasLeftPool = place == nil
      if let connection, hasLeftPool || !isWell && !tellsServer || sockets.isEvicted(connection.descriptor) {
        sockets.retire(connection)
      }
      freeSlot(slot)
      if hasLeftPool { outsidePool -= 1 }
      if let place {
        admission.release(place, hasTried: outcome.hasTried, now: now)
        if isWell { admission.connectionIsFree(place) }
      }
      stalledUploads.removeAll { $0 === transfer }
      transfer.leave()
      sweep.makeDueLater(now)
    case .queued(let place):
      queued -= 1
      handle.started()
      transfer.leave()
      admission.noteCancelled(place, now: now)
    case .new:
      handle.started()
      transfer.leave()
    case .finished:
      break
    }
  }

  /// Closes connections whose session has ended, so that libcurl ends their transfers.
  private func endBrokenSessions() {
    guard !brokenSessions.isEmpty else { return }
    for connection in brokenSessions { sockets.end(connection) }
    brokenSessions = []
  }

  private func freeSlot(_ slot: Int) {
    turnShare.end(active[slot].exchange.turnUsage)
    active.swapAt(slot, active.count - 1)
    active[slot].move(to: slot)
    active.removeLast()
    handle.counters.active.set(active.count)
  }

  /// Fails all active and queued transfers. Returns their number.
  @discardableResult private func failAll(_ code: TransportError.Code, _ message: String) -> Int {
    var count = 0
    while let transfer = active.last {
      end(transfer, .failed(transfer.exchange.error(code, message)))
      count += 1
    }
    while let (transfer, place) = admission.next(now: now) {
      leaveQueue(transfer)
      end(transfer, .failed(transfer.exchange.error(code, message)))
      admission.release(place, now: now)
      count += 1
    }
    // Some transfers may have succeeded just before.
    completions.deliver()
    return count
  }

  // MARK: the sweep of the connection pool, and eviction

  /// Closes idle connections at once, and active ones after their requests.
  private func evictConnections() {
    pools.renew()
    sockets.evictAll()
    sweep.makeDueSoon(now)
  }

  /// Clears libcurl's DNS cache with an immediate sweep: libcurl has no function for it, and removes expired entries only when
  /// a request ends. Requests that start before the sweep has ended do not use the cache either.
  private func flushDNSCache() {
    endSweep()
    sweep.flushesDNSCache()
    startSweep()
    // At once: requests that start in the meantime would remove their own entries too. A failure is detected again in this
    // turn.
    try? driver.act()
    finishDone()
  }

  private func startSweep() {
    guard let easy = sweep.start() else { return }
    sockets.watch(easy)
    if curl_multi_add_handle(multi, easy.pointer) != CURLM_OK { endSweep() }
  }

  /// Removes the sweep's request, which has failed as intended.
  private func endSweep() {
    guard let easy = sweep.end() else { return }
    curl_multi_remove_handle(multi, easy.pointer)
    curl_easy_cleanup(easy.pointer)
    if sockets.openCount > 0 { sweep.makeDueLater(now) }
  }

  // MARK: called by transfers, also within libcurl's callbacks

  /// Reads the clock after a caller's callback has returned.
  func callbackReturned() { now = Clock.now }

  /// Marks a transfer that has something to deliver at the end of the turn.
  func touch(_ transfer: Transfer) {
    if transfer.touch() { touched.append(transfer) }
  }

  /// Resumes a waiting task at the end of the turn.
  func complete(_ completed: Completed) { completions.append(completed) }

  /// Whether a transfer has used up its share of the turn: see ``TurnShare``.
  func isTurnOver(for usage: inout TurnShare.Usage) -> Bool {
    turnShare.isUsedUp(by: &usage, of: active.count, turnBegan: turnBegan, now: &now)
  }

  /// The memory for streamed bodies, which is released with the last stream.
  var segmentPool: SegmentPool {
    if let sharedPool { return sharedPool }
    let pool = SegmentPool()
    sharedPool = pool
    return pool
  }

  /// Lets a transfer continue in a later turn. libcurl would serve it for as long as bytes are available, which with a slow
  /// callback is always.
  func postpone(_ transfer: Transfer) { postponed.append(transfer) }

  /// Notes a stalled upload (see ``Exchange``).
  func noteStalledUpload(_ transfer: Transfer) { stalledUploads.append(transfer) }

  /// Notes that the session of an HTTP/2 connection has ended. Called in a libcurl callback, just before libcurl sends GOAWAY.
  func noteBrokenSession(_ connection: Attempt.Connection) { brokenSessions.append(connection) }

  /// Updates the transfer's deadline and its place in the heap.
  func updateDeadline(of transfer: Transfer) {
    transfer.updateDeadline()
    // A transfer in the heap is moved even if it no longer has a deadline, to keep the heap in order.
    if transfer.deadline != .max || transfer.deadlineIndex >= 0 { deadlines.update(transfer) }
  }

  /// Notes that a socket was opened for the transfer. Its names are resolved, so that transfers that wait for the same names
  /// may start.
  func opened(_ descriptor: Int32, isDatagram: Bool, for transfer: Transfer) {
    sockets.opened(descriptor, isDatagram: isDatagram)
    transfer.holdNewConnection(
      of: sockets, limit: max(1, transfer.connectionLimit ?? configuration.maximumPooledConnectionsPerOrigin),
      total: max(1, configuration.maximumPooledConnections))
    if let place = transfer.place, place.key?.endsWithFirstSocket ?? false { admission.open(place) }
  }

  /// Notes that the transfer has a connection. Transfers that wait for its preparation may start, or do the preparation
  /// themselves.
  func connected(_ transfer: Transfer, isReused: Bool) {
    transfer.release(to: sockets)
    guard let place = transfer.place, let key = place.key else { return }
    if isReused, key.isLookup { admission.usesKeptConnection(place) } else { admission.open(place) }
  }

  /// Notes that the transfer's connection has switched to another protocol: it has left the pool, and does not count towards
  /// the limits any more.
  func leavesPool(_ transfer: Transfer) {
    guard let place = transfer.leavePlace() else { return }
    admission.release(place, now: now)
    if let connection = transfer.exchange.connection { sockets.leavePool(connection.descriptor) }
    outsidePool += 1
  }

  func multiplexes(_ place: Admission<Transfer>.Place) {
    admission.multiplex(place, streams: configuration.streamsPerConnection)
  }

  /// Runs jobs of tasks on this thread, at least one, until the turn is over. May be called within libcurl's callbacks: tasks
  /// do not call libcurl, but send commands.
  func runJobs() {
    var jobs = handle.takeJobs()[...]
    while let job = jobs.popFirst() {
      job.run()
      guard jobs.isEmpty || Clock.now - turnBegan < TurnShare.turnLength else { return handle.putBack(jobs) }
    }
  }
}

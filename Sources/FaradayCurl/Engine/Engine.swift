internal import CCurl
internal import FaradayCore

/// An event loop on a thread of its own: a libcurl multi handle with its connection pool, the active transfers, the request queue,
/// and their deadlines.
///
/// It is not thread-safe: everything runs on its thread; others send it ``Command``s through ``EngineHandle``. A turn of the loop:
/// take commands, start queued transfers, let libcurl work, end what has completed, deliver what has arrived, check timeouts,
/// sleep.
final class Engine {
  let handle: EngineHandle
  let multi: UnsafeMutableRawPointer
  let sockets: Sockets
  private let share: UnsafeMutableRawPointer?
  let driver: any Driver
  let configuration: CurlAdapter.Configuration
  // Without run-time checks for exclusive access, for speed: no code of a caller runs while these are changed.
  @exclusivity(unchecked) var admission: Admission<Transfer>
  @exclusivity(unchecked) var deadlines = DeadlineHeap<Transfer>()
  @exclusivity(unchecked) var active: [Transfer] = []
  @exclusivity(unchecked) var pools = ConnectionPools()
  /// Transfers that may have something to deliver at the end of the turn.
  @exclusivity(unchecked) var touched: [Transfer] = []
  /// Transfers whose uploads have stalled after an early response: see ``Transfer``.
  @exclusivity(unchecked) var stalledUploads: [Transfer] = []
  /// HTTP/2 connections whose session is over, though their transfers wait.
  var brokenSessions: [(descriptor: Int32, endpoints: Sockets.Endpoints)] = []
  /// The number of transfers that wait for a connection.
  private var queued = 0
  /// Those that wait until nothing is active or queued.
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var commands: [Command] = []
  @exclusivity(unchecked) var completed: [Completed] = []
  /// The current time: read when commands are taken, when the engine wakes, and after a caller's code has run.
  var now = Clock.now
  var turnBegan = Clock.now
  /// Transfers that have used their share of the turn, and continue in the next.
  var postponed: [Transfer] = []
  /// When to sweep idle connections, and the easy handle that makes libcurl do it.
  var sweepDue = Int64.max
  var sweeper: UnsafeMutableRawPointer?
  /// Whether the sweep that is under way, or else the next one, clears the DNS cache.
  var isFlushingDNSCache = false

  /// Runs engines for the handle until it is stopped and nothing is left to do. If libcurl's multi handle fails, all transfers fail
  /// with it, and a new engine continues.
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
      perOrigin: configuration.connectionsPerOrigin, total: configuration.connections, isCancelled: \.hasFinished,
      takesKeptConnection: { sockets.reserve(for: $0) })
    // Shared TLS sessions: before 8.12 they belong to the easy handle, and ours live for one request.
    share = curl_share_init()
    if let share { faraday_share_tls_sessions(share) }
    // The pool's size: libcurl's default shrinks with the number of active transfers, and closes connections after a burst.
    faraday_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.connections))
    faraday_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, configuration.streamsPerConnection))
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
      // Queued transfers go first, which makes room in the queue.
      admit()
      for command in commands { obey(command) }
      commands.removeAll(keepingCapacity: true)
      admit()
      resumePostponed()
      try driver.act()
      settle(isQuiet: false)
      if isStopping && admission.isIdle && active.isEmpty { return }
      // The clock is read after the sleep, before libcurl handles the events.
      let hadNews = try driver.wait(atMost: untilNextTurn) {
        now = Clock.now
        turnBegan = now
        return now + Self.turnLength
      }
      handle.wokeUp()
      if sockets.hasDeadConnections { sweepSoon() }
      // Timeouts are checked only here, where everything that had arrived by `now` has been received: the time of a slow callback
      // does not count.
      if hadNews { resumeStalledUploads() }
      settle(isQuiet: !hadNews, expiring: !driver.hasPendingEvents)
    }
  }

  /// Runs jobs of tasks on this thread, at least one, until the turn is over. It may be called within libcurl's callbacks: tasks do
  /// not call libcurl, but send commands.
  func runJobs() {
    var jobs = handle.takeJobs()[...]
    while let job = jobs.popFirst() {
      job.run()
      guard jobs.isEmpty || Clock.now - turnBegan < Self.turnLength else { return handle.putBack(jobs) }
    }
  }

  private func obey(_ command: Command) {
    switch command {
    case .submit(let transfer): submit(transfer)
    case .cancel(let transfer): cancel(transfer)
    case .resumeReceiving(let transfer): readerHasRoom(transfer)
    case .resumeSending(let transfer): resumeSending(transfer)
    case .evictConnections: evictConnections()
    case .flushDNSCache: flushDNSCache()
    case .whenIdle(let continuation): idleWaiters.append(continuation)
    case .cut(let continuation): continuation.resume(returning: failAll(.shuttingDown, Draining.cutting))
    }
  }

  /// Tells those that wait for it that nothing is active or queued.
  private func answerIfIdle() {
    guard !idleWaiters.isEmpty, active.isEmpty, queued == 0 else { return }
    for continuation in idleWaiters { continuation.resume() }
    idleWaiters = []
  }

  /// Ends completed transfers, delivers received bytes, and checks timeouts.
  private func settle(isQuiet: Bool, expiring: Bool = false) {
    endBrokenSessions()
    finishDone()
    flush(isQuiet: isQuiet)
    if expiring {
      expire()
      sweepIfDue()
    }
    answer()
    answerIfIdle()
  }

  /// How long the engine may sleep, in nanoseconds.
  private var untilNextTurn: Int64 {
    // A transfer that has ended or connected may have let others start.
    guard !driver.hasPendingEvents, !admission.hasReady, postponed.isEmpty, touched.allSatisfy(\.hasBulk), handle.maySleep()
    else {
      return 0
    }
    let next = min(deadlines.first?.deadline ?? .max, sweepDue)
    let untilNextDeadline = next == .max ? .max / 2 : max(0, next - Clock.now)
    return touched.isEmpty ? untilNextDeadline : min(untilNextDeadline, Transfer.maximumCoalescingTime)
  }

  // MARK: starting

  private func submit(_ transfer: Transfer) {
    transfer.engine = self
    // If the task was cancelled while it submitted, its command may have been dropped.
    guard !transfer.isCancelled else { return end(transfer, .failed(CancellationError())) }
    let (origin, gate, limit) = (transfer.target.origin, transfer.gateKey, transfer.connectionLimit)
    if let place = admission.admit(transfer, to: origin, by: gate, limit: limit, now: now) {
      start(transfer, at: place)
    } else if queued < configuration.queueLimit {
      queued += 1
      transfer.life = .queued(admission.enqueue(transfer, to: origin, by: gate, limit: limit, now: now))
      updateDeadline(of: transfer)
      transfer.report(.queued)
    } else {
      end(
        transfer,
        .failed(
          transfer.error(.queueFull, "the request queue is full: \(configuration.queueLimit) requests are waiting (`queueLimit`)")
        ))
    }
  }

  private func cancel(_ transfer: Transfer) {
    // The submission comes later, and checks for cancellation.
    if case .new = transfer.life { return }
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
    transfer.life = .active(place, slot: active.count)
    transfer.activated = now
    transfer.lastActivity = now
    if transfer.request.options.deliversWhole { transfer.bufferingDeadline = now + Transfer.maximumBufferingTime }
    active.append(transfer)
    handle.counters.active.set(active.count)
    updateDeadline(of: transfer)
    transfer.report(.started)
    do {
      try transfer.prepare()
      try add(transfer)
    } catch {
      return end(transfer, .failed(error))
    }
    transfer.openSource()
  }

  /// Notes that it was removed from the queue.
  func leaveQueue(_ transfer: Transfer) {
    queued -= 1
    transfer.life = .new
  }

  /// Adds the transfer's easy handle to libcurl.
  func add(_ transfer: Transfer) throws {
    guard let easy = transfer.easy else { return }
    sockets.watch(easy)
    if let share, transfer.target.isSecure { _ = faraday_set_pointer(easy.pointer, CURLOPT_SHARE, share) }
    var pool = pools.number(of: transfer.connectionOptions)
    if Library.Behaviour.mixesVersions, transfer.target.isSecure, !transfer.mayBeHTTP2 { pool += 1 << 24 }
    if pool > 0, !transfer.mayNeedScope {
      // libcurl's pool keeps connections with different numbers apart. It is for link-local addresses of IPv6, and ignored for others.
      _ = faraday_set_long(easy.pointer, CURLOPT_ADDRESS_SCOPE, pool)
    }
    if admission.shouldClearDNSCache || isFlushingDNSCache, !transfer.hasAddresses {
      // Clears the DNS cache: libcurl walks over all of it at the end of each transfer.
      _ = faraday_set_long(easy.pointer, CURLOPT_DNS_CACHE_TIMEOUT, 0)
      admission.didClearDNSCache()
    }
    let code = curl_multi_add_handle(multi, easy.pointer)
    guard code == CURLM_OK else { throw transfer.error(.engineFailed, String(cString: curl_multi_strerror(code))) }
  }

  /// Adds the handle of a sweep.
  func addSweeper(_ easy: EasyHandle) -> Bool {
    sockets.watch(easy)
    return curl_multi_add_handle(multi, easy.pointer) == CURLM_OK
  }

  /// Updates the transfer's deadline and its place in the heap.
  func updateDeadline(of transfer: Transfer) {
    transfer.updateDeadline()
    // A transfer in the heap is moved even if it has no deadline any more, to keep the heap in order.
    if transfer.deadline != .max || transfer.deadlineIndex >= 0 { deadlines.update(transfer) }
  }

  /// A socket was opened for the transfer: its names are resolved, so that those that wait for these may start.
  func opened(_ descriptor: Int32, isDatagram: Bool, for transfer: Transfer) {
    sockets.opened(descriptor, isDatagram: isDatagram)
    sockets.connect(
      transfer, limit: max(1, transfer.connectionLimit ?? configuration.connectionsPerOrigin),
      total: max(1, configuration.connections))
    if let place = transfer.place, place.key?.endsWithFirstSocket ?? false { admission.open(place) }
  }

  /// The transfer has a connection: those that wait for what it prepares may start, or prepare it themselves.
  func connected(_ transfer: Transfer) {
    sockets.release(transfer)
    guard let place = transfer.place, let key = place.key else { return }
    if transfer.attempt.isReused, key.isLookup { admission.usesKeptConnection(place) } else { admission.open(place) }
  }

  func multiplexes(_ place: Admission<Transfer>.Place) {
    admission.multiplex(place, streams: configuration.streamsPerConnection)
  }
}

internal import CCurl
internal import FaradayCore

/// One thread's worth of libcurl: a multi handle, the transfers on it, those that wait for a slot, and their deadlines.
///
/// Everything in it happens on its thread, one turn after the other: take commands, start what may start, let libcurl act,
/// settle what has ended, hand out what has arrived, sleep.
final class Engine {
  let handle: EngineHandle
  let multi: UnsafeMutableRawPointer
  let sockets = Sockets()
  private let share: UnsafeMutableRawPointer?
  private let driver: any Driver
  let configuration: CurlAdapter.Configuration
  // What every request changes is not checked for exclusive access: nothing of anybody else's runs while it is changed.
  @exclusivity(unchecked) var admission: Admission<Transfer>
  @exclusivity(unchecked) var deadlines = DeadlineHeap<Transfer>()
  @exclusivity(unchecked) var active: [Transfer] = []
  @exclusivity(unchecked) var touched: [Transfer] = []
  @exclusivity(unchecked) var refused: [Transfer] = []
  /// How many wait for a connection.
  private var queued = 0
  private var commands: [Command] = []
  @exclusivity(unchecked) var completed: [Completed] = []
  /// The time: when commands were taken, when the engine woke up, or when somebody else's code was done on its thread.
  var now = Clock.now
  var turnBegan = Clock.now
  var postponed: [Transfer] = []
  /// When idle connections are to be looked at, and the handle that makes libcurl do it.
  var sweepDue = Int64.max
  var sweeper: UnsafeMutableRawPointer?

  /// Serves the mailbox until it is told to stop and nothing is left to do. If libcurl fails as a whole, everything under way
  /// fails with it and a new engine goes on.
  static func serve(_ handle: EngineHandle) {
    repeat {
      guard let engine = Engine(handle) else {
        return handle.refuseAll(.outOfDescriptors, "there is no memory or file descriptor left for an engine")
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
    guard let waker = handle.waker, let multi = faraday_multi_init() else { return nil }
    let configuration = handle.configuration
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
    self.driver = driver
    sockets.driver = driver
    self.configuration = configuration
    admission = Admission(perOrigin: configuration.connectionsPerOrigin, total: configuration.connections)
    // Sessions are kept with the easy handle before 8.12, and ours live for one request.
    share = curl_share_init()
    if let share { faraday_share_tls_sessions(share) }
    // The default shrinks with the number of active transfers, and closes connections while a burst drains.
    faraday_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.connections))
    faraday_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, configuration.streamsPerConnection))
  }

  private func close() {
    endSweep()
    curl_multi_cleanup(multi)
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
      // Those that wait come first, and make room for others to wait.
      admit()
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
        return now + Self.turnLength
      }
      handle.wokeUp()
      if sockets.hasDead { sweepSoon() }
      // Only here has everything that had arrived by `now` been received: a slow callback is not the network's silence.
      if hadNews { resumeRefused() }
      settle(isQuiet: !hadNews, expiring: !driver.hasMore)
    }
  }

  /// Runs what tasks on this thread have to do, also from within libcurl's callbacks: they never call it, they command. At least
  /// one, and no more when the turn is over.
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
    case .resumeReceiving(let transfer): readerMovedOn(transfer)
    case .resumeSending(let transfer): resumeSending(transfer)
    }
  }

  /// What has ended and what has arrived goes to those who wait for it.
  private func settle(isQuiet: Bool, expiring: Bool = false) {
    finishDone()
    flush(isQuiet: isQuiet)
    if expiring {
      expire()
      sweepIfDue()
    }
    answer()
  }

  /// How long it may sleep, in nanoseconds.
  private var untilNextTurn: Int64 {
    // What has just ended or connected may have let others start.
    guard !driver.hasMore, !admission.hasReady, postponed.isEmpty, touched.allSatisfy(\.isBulk), handle.maySleep() else {
      return 0
    }
    let next = min(deadlines.first?.deadline ?? .max, sweepDue)
    let untilNextDeadline = next == .max ? .max / 2 : max(0, next - Clock.now)
    return touched.isEmpty ? untilNextDeadline : min(untilNextDeadline, Transfer.gatheringTime)
  }

  // MARK: starting

  private func submit(_ transfer: Transfer) {
    transfer.engine = self
    // A task that is cancelled just as it submits can have said so before there was anybody to hear it.
    guard !transfer.isCancelled else { return end(transfer, .failed(CancellationError())) }
    if let origin = admission.admit(to: transfer.target.origin, now: now) {
      start(transfer, to: origin)
    } else if queued < configuration.queueLimit {
      queued += 1
      transfer.life = .queued(admission.enqueue(transfer, to: transfer.target.origin, now: now))
      limit(transfer)
    } else {
      end(transfer, .failed(transfer.error(.queueFull, "\(configuration.queueLimit) requests wait already")))
    }
  }

  private func cancel(_ transfer: Transfer) {
    // Its submission is still to come, and will see that it was cancelled.
    if case .new = transfer.life { return }
    end(transfer, .failed(CancellationError()))
  }

  private func admit() {
    while let (transfer, origin) = admission.next() {
      if transfer.isQueued {
        leaveQueue(transfer)
        start(transfer, to: origin)
      } else {
        admission.release(origin, now: now)
      }
    }
  }

  private func start(_ transfer: Transfer, to origin: Admission<Transfer>.Origin) {
    handle.started()
    transfer.life = .active(origin, slot: active.count)
    transfer.activated = now
    transfer.lastActivity = now
    if transfer.request.options.deliversWhole { transfer.smallUntil = now + Transfer.patience }
    active.append(transfer)
    limit(transfer)
    do {
      try transfer.prepare()
      try add(transfer)
    } catch {
      return end(transfer, .failed(error))
    }
    transfer.openSource()
  }

  /// It has been taken out of the queue.
  func leaveQueue(_ transfer: Transfer) {
    queued -= 1
    transfer.life = .new
  }

  /// Lets libcurl begin with it.
  func add(_ transfer: Transfer) throws {
    guard let easy = transfer.easy else { return }
    sockets.watch(easy)
    if let share, transfer.target.isSecure { _ = faraday_set_pointer(easy.pointer, CURLOPT_SHARE, share) }
    if admission.hasManyNames {
      // At the end of each transfer libcurl walks over all names that it knows: these are forgotten.
      _ = faraday_set_long(easy.pointer, CURLOPT_DNS_CACHE_TIMEOUT, 0)
      admission.forgetNames()
    }
    let code = curl_multi_add_handle(multi, easy.pointer)
    guard code == CURLM_OK else { throw transfer.error(.engineFailed, String(cString: curl_multi_strerror(code))) }
  }

  /// Adds a handle that is no transfer's.
  func addSweeper(_ easy: EasyHandle) -> Bool {
    sockets.watch(easy)
    return curl_multi_add_handle(multi, easy.pointer) == CURLM_OK
  }

  /// Sets when it is to be looked at next.
  func limit(_ transfer: Transfer) {
    transfer.updateDeadline()
    // One that stands there is moved, also if it has no limit any more: the order of the others depends on it.
    if transfer.deadline != .max || transfer.deadlineIndex >= 0 { deadlines.update(transfer) }
  }

  /// The first connection to an origin has its address, so that others may start.
  func opened(_ descriptor: Int32, for transfer: Transfer) {
    sockets.opened(descriptor)
    // Over HTTP/2 the others wait until it is there, to go over it.
    if let origin = transfer.origin, !transfer.request.options.httpVersion.mayBeHTTP2(for: transfer) { open(origin) }
  }

  func open(_ origin: Admission<Transfer>.Origin) {
    admission.open(origin)
  }

  func multiplexes(_ origin: Admission<Transfer>.Origin) {
    admission.multiplex(origin, streams: configuration.streamsPerConnection)
  }
}

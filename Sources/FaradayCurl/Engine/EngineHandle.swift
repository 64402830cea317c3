internal import CCurl
@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// A command to an engine's thread.
enum Command: Sendable {
  case submit(Transfer)
  /// The task that waits for the response was cancelled.
  case cancel(Transfer)
  /// The rest of a streamed body has no reader: the body was released, or its reading task was cancelled.
  case dropBody(Transfer)
  /// The reader of a streamed body is below its low watermark, or has started to drain.
  case resumeReceiving(Transfer)
  /// The source of a request's body has bytes again, or has ended.
  case resumeSending(Transfer)
  /// Close idle connections at once, and active ones after their requests.
  case evictConnections
  /// Clear libcurl's DNS cache.
  case flushDNSCache
  /// Resume the task when no transfer is active or queued.
  case whenIdle(CheckedContinuation<Void, Never>)
  /// Fail all active and queued transfers, and return their number.
  case cut(CheckedContinuation<Int, Never>)
}

/// A job of a task that runs on the engine's thread (task executor).
struct Job: Sendable {
  let job: UnownedJob
  let executor: UnownedTaskExecutor

  func run() { job.runSynchronously(on: executor) }
}

/// The thread-safe side of an engine: a mailbox of commands and jobs, and a waker that is used only while the engine sleeps.
/// Starts the engine's thread when it is needed.
final class EngineHandle: Sendable {
  private struct Mailbox {
    var commands: [Command] = []
    /// Jobs of tasks that run on the engine's thread.
    var jobs: [Job] = []
    /// Created with the first thread, unless there is no free file descriptor.
    var waker: Waker?
    var isAsleep = false
    var hasThread = false
    var isStopping = false
    /// Whether submissions are rejected.
    var isDraining = false

    var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }
    var sleepingWaker: Waker? { isAsleep ? waker : nil }
  }

  let configuration: CurlAdapter.Configuration
  private let makeWaker: @Sendable () -> Waker?
  private let forks: Int
  private let mailbox = Mutex(Mailbox())
  private let thread = Atomic<UInt>(0)
  /// The number of submitted requests that have not started.
  private let waiting = Atomic<Int>(0)
  let counters = EngineCounters()

  init(_ configuration: CurlAdapter.Configuration, waker: @escaping @Sendable () -> Waker? = { Waker() }) {
    self.configuration = configuration
    makeWaker = waker
    _ = Library.isReady
    forks = Forks.soFar
  }

  var waker: Waker? { mailbox.withLock { $0.waker } }

  /// Whether so few requests are waiting that the next one is likely to start at once.
  var hasShortQueue: Bool { waiting.load(ordering: .relaxed) < 64 }

  /// The approximate number of active and waiting requests. It may include requests that have just ended.
  var load: Int { waiting.load(ordering: .relaxed) + Int(counters.active.value) }

  /// Creates the transfer's easy handle in the caller's task. An error ends the exchange and is rethrown.
  func prepare(_ transfer: Transfer) throws {
    do { try transfer.prepare() } catch {
      transfer.exchange.belongs(to: self)
      transfer.end(error)
      throw error
    }
  }

  /// Resolves the transfer's host in the caller's task. An error ends the exchange and is rethrown.
  func resolve(_ transfer: Transfer, by names: ResolvedNames) async throws {
    do { try await transfer.resolve(by: names) } catch {
      transfer.exchange.belongs(to: self)
      transfer.end(error)
      throw error
    }
  }

  /// Submits a transfer, and starts the thread if there is none. If that fails, the transfer fails.
  func submit(_ transfer: Transfer) {
    transfer.exchange.belongs(to: self)
    guard Forks.soFar == forks else {
      return transfer.fail(
        .engineFailed,
        "the adapter was created before fork(), and its threads do not exist in this process: create another adapter")
    }
    // Bounds the memory while the engine is busy. The engine enforces the exact limit, because only it can count the free
    // connections.
    let (most, isBeyond) = max(0, configuration.maximumQueuedRequests).addingReportingOverflow(
      max(1, configuration.maximumPooledConnections))
    guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= (isBeyond ? .max : most) else {
      started()
      return transfer.fail(
        .queueFull,
        "the request queue is full: \(configuration.maximumQueuedRequests) requests are waiting (`maximumQueuedRequests`)")
    }
    transfer.exchange.startSource()
    let isTaken = deliver { mailbox in
      guard !mailbox.isDraining else { return false }
      mailbox.commands.append(.submit(transfer))
      return true
    }
    guard isTaken else {
      started()
      return transfer.fail(.shuttingDown, Draining.refusal, phase: .building)
    }
  }

  /// Notes that a submitted transfer no longer waits.
  func started() { waiting.wrappingSubtract(1, ordering: .relaxed) }

  /// Runs a job on the thread, and starts the thread if there is none. If that fails, the job runs on the global executor.
  func enqueue(_ job: Job) {
    guard Forks.soFar == forks else { return globalConcurrentExecutor.enqueue(job.job) }
    _ = deliver {
      $0.jobs.append(job)
      return true
    }
  }

  private func deliver(_ put: (inout Mailbox) -> Bool) -> Bool {
    // One critical section: a thread that is about to end either receives the new command, or has already cleared `hasThread`.
    let (isTaken, waker, needsThread) = mailbox.withLock { mailbox -> (Bool, Waker?, Bool) in
      guard put(&mailbox) else { return (false, nil, false) }
      defer {
        mailbox.isAsleep = false
        mailbox.hasThread = true
      }
      return (true, mailbox.sleepingWaker, !mailbox.hasThread)
    }
    waker?.wake()
    if needsThread { startThread() }
    return isTaken
  }

  private func startThread() {
    let hasWaker = mailbox.withLock { mailbox in
      if mailbox.waker == nil { mailbox.waker = makeWaker() }
      return mailbox.waker != nil
    }
    guard hasWaker else {
      return failPending(.outOfDescriptors, "no free file descriptor for libcurl's event loop: raise `ulimit -n`")
    }
    if !EngineThread.start(self) {
      failPending(.engineFailed, "pthread_create failed: the system has no thread left for libcurl's event loop")
    }
  }

  /// Fails everything in the mailbox, because no engine could be started. Later submissions try to start one again.
  func failPending(_ code: TransportError.Code, _ reason: String) {
    let (commands, jobs) = mailbox.withLock { mailbox in
      mailbox.hasThread = false
      defer { (mailbox.commands, mailbox.jobs) = ([], []) }
      return (mailbox.commands, mailbox.jobs)
    }
    for command in commands {
      switch command {
      case .submit(let transfer):
        started()
        transfer.fail(code, reason)
      case .whenIdle(let continuation): continuation.resume()
      case .cut(let continuation): continuation.resume(returning: 0)
      case .cancel, .dropBody, .resumeReceiving, .resumeSending, .evictConnections, .flushDNSCache: break
      }
    }
    for job in jobs { globalConcurrentExecutor.enqueue(job.job) }
  }

  /// Sends a command. Without a thread the command is dropped and false is returned: keeping it would keep its transfer alive.
  @discardableResult func post(_ command: Command) -> Bool {
    guard Forks.soFar == forks else { return false }
    let (isTaken, waker) = mailbox.withLock { mailbox -> (Bool, Waker?) in
      guard mailbox.hasThread else { return (false, nil) }
      mailbox.commands.append(command)
      defer { mailbox.isAsleep = false }
      return (true, mailbox.sleepingWaker)
    }
    waker?.wake()
    return isTaken
  }

  /// Statistics so far.
  var statistics: AdapterStatistics {
    var statistics = counters.statistics
    statistics.queued = max(0, waiting.load(ordering: .relaxed))
    return statistics
  }

  // MARK: shutting down

  /// Rejects all further submissions.
  func refuseSubmissions() { mailbox.withLock { $0.isDraining = true } }

  /// Waits until no transfer is active or queued.
  func untilIdle() async {
    await withCheckedContinuation { if !post(.whenIdle($0)) { $0.resume() } }
  }

  /// Fails all transfers. Returns their number.
  func cut() async -> Int {
    await withCheckedContinuation { if !post(.cut($0)) { $0.resume(returning: 0) } }
  }

  /// Makes the thread end with the last transfer, because the adapter was released.
  func stop() {
    guard Forks.soFar == forks else { return }
    mailbox.withLock { $0.isStopping = true }
    // Always, even if `isAsleep` is false: the thread may be about to sleep, and has checked for commands only.
    wake()
  }

  /// Wakes the thread, asleep or not.
  func wake() { waker?.wake() }

  // MARK: the engine's side

  /// Notes that the current thread is the engine's.
  func begin() { thread.store(faraday_thread(), ordering: .relaxed) }

  /// Whether the current thread is the engine's.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == faraday_thread() }

  /// Takes all commands, in exchange for an empty array with capacity. Returns whether the engine is stopping.
  func take(_ commands: inout [Command]) -> Bool {
    mailbox.withLock { mailbox in
      swap(&mailbox.commands, &commands)
      return mailbox.isStopping
    }
  }

  func takeJobs() -> [Job] {
    mailbox.withLock { mailbox in
      defer { mailbox.jobs = [] }
      return mailbox.jobs
    }
  }

  func putBack(_ jobs: ArraySlice<Job>) {
    mailbox.withLock { $0.jobs.insert(contentsOf: jobs, at: 0) }
  }

  /// Whether the mailbox is empty. If so, the engine counts as asleep from now on, and a command wakes it.
  func maySleep() -> Bool {
    mailbox.withLock { mailbox in
      mailbox.isAsleep = mailbox.isEmpty
      return mailbox.isAsleep
    }
  }

  func wokeUp() {
    mailbox.withLock { $0.isAsleep = false }
  }

  /// Whether the thread may end: the mailbox is empty. The next submission then starts another thread.
  func mayEnd() -> Bool {
    mailbox.withLock { mailbox in
      guard mailbox.isEmpty else { return false }
      mailbox.hasThread = false
      return true
    }
  }
}

/// The counters of an engine. They are changed on the engine's thread and read on any thread. Errors may be counted on any
/// thread.
final class EngineCounters: Sendable {
  /// A counter that one thread at a time changes: a load and a store, without a lock or an atomic addition.
  struct Counter: ~Copyable, Sendable {
    private let number = Atomic<Int64>(0)
    var value: Int64 { number.load(ordering: .relaxed) }
    func set(_ value: Int) { number.store(Int64(value), ordering: .relaxed) }
    func add(_ count: Int64) { number.store(value &+ count, ordering: .relaxed) }
  }

  /// The connections to an origin, or all of them.
  final class Connections: Sendable {
    let open = Counter()
    /// The open connections with an active exchange.
    let used = Counter()
    let opened = Counter()
    /// The connections that are being opened.
    let connecting = Counter()

    var size: Int { Int(open.value + connecting.value) }

    var snapshot: AdapterStatistics.Connections {
      let open = Int(open.value)
      return AdapterStatistics.Connections(open: open, idle: max(0, open - Int(used.value)), opened: Int(opened.value))
    }
  }

  /// The maximum number of remembered origins, in addition to origins with open connections.
  static let maximumOrigins = 1000

  let active = Counter()
  let completed = Counter()
  let cancelled = Atomic(0)
  let bytesSent = Counter()
  let bytesReceived = Counter()
  let connections = Connections()
  private let origins = Mutex<[String: Connections]>([:])
  private let errors = Mutex<[TransportError.Code: Int]>([:])

  /// The counters of an origin; nil if it has had no connection recently.
  func known(_ key: String) -> Connections? { origins.withLock { $0[key] } }

  /// The counters of an origin, created if necessary. Called only when a socket is opened.
  func origin(_ key: String) -> Connections {
    origins.withLock { origins in
      if let known = origins[key] { return known }
      if origins.count >= Self.maximumOrigins { origins = origins.filter { $0.value.size > 0 } }
      let new = Connections()
      origins[key] = new
      return new
    }
  }

  /// Counts an ended exchange. Called on any thread if the exchange has failed.
  func ended(_ error: (any Error)?) {
    switch error {
    case nil: completed.add(1)
    case is CancellationError: cancelled.wrappingAdd(1, ordering: .relaxed)
    case let error: errors.withLock { $0[AdapterStatistics.code(of: error), default: 0] += 1 }
    }
  }

  /// The statistics so far, without the number of queued exchanges.
  var statistics: AdapterStatistics {
    var statistics = AdapterStatistics()
    statistics.active = Int(active.value)
    statistics.completed = Int(completed.value)
    statistics.cancelled = cancelled.load(ordering: .relaxed)
    statistics.bytesSent = bytesSent.value
    statistics.bytesReceived = bytesReceived.value
    statistics.connections = connections.snapshot
    statistics.origins = origins.withLock { $0 }.filter { $0.value.opened.value > 0 || $0.value.open.value > 0 }.mapValues(
      \.snapshot)
    statistics.errors = errors.withLock { $0 }
    return statistics
  }
}

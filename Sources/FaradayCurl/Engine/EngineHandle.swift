internal import CCurl
internal import FaradayCore
internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// What an engine's thread can be told.
enum Command: Sendable {
  case submit(Transfer)
  case cancel(Transfer)
  /// The reader of a streamed body has room again.
  case resumeReceiving(Transfer)
  /// The source of a request's body has something again, or has ended.
  case resumeSending(Transfer)
}

/// A stretch of a task that is to run on the engine's thread.
struct Job: Sendable {
  let job: UnownedJob
  let executor: UnownedTaskExecutor

  func run() { job.runSynchronously(on: executor) }
}

/// An engine as the rest of the program sees it: a mailbox, and a wake-up that is written only while the engine sleeps.
final class EngineHandle: Sendable {
  private struct Mailbox {
    var commands: [Command] = []
    /// Of tasks that run on the engine's thread.
    var jobs: [Job] = []
    /// There is one from the first thread on, unless the process has no descriptor left then.
    var waker: Waker?
    var isAsleep = false
    var hasThread = false
    var isStopping = false

    var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }
    var sleepingWaker: Waker? { isAsleep ? waker : nil }
  }

  let configuration: CurlAdapter.Configuration
  private let makeWaker: @Sendable () -> Waker?
  private let forks: Int
  private let mailbox = Mutex(Mailbox())
  private let thread = Atomic<UInt>(0)
  /// Requests that were submitted and have not begun.
  private let waiting = Atomic<Int>(0)

  init(_ configuration: CurlAdapter.Configuration, waker: @escaping @Sendable () -> Waker? = { Waker() }) {
    self.configuration = configuration
    makeWaker = waker
    _ = Library.isReady
    forks = Forks.soFar
  }

  var waker: Waker? { mailbox.withLock { $0.waker } }

  /// Whether so few wait that the next is likely to begin at once.
  var isCalm: Bool { waiting.load(ordering: .relaxed) < 64 }

  /// Hands a transfer over, starting the thread if there is none. If that cannot be, the transfer fails.
  func submit(_ transfer: Transfer) {
    guard Forks.soFar == forks else {
      return transfer.fail(
        .engineFailed, "this process was forked from the one that made the adapter, and has none of its threads: make another")
    }
    // Which of them find a connection free the engine knows. It may be busy meanwhile, and memory is not to be filled.
    let (most, isBeyond) = max(0, configuration.queueLimit).addingReportingOverflow(max(1, configuration.connections))
    guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= (isBeyond ? .max : most) else {
      started()
      return transfer.fail(.queueFull, "\(configuration.queueLimit) requests wait already")
    }
    transfer.handle = self
    transfer.startSource()
    deliver { $0.commands.append(.submit(transfer)) }
  }

  /// A transfer that was submitted no longer waits.
  func started() { waiting.wrappingSubtract(1, ordering: .relaxed) }

  /// Runs a job on the thread, starting it if there is none. If that cannot be, the job runs elsewhere.
  func enqueue(_ job: Job) {
    guard Forks.soFar == forks else { return globalConcurrentExecutor.enqueue(job.job) }
    deliver { $0.jobs.append(job) }
  }

  private func deliver(_ put: (inout Mailbox) -> Void) {
    // In one step: a thread that is about to end either sees what was put there or is seen to have ended.
    let (waker, needsThread) = mailbox.withLock { mailbox in
      put(&mailbox)
      defer {
        mailbox.isAsleep = false
        mailbox.hasThread = true
      }
      return (mailbox.sleepingWaker, !mailbox.hasThread)
    }
    waker?.wake()
    if needsThread { startThread() }
  }

  private func startThread() {
    let hasWaker = mailbox.withLock { mailbox in
      if mailbox.waker == nil { mailbox.waker = makeWaker() }
      return mailbox.waker != nil
    }
    guard hasWaker else {
      return refuseAll(.outOfDescriptors, "the process or the system has no file descriptor left for an engine")
    }
    if !EngineThread.start(self) { refuseAll(.engineFailed, "no thread could be started for the engine") }
  }

  /// Fails everything that waits for an engine, because there will be none. What comes later tries again.
  func refuseAll(_ code: TransportError.Code, _ reason: String) {
    let (commands, jobs) = mailbox.withLock { mailbox in
      mailbox.hasThread = false
      defer { (mailbox.commands, mailbox.jobs) = ([], []) }
      return (mailbox.commands, mailbox.jobs)
    }
    for case .submit(let transfer) in commands {
      started()
      transfer.fail(code, reason)
    }
    for job in jobs { globalConcurrentExecutor.enqueue(job.job) }
  }

  /// Without a thread there is nothing to command, and what was kept for one that never comes would keep its transfer.
  func post(_ command: Command) {
    guard Forks.soFar == forks else { return }
    let waker = mailbox.withLock { mailbox -> Waker? in
      guard mailbox.hasThread else { return nil }
      mailbox.commands.append(command)
      defer { mailbox.isAsleep = false }
      return mailbox.sleepingWaker
    }
    waker?.wake()
  }

  /// Nothing more will be submitted, except by those who are about to: the thread ends when the last transfer has.
  func stop() {
    guard Forks.soFar == forks else { return }
    mailbox.withLock { $0.isStopping = true }
    // Always, and not only if it sleeps: it may be about to, and looks for commands only.
    wake()
  }

  /// Wakes the thread, asleep or not.
  func wake() { waker?.wake() }

  // MARK: the engine's side

  /// Says that this thread is the engine's.
  func begin() { thread.store(faraday_thread(), ordering: .relaxed) }

  /// Whether this thread is the engine's.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == faraday_thread() }

  /// Takes the commands, giving an empty array with room in exchange. Returns whether the thread is to end when it can.
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

  /// Whether there is nothing to do. From then on until it is woken, whoever posts wakes it.
  func maySleep() -> Bool {
    mailbox.withLock { mailbox in
      mailbox.isAsleep = mailbox.isEmpty
      return mailbox.isAsleep
    }
  }

  func wokeUp() {
    mailbox.withLock { $0.isAsleep = false }
  }

  /// The thread ends, unless something has been posted: then it must go on. The next submission starts another.
  func mayEnd() -> Bool {
    mailbox.withLock { mailbox in
      guard mailbox.isEmpty else { return false }
      mailbox.hasThread = false
      return true
    }
  }
}

/// A descriptor that becomes readable when any thread says so: an eventfd on Linux, a pipe elsewhere.
final class Waker: Sendable {
  let readable: Int32
  private let writable: Int32

  /// Nil if the process has no descriptors left.
  init?() {
    #if os(Linux)
    readable = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    writable = readable
    guard readable >= 0 else { return nil }
    #else
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    (readable, writable) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    #endif
  }

  deinit {
    close(readable)
    if writable != readable { close(writable) }
  }

  func wake() {
    var one: UInt64 = 1
    _ = write(writable, &one, MemoryLayout<UInt64>.size)
  }

  func drain() {
    var count: UInt64 = 0
    while read(readable, &count, MemoryLayout<UInt64>.size) > 0 && readable != writable {}
  }
}

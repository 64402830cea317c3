import Faraday
import FaradayCurl

/// The transfers of a command line, run in sequence or in parallel.
struct Run {
  let operations: [Operation]
  let global: GlobalSettings
  let messages: Messages
  private let trace: TraceWriter?

  init(_ state: CommandState, messages: Messages) throws {
    operations = state.operations
    global = state.global
    self.messages = messages
    trace = try TraceWriter(state.global)
  }

  /// Runs all transfers. Returns the exit status of the last one; in parallel, of the last one that failed.
  func status() async -> Int32 {
    // Adapters are created on demand. Transfers share an adapter and its connections.
    var adapters: [Transport: any Adapter] = [:]
    var jobs = Jobs(operations, prepare: prepare, onEnd: global.parallel ? nil : { finish($0) })
    var status: Int32 = 0
    var failure: (any Error)?
    await withTaskGroup(of: Int32.self) { group in
      var (running, begun) = (0, 0)
      while true {
        while running < (global.parallel ? global.parallelLimit : 1), failure == nil {
          do {
            guard let job = try jobs.next() else { break }
            let transfer = Transfer(job: job, global: global, messages: messages, trace: trace)
            let transport = job.session.settings.transport
            let adapter = adapters[transport] ?? transport.adapter(limit: global.parallelLimit)
            adapters[transport] = adapter
            let meter = meter(of: transfer, begun)
            group.addTask { await transfer.status(over: adapter, meter: meter) }
            (running, begun) = (running + 1, begun + 1)
          } catch {
            failure = error
          }
        }
        guard let ended = await group.next() else { break }
        running -= 1
        if ended != 0 || !global.parallel { status = ended }
        if ended != 0, global.failsEarly {
          group.cancelAll()
          break
        }
      }
    }
    messages.progress.finish()
    // Saves the cookies and stores of the earlier transfers, even after a failure.
    jobs.sessions.forEach(finish)
    return failure.map(report) ?? status
  }

  private func meter(of transfer: Transfer, _ number: Int) -> ProgressMeter {
    if global.parallel { return ProgressMeter(meter: messages.progress, number: number) }
    return ProgressMeter(meter: Meter(on: .error, shown: transfer.showsProgress), number: 0)
  }

  private func prepare(_ operation: Operation) throws -> Session {
    guard operation.targets.contains(where: { $0.url != nil }) else { throw UsageFailure("no URL specified!") }
    let session = try Session(operation)
    for warning in session.warnings { messages.warn(warning) }
    return session
  }

  /// Ends an operation.
  private func finish(_ session: Session) {
    for failure in session.writeFiles() { messages.warn(failure) }
    if session.settings.targets.contains(where: { $0.url == nil }) { messages.warn("Got more output options than URLs") }
  }

  private func report(_ error: any Error) -> Int32 {
    if error is UsageFailure { return Fetch.report(error) }
    let failure = CommandFailure(error)
    messages.report(failure)
    return failure.status
  }
}

/// One transfer of a command line: a URL with expanded patterns, and its settings.
struct Job: Sendable {
  let session: Session
  let argument: TargetArgument
  let url: URLGlob.Expansion
  /// The file of `-T`.
  let upload: String?
  /// The number of the URL on the command line, from 0. All URLs of a pattern share it.
  let number: Int
  /// The file of `--dump-header`.
  let headFile: NamedOutput?
}

/// The transfers of a command line, created one by one: a pattern may expand to a billion URLs. Each upload has all URLs.
struct Jobs {
  /// The sessions of the operations whose end was not reported.
  private(set) var sessions: [Session] = []
  private var operations: ArraySlice<Operation>
  private let prepare: (Operation) throws -> Session
  private let onEnd: ((Session) -> Void)?
  private var headFile: NamedOutput?
  private var targets: ArraySlice<TargetArgument> = []
  private var target: (argument: TargetArgument, urls: URLGlob, uploads: URLGlob?)?
  /// The place within the target.
  private var index: UInt = 0
  private var number = -1

  /// - Parameter onEnd: called with the session of a completed operation, before the next operation is prepared; nil if
  ///   operations run in parallel.
  init(
    _ operations: [Operation], prepare: @escaping (Operation) throws -> Session, onEnd: ((Session) -> Void)? = nil
  ) {
    self.operations = operations[...]
    self.prepare = prepare
    self.onEnd = onEnd
  }

  /// Returns the next transfer; nil at the end. Throws if an operation is invalid or a URL cannot be expanded.
  mutating func next() throws -> Job? {
    while true {
      if let job = nextOfTarget() { return job }
      target = nil
      if let argument = targets.popFirst(), let url = argument.url, let settings = sessions.last?.settings {
        (number, index) = (number + 1, 0)
        let glob = { (text: String) in try URLGlob(text, isLiteral: !settings.globs) }
        target = (argument, try glob(url), try argument.uploadFile.map(glob))
      } else {
        guard let operation = operations.popFirst() else { return nil }
        if let onEnd, let session = sessions.popLast() { onEnd(session) }
        let session = try prepare(operation)
        sessions.append(session)
        let settings = session.settings
        headFile = try settings.dumpHeader.map { try NamedOutput($0, createsFolders: settings.createsFolders) }
        targets = settings.targets.filter { $0.url != nil }[...]
      }
    }
  }

  private mutating func nextOfTarget() -> Job? {
    guard let target, let session = sessions.last else { return nil }
    let (upload, url) = index.quotientAndRemainder(dividingBy: target.urls.count)
    guard upload < target.uploads?.count ?? 1 else { return nil }
    index += 1
    return Job(
      session: session, argument: target.argument, url: target.urls.expansion(at: url),
      upload: target.uploads?.expansion(at: upload).url, number: number, headFile: headFile)
  }
}

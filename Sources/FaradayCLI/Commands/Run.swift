import Faraday
import FaradayCurl

/// The transfers of a command line: one after the other, or several at a time.
struct Run {
  let operations: [Operation]
  let global: GlobalSettings
  let messages: Messages
  private let adapters = Adapters()
  private let trace: TraceWriter?

  /// The adapters, each made when it is needed, so that connections are shared.
  private final class Adapters {
    private var made: [Transport: any Adapter] = [:]

    func adapter(_ transport: Transport, limit: Int) -> any Adapter {
      if let adapter = made[transport] { return adapter }
      let adapter = transport.adapter(limit: limit)
      made[transport] = adapter
      return adapter
    }
  }

  init(_ state: CommandState, messages: Messages) throws {
    operations = state.operations
    global = state.global
    self.messages = messages
    trace = try TraceWriter(state.global)
  }

  /// Runs all transfers. Returns the exit status of the last one; in parallel, of the last one that failed.
  func status() async -> Int32 {
    global.parallel ? await parallelStatus() : await serialStatus()
  }

  private func serialStatus() async -> Int32 {
    var status: Int32 = 0
    var start: ContinuousClock.Instant?
    var number = 0
    for operation in operations {
      do {
        let prepared = try prepare(operation)
        var jobs = try Jobs(prepared, from: number)
        while let job = jobs.next() {
          if let start, let interval = global.startInterval { try await Task.sleep(until: start + interval, clock: .continuous) }
          start = .now
          status = await self.status(of: job)
          if status != 0, global.failsEarly { break }
        }
        number = jobs.number
        // What the transfers before have brought is kept.
        finish(prepared)
        if let failure = jobs.failure { throw failure }
      } catch {
        return report(error)
      }
      if status != 0, global.failsEarly { return status }
    }
    return status
  }

  private func parallelStatus() async -> Int32 {
    let prepared: [PreparedOperation]
    do { prepared = try operations.map(prepare) } catch { return report(error) }
    let status = await parallelStatus(of: AllJobs(prepared))
    prepared.forEach(finish)
    return status
  }

  private func parallelStatus(of jobs: AllJobs) async -> Int32 {
    await withTaskGroup(of: Int32.self) { group in
      var (jobs, status, running, begun) = (jobs, Int32(0), 0, 0)
      var failure: (any Error)?
      while true {
        while running < global.parallelLimit, failure == nil {
          do {
            guard let job = try jobs.next() else { break }
            let transfer = transfer(job)
            let adapter = adapters.adapter(job.operation.settings.transport, limit: global.parallelLimit)
            let meter = ProgressMeter(begun, of: messages.progress, name: Secrets().redacting(urlText: job.url.url))
            group.addTask { await transfer.status(over: adapter, meter: meter) }
            (running, begun) = (running + 1, begun + 1)
          } catch {
            failure = error
          }
        }
        guard let ended = await group.next() else { break }
        running -= 1
        if ended != 0 { status = ended }
        if ended != 0, global.failsEarly {
          group.cancelAll()
          break
        }
      }
      return failure.map(report) ?? status
    }
  }

  private func prepare(_ operation: Operation) throws -> PreparedOperation {
    guard operation.targets.contains(where: { $0.url != nil }) else { throw UsageFailure("no URL specified!") }
    let prepared = try PreparedOperation(operation)
    for warning in prepared.warnings { messages.warn(warning) }
    return prepared
  }

  private func transfer(_ job: Job) -> Transfer { Transfer(job: job, global: global, messages: messages, trace: trace) }

  private func status(of job: Job) async -> Int32 {
    let transfer = transfer(job)
    let adapter = adapters.adapter(job.operation.settings.transport, limit: global.parallelLimit)
    return await transfer.status(over: adapter, meter: ProgressMeter(on: .error, shown: transfer.showsProgress))
  }

  /// Ends an operation.
  private func finish(_ operation: PreparedOperation) {
    for failure in operation.writeFiles() { messages.warn(failure) }
    if operation.settings.targets.contains(where: { $0.url == nil }) { messages.warn("Got more output options than URLs") }
  }

  private func report(_ error: any Error) -> Int32 {
    switch error {
    case let conflict as RequestConflict:
      messages.warn("\(conflict)")
      return 2
    case is UsageFailure: return Fetch.report(error)
    default:
      let failure = CommandFailure(error)
      messages.report(failure)
      return failure.status
    }
  }
}

extension TraceWriter {
  /// The writer that the options ask for; nil for none.
  convenience init?(_ settings: GlobalSettings) throws {
    switch settings.trace {
    case nil: return nil
    case .verbose:
      self.init(
        .verbose, showsTime: settings.tracesTime, showsSecrets: settings.showsSecrets, hidesData: Descriptor.output.isTerminal)
    case .ascii(let file):
      try self.init(.ascii, path: file, showsTime: settings.tracesTime, showsSecrets: settings.showsSecrets)
    case .full(let file):
      try self.init(.hexadecimal, path: file, showsTime: settings.tracesTime, showsSecrets: settings.showsSecrets)
    }
  }
}

import Faraday

/// The transfer of one URL, with its retries.
struct Transfer: Sendable {
  let job: Job
  let global: GlobalSettings
  let messages: Messages
  /// Writes `-v` and `--trace`.
  let trace: TraceWriter?

  private var session: Session { job.session }
  private var settings: Operation { session.settings }

  /// Runs the transfer and reports its result. Returns the exit status.
  func status(over adapter: any Adapter, meter: ProgressMeter) async -> Int32 {
    var report: Report
    do {
      report = try await exchange(over: adapter, meter: meter)
    } catch let failure as UsageFailure {
      Descriptor.error.say(failure.line)
      return failure.status
    } catch {
      report = Report(nil, url: job.url.url)
      report.failure = CommandFailure(error)
    }
    report.inputURL = job.url.url
    report.urlNumber = job.number
    return finish(report)
  }

  /// Sends the request and retries it according to the options. Throws if the request cannot be composed.
  private func exchange(over adapter: any Adapter, meter: ProgressMeter) async throws -> Report {
    let target = try self.target()
    // Creates the file if it is missing. If it cannot be written, nothing is sent.
    if let file = settings.etagSave { _ = try NamedOutput(file, appends: true, status: ExitStatus.readError) }
    var sink = try sink(for: target)
    let resumption = self.resumption(sink)
    if let resumption, job.upload == nil { sink = try self.sink(for: target, resumesAt: resumption.offset) }
    let composer = try RequestComposer(session: session, target: target, upload: job.upload, resumesAt: resumption?.offset)
    var request = try composer.request()
    request.options.onTrace = trace?.handler()
    // A range request has no time condition (RFC 9110, section 13.1.3).
    let exchange = Exchange(
      request, sink: sink, settings: settings, meter: meter, headFile: job.headFile,
      resumption: job.upload == nil ? resumption : nil,
      timeCondition: settings.range == nil && settings.resume == nil ? session.timeCondition : nil, note: messages.note)
    let rules = RetryRules(settings)
    let retry = Retry(
      rules.policy { [messages] warning in
        if let failure = await exchange.report.failure { messages.report(failure) }
        messages.warn(warning)
      }, budget: RetryBudget(reserve: Double(settings.retries)))
    let middleware: [any Middleware] = [retry, exchange] + session.middleware(for: target) + [exchange.recorder]
    var failure: (any Error)?
    do { _ = try await Stack(middleware, adapter: adapter).send(request) } catch { failure = error }
    let report = await exchange.end(failure)
    if settings.retries > 0, !request.body.isReplayable, rules.reason(report.exitStatus, report.response?.status.code) != nil {
      messages.warn("The body was read from a pipe and cannot be sent again, so there is no retry")
    }
    meter.finish()
    return report
  }

  /// Writes the output that follows a transfer: first its error, as curl does. Returns the exit status.
  private func finish(_ report: Report) -> Int32 {
    var report = report
    if report.failure == nil {
      do {
        try saveETag(of: report)
      } catch {
        report.failure = CommandFailure(error)
      }
      if settings.setsRemoteTime, let path = report.filename { RemoteTime.set(of: path, to: report.response) }
    }
    if let failure = report.failure { messages.report(failure) }
    if global.timing, report.request != nil { Descriptor.error.say(TimingTable(report.metrics).text) }
    guard let format = settings.writeOut else { return report.exitStatus }
    do {
      try WriteOut(format).write(about: report)
    } catch {
      // The transfer's own error was reported already and takes precedence.
      if report.failure == nil {
        report.failure = CommandFailure(error)
        messages.report(CommandFailure(error))
      }
    }
    return report.exitStatus
  }

  /// Writes the file of `--etag-save`, empty if the response has no ETag. A 304 without an ETag does not change the file.
  private func saveETag(of report: Report) throws {
    guard let file = settings.etagSave, let response = report.response else { return }
    let tag = response.headers[.eTag]
    guard tag != nil || response.status != .notModified else { return }
    let output = try NamedOutput(file, status: ExitStatus.readError)
    do { try withExtendedLifetime(output) { try output.descriptor.write(tag.map { $0 + "\n" } ?? "") } } catch {
      throw CommandFailure(ExitStatus.writeError, "Failed to write \(file): \(error)")
    }
  }

  /// Returns the URL of the request. The URL of an upload may get the file's name.
  func target() throws -> Target {
    var target = try Target(job.url.url, defaultScheme: settings.defaultProtocol, keepsDots: settings.pathAsIs)
    guard settings.protocols.allows(target.scheme) else { throw CommandFailure.disabled(scheme: target.scheme) }
    if settings.refusesUserInURL, target.credentials != nil {
      throw CommandFailure(67, "Username was rejected, not allowed in URL")
    }
    if let upload = job.upload { target = try target.naming(upload: upload) }
    if let query = session.query { target = try target.adding(query: query) }
    return target
  }

  // MARK: output

  private var output: TargetArgument.Output { settings.output(of: job.argument) }

  private func sink(for target: Target, resumesAt: Int64? = nil) throws -> OutputSink {
    var rules = OutputRules(
      clobber: settings.clobber, folder: settings.outputFolder, createsFolders: settings.createsFolders,
      removesOnError: settings.removesOnError, resumesAt: resumesAt, maximumSize: settings.maxFileSize)
    switch output {
    case .standard: return OutputSink(path: nil, rules: rules)
    case .file(let name):
      let filled = job.url.filling(name)
      return OutputSink(path: filled == "-" ? nil : filled, sparesTerminal: false, rules: rules)
    case .remoteName:
      rules.isNamedByServer = settings.usesHeaderName
      guard !rules.isNamedByServer || settings.resume == nil else {
        throw UsageFailure("--continue-at and --remote-header-name cannot be combined")
      }
      // With -J the server can supply a missing name.
      guard let name = target.remoteName ?? (rules.isNamedByServer ? "" : nil) else {
        throw CommandFailure(ExitStatus.writeError, "Failed writing received data to disk/application")
      }
      return OutputSink(path: name, rules: rules)
    }
  }

  private func resumption(_ sink: OutputSink) -> Resumption? {
    switch settings.resume {
    case nil: nil
    case .at(let offset): Resumption(offset: offset)
    case .automatic: Resumption(offset: sink.path.map { OutputFile.size(of: $0) } ?? 0)
    }
  }

  /// Whether the progress is shown. It is hidden if the body is written to the terminal too.
  var showsProgress: Bool {
    let toFile = output != .standard && output != .file("-")
    return !global.silent && global.progressMeter && (toFile || job.upload != nil) && Descriptor.error.isTerminal
  }
}

/// The conditions and delays of retries, as with curl's `--retry`: a policy of ``Faraday/Retry``.
struct RetryRules: Sendable {
  private let settings: Operation
  private let start = ContinuousClock.now

  init(_ settings: Operation) { self.settings = settings }

  /// - Parameter onRetry: called with curl's warning before each retry.
  func policy(onRetry: @escaping @Sendable (_ warning: String) async -> Void) -> Retry.Policy {
    Retry.Policy(
      retries: settings.retries, maximumRetryAfter: .seconds(1_000_000_000), sendsIdempotencyKey: false,
      shouldRetry: { reason(after: $0) != nil && isInTime($0) }, backoff: delay,
      onRetry: { failed, wait in
        let left = settings.retries - failed.number + 1
        await onRetry(
          "Problem \(reason(after: failed) ?? ""). Will retry in \(wait.components.seconds) seconds. \(left) retries left.")
      })
  }

  /// The reason for a retry after this exit status and response status, in curl's words; nil if the transfer is not retried.
  func reason(_ exitStatus: Int32, _ status: Int?) -> String? {
    if [5, 6, 28].contains(exitStatus) { return ": timeout" }
    if settings.retriesRefused, exitStatus == 7 { return ": connection refused" }
    if exitStatus == 0 || exitStatus == ExitStatus.httpError, let status, [408, 429, 500, 502, 503, 504].contains(status) {
      return ": HTTP error"
    }
    return exitStatus != 0 && settings.retriesAll ? "(retrying all errors)" : nil
  }

  private func reason(after attempt: Retry.Attempt) -> String? {
    reason(attempt.error.map { CommandFailure($0).status } ?? 0, attempt.head?.status.code)
  }

  /// The delay doubles from one second, unless it is given.
  private func delay(after attempt: Retry.Attempt) -> Duration {
    settings.retryDelay ?? .seconds(min(1 << min(attempt.number - 1, 10), 600))
  }

  /// Whether the next retry is within `--retry-max-time`, including the delay of a `Retry-After`.
  private func isInTime(_ attempt: Retry.Attempt) -> Bool {
    guard let limit = settings.retryLimit else { return true }
    let spent = ContinuousClock.now - start
    return spent < limit
      && (attempt.retryAfter ?? .zero == .zero || spent + max(delay(after: attempt), attempt.retryAfter ?? .zero) <= limit)
  }
}

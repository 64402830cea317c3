import Faraday

/// The transfer of one URL, with its retries.
struct Transfer: Sendable {
  let job: Job
  let global: GlobalSettings
  let messages: Messages
  /// Writes `-v` and `--trace`.
  let trace: TraceWriter?

  private var operation: PreparedOperation { job.operation }
  private var settings: Operation { operation.settings }

  /// Runs the transfer and reports what happened. Returns the exit status.
  func status(over adapter: any Adapter, meter: ProgressMeter) async -> Int32 {
    var report: Report
    do {
      report = try await exchange(over: adapter, meter: meter)
    } catch let failure as UsageFailure {
      Descriptor.error.say(failure.line)
      return failure.status
    } catch {
      report = Report(unsent: job.url.url)
      report.failure = CommandFailure(error)
    }
    report.inputURL = job.url.url
    report.urlNumber = job.number
    return finish(report)
  }

  /// Sends the request, and again as the options ask. Throws if there is nothing to send.
  private func exchange(over adapter: any Adapter, meter: ProgressMeter) async throws -> Report {
    let target = try self.target()
    try prepareETagFile()
    var sink = try sink(for: target)
    let resumption = self.resumption(sink)
    if let resumption, job.upload == nil { sink = try self.sink(for: target, resumesAt: resumption.offset) }
    let composer = try RequestComposer(
      operation: operation, target: target, upload: job.upload, resumesAt: resumption?.offset)
    var request = try composer.request()
    request.options.onTrace = trace?.handler
    var outputs = OutputSettings(includesHeads: settings.include, headFile: job.headFile)
    outputs.failsOnStatus = settings.failsWithBody ? .withBody : settings.fails ? .withoutBody : .no
    outputs.resumption = job.upload == nil ? resumption : nil
    outputs.omitsBody = settings.head
    // Of a range it is not asked (RFC 9110, section 13.1.3).
    if settings.range == nil, settings.resume == nil { outputs.timeCondition = operation.timeCondition }
    var exchange = Exchange(request: request, sink: sink, settings: outputs, meter: meter)
    var retries = Retries(settings)
    while true {
      await exchange.run(over: middleware(composer), adapter: adapter)
      guard let retry = retries.next(after: exchange.report) else { break }
      guard exchange.canBeRepeated else {
        messages.warn("The body was read from a pipe and cannot be sent again, so there is no retry")
        break
      }
      if let failure = exchange.report.failure { messages.report(failure) }
      messages.warn(retry.warning)
      try await Task.sleep(for: retry.delay)
      let dropped = try exchange.restart()
      if dropped > 0 { messages.note("Throwing away \(dropped) bytes") }
    }
    exchange.end(note: messages.note)
    meter.finish()
    return exchange.report
  }

  private func middleware(_ composer: RequestComposer) -> [any Middleware] {
    let hsts: (any Middleware)? = operation.hsts.map { HSTS($0.store) }
    return [RedirectFollower(composer: composer), hsts, operation.signature].compactMap(\.self)
  }

  /// Writes what is written after a transfer: first its error, as curl does. Returns the exit status.
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
      // The transfer's own error has been reported, and goes before this one.
      if report.failure == nil {
        report.failure = CommandFailure(error)
        messages.report(CommandFailure(error))
      }
    }
    return report.exitStatus
  }

  /// Creates the file of `--etag-save` if it is not there. Throws if it cannot be written: then nothing is sent.
  private func prepareETagFile() throws {
    guard let file = settings.etagSave, file != "-" else { return }
    do {
      try OutputFile.open(file, OutputRules(clobber: .always, resumesAt: .max), isNamedByServer: false).descriptor.close()
    } catch {
      throw CommandFailure(ExitStatus.readError, "Failed to open \(file): \(error)")
    }
  }

  /// Writes the file of `--etag-save`: empty if the response has no ETag, but untouched if it says that nothing has changed.
  private func saveETag(of report: Report) throws {
    guard let file = settings.etagSave, let response = report.response else { return }
    let tag = response.headers[.eTag]
    guard tag != nil || response.status != .notModified else { return }
    let line = tag.map { $0 + "\n" } ?? ""
    guard file != "-" else { return try Descriptor.output.write(line) }
    do {
      let descriptor = try OutputFile.open(file, OutputRules(clobber: .always), isNamedByServer: false).descriptor
      defer { descriptor.close() }
      try descriptor.write(line)
    } catch {
      throw CommandFailure(ExitStatus.readError, "Failed to open \(file): \(error)")
    }
  }

  /// The URL of the request: that of an upload may get the file's name.
  func target() throws -> Target {
    var target = try Target(job.url.url, defaultScheme: settings.defaultProtocol, keepsDots: settings.pathAsIs)
    guard settings.protocols.allows(target.scheme) else {
      throw CommandFailure(1, "Protocol \"\(target.scheme)\" not supported or disabled in libcurl")
    }
    if settings.refusesUserInURL, target.credentials != nil {
      throw CommandFailure(67, "Username was rejected, not allowed in URL")
    }
    if let upload = job.upload { target = try target.naming(upload: upload) }
    if let query = operation.query { target = try target.adding(query: query) }
    return target
  }

  // MARK: output

  private var output: TargetArgument.Output { settings.output(of: job.argument) }

  private func sink(for target: Target, resumesAt: Int64? = nil) throws -> OutputSink {
    var rules = OutputRules(folder: settings.outputFolder)
    rules.createsFolders = settings.createsFolders
    rules.removesOnError = settings.removesOnError
    rules.maximumSize = settings.maxFileSize
    rules.resumesAt = resumesAt
    if settings.clobberIsSet { rules.clobber = settings.clobbers ? .always : .never }
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
      // One that the server is to give, at the latest.
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

  /// Whether the progress is shown: not where the body goes to the terminal too.
  var showsProgress: Bool {
    let toFile = output != .standard && output != .file("-")
    return !global.silent && global.progressMeter && (toFile || job.upload != nil) && Descriptor.error.isTerminal
  }
}

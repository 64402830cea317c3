import Faraday

/// What is written of a response, beside its body.
struct OutputSettings: Sendable {
  /// What `-f` and `--fail-with-body` make of a status of 400 or more.
  enum StatusFailure: Sendable {
    case no
    /// An error, whose body is not written.
    case withoutBody
    /// An error, whose body is written.
    case withBody
  }

  /// `-i`, `-I`: whether heads are written before the body.
  var includesHeads = false
  /// `-I`: the body is not written, whatever the method is.
  var omitsBody = false
  /// `-D`
  var headFile: HeadFile?
  var failsOnStatus = StatusFailure.no
  /// `-C`
  var resumption: Resumption?
  /// `-z`
  var timeCondition: TimeCondition?
}

/// Sends one request and writes the response to a sink, chunk by chunk.
struct Exchange {
  var request: Request
  var sink: OutputSink
  let settings: OutputSettings
  let meter: ProgressMeter

  /// The state of the transfer, and its result.
  var report: Report

  init(request: Request, sink: OutputSink, settings: OutputSettings, meter: ProgressMeter) {
    self.request = request
    self.sink = sink
    self.settings = settings
    self.meter = meter
    report = Report(request)
  }

  /// Sends the request and writes the response. Errors are stored in the report.
  mutating func run(over middleware: [any Middleware] = [], adapter: any Adapter) async {
    let start = ContinuousClock.now
    let heads = HeadQueue()
    let recorder = HopRecorder(heads: heads)
    var request = request
    heads.install(on: &request, for: adapter.capabilities)
    if meter.isShown, !request.body.isEmpty {
      request.options.onUploadProgress = { [meter] in meter.update(.upload, $0.bytes, of: $0.total) }
    }
    do {
      let response = try await Stack(middleware + [recorder], adapter: adapter).send(request)
      report.response = response
      if !adapter.capabilities.contains(.rawHeads) { rebuildHeads(heads, recorder) }
      try write(heads, trailers: false)
      try await write(response)
      try write(heads)
      if settings.failsOnStatus == .withBody, response.status.code >= 400 { throw Self.failure(response) }
    } catch {
      report.failure = timeoutFailure(error, after: ContinuousClock.now - start) ?? CommandFailure(error)
      report.response = report.response ?? (error as? any ErrorWithResponse)?.response ?? recorder.hops.last?.response
      // What came of a response that failed is written, too.
      try? write(heads)
    }
    report.hops = recorder.hops
    report.filename = sink.path
    report.headSize = heads.byteCount
    report.headFieldCount = heads.fieldCount
    report.lastStatus = report.serverStatus(in: heads.statuses)
    report.elapsed = ContinuousClock.now - start
  }

  /// Whether the request can be sent again: a body that is read once is gone if the server was reached.
  var canBeRepeated: Bool {
    request.body.isEmpty || request.body.isReplayable || [5, 6, 7].contains(report.exitStatus)
  }

  /// Throws away what was written of the body, for another attempt. Returns how many bytes.
  mutating func restart() throws -> Int64 {
    let dropped = try sink.restart()
    let retries = report.retryCount
    report = Report(request)
    report.retryCount = retries + 1
    return dropped
  }

  /// Closes the output: the file of a transfer that succeeded is there then, even if it is empty.
  ///
  /// - Parameter note: writes a note.
  mutating func end(note: (String) -> Void) {
    guard report.failure == nil else {
      if let removed = sink.abandon() { note("Removing output file: \(removed)") }
      return
    }
    // A file is left as it is if the server has nothing newer, whichever option has asked for that.
    if report.response?.status == .notModified, !sink.isOpen { return }
    do {
      try sink.finish()
    } catch {
      report.failure = CommandFailure(error)
    }
    report.filename = sink.path
  }

  /// The heads of all exchanges, for an adapter that does not tell their bytes.
  private func rebuildHeads(_ heads: HeadQueue, _ recorder: HopRecorder) {
    for response in recorder.hops.compactMap(\.response) {
      heads.append(HeadText.data(response.status, response.headers, response.version))
    }
  }

  /// Writes the heads that have come.
  private mutating func write(_ heads: HeadQueue, trailers: Bool = true) throws {
    for head in heads.take(trailers: trailers) {
      try settings.headFile?.write(head)
      do {
        try sink.takeName(fromHead: head)
        if settings.includesHeads { try sink.write(head) }
      } catch let failure as CommandFailure {
        throw CommandFailure(failure.status, "Failed writing header", below: failure.below)
      }
    }
  }

  private mutating func write(_ response: Response) async throws {
    if settings.failsOnStatus == .withoutBody, response.status.code >= 400, settings.resumption?.excuses(response) != true {
      throw Self.failure(response)
    }
    if settings.omitsBody { return await response.body.discard() }
    if try settings.resumption?.verdict(on: response) == .complete { return await response.body.discard() }
    if let maximum = sink.rules.maximumSize, let length = response.body.length, length > maximum {
      throw CommandFailure(ExitStatus.tooLarge, "Maximum file size exceeded")
    }
    for try await piece in response.body {
      if let condition = settings.timeCondition, sink.bytes == 0, !condition.isMet(by: response) {
        // libcurl makes it a 304, too, and closes the connection.
        report.response?.status = .notModified
        report.hasDroppedBody = true
        return
      }
      if sink.bytes == 0, let failure = codingFailure(response) { throw failure }
      if sink.path == nil { meter.finish() }
      try sink.write(body: piece)
      if sink.path != nil { meter.update(.download, sink.bytes, of: response.body.length) }
    }
  }

  /// The error of a body that was asked for compressed, and is in a coding that cannot be decoded; nil if there is none.
  private func codingFailure(_ response: Response) -> CommandFailure? {
    guard request.options.decompression != nil, response.hasUnknownCoding else { return nil }
    return CommandFailure(61, "Unrecognized content encoding type. See --compressed for those that faraday asks for.")
  }

  /// curl's words for a timeout of the whole transfer.
  private func timeoutFailure(_ error: any Error, after elapsed: Duration) -> CommandFailure? {
    guard let error = error as? TransportError, error.code == .totalTimeout else { return nil }
    let milliseconds = elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000
    switch error.phase {
    case .resolving: return CommandFailure(28, "Resolving timed out after \(milliseconds) milliseconds")
    case .connecting, .tls: return CommandFailure(28, "Connection timed out after \(milliseconds) milliseconds")
    default: break
    }
    let total = (report.response ?? error.partialResponse)?.body.length.map { " out of \($0)" } ?? ""
    return CommandFailure(28, "Operation timed out after \(milliseconds) milliseconds with \(sink.bytes)\(total) bytes received")
  }

  private static func failure(_ response: Response) -> CommandFailure {
    CommandFailure(ExitStatus.httpError, "The requested URL returned error: \(response.status.code)")
  }
}

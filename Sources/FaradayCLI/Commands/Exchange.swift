import Faraday

/// Writes the responses of a transfer, chunk by chunk, and keeps the report of its last attempt. This middleware runs inside
/// ``Faraday/Retry``, so that an error while writing a body fails the attempt, and outside ``Faraday/Redirects``.
actor Exchange: Middleware {
  private let settings: Operation
  private let headFile: NamedOutput?
  /// `-C`
  private let resumption: Resumption?
  /// `-z`
  private let timeCondition: TimeCondition?
  private let meter: ProgressMeter
  private let note: @Sendable (String) -> Void
  /// The innermost middleware of the transfer.
  nonisolated let recorder = HopRecorder()
  private var sink: OutputSink
  private var attempts = 0

  /// The result so far.
  private(set) var report: Report

  init(
    _ request: Request, sink: OutputSink, settings: Operation, meter: ProgressMeter, headFile: NamedOutput? = nil,
    resumption: Resumption? = nil, timeCondition: TimeCondition? = nil,
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.sink = sink
    self.settings = settings
    self.headFile = headFile
    self.resumption = resumption
    self.timeCondition = timeCondition
    self.meter = meter
    self.note = note
    report = Report(request)
  }

  func handle(_ request: Request, next: Next) async throws -> Response {
    try begin(request)
    let start = ContinuousClock.now
    let capabilities = next.capabilities
    let heads = recorder.heads
    var request = request
    heads.install(on: &request, for: capabilities)
    if meter.isShown, !request.body.isEmpty {
      request.options.onUploadProgress = { [meter] in meter.update(.upload, $0.bytes, of: $0.total) }
    }
    defer { complete(after: ContinuousClock.now - start) }
    do {
      let response = try await next(request)
      report.response = response
      if !capabilities.contains(.rawHeads) {
        // The adapter does not report the bytes of heads.
        for hop in recorder.hops { if let response = hop.response { heads.append(HeadText.data(response)) } }
      }
      try write(heads, trailers: false)
      try await write(response, to: request)
      try write(heads)
      if settings.failsWithBody, response.status.code >= 400 { throw StatusError(response, to: request) }
      return response
    } catch {
      report.failure = timeoutFailure(error, after: ContinuousClock.now - start) ?? CommandFailure(error)
      report.response =
        report.response ?? ((error as? any ErrorWithResponse)?.response ?? (error as? BodyDecodingError)?.response)
        ?? recorder.hops.last?.response
      // The heads of a failed response are written, too.
      try? write(heads)
      throw error
    }
  }

  /// Begins an attempt. Discards the body bytes that an earlier attempt wrote.
  private func begin(_ request: Request) throws {
    if attempts > 0, case let dropped = try sink.restart(), dropped > 0 { note("Throwing away \(dropped) bytes") }
    report = Report(request)
    report.retryCount = attempts
    attempts += 1
    recorder.begin()
  }

  private func complete(after elapsed: Duration) {
    report.hops = recorder.hops
    report.filename = sink.path
    report.headSize = recorder.heads.byteCount
    report.headFieldCount = recorder.heads.fieldCount
    report.elapsed = elapsed
  }

  /// Closes the output and returns the report. A successful transfer always creates its file, even an empty one.
  ///
  /// - Parameter error: the error that ended the transfer outside an attempt.
  func end(_ error: (any Error)?) -> Report {
    if report.failure == nil { report.failure = error.map(CommandFailure.init) }
    guard report.failure == nil else {
      if let removed = sink.abandon() { note("Removing output file: \(removed)") }
      return report
    }
    // A 304 leaves the file unchanged, whichever option made the request conditional.
    if report.response?.status == .notModified, !sink.isOpen { return report }
    do {
      try sink.finish()
    } catch {
      report.failure = CommandFailure(error)
    }
    report.filename = sink.path
    return report
  }

  /// Writes the heads received so far.
  private func write(_ heads: HeadQueue, trailers: Bool = true) throws {
    for head in heads.take(trailers: trailers) {
      do {
        try headFile?.descriptor.write(head)
        try sink.takeName(fromHead: head)
        if settings.include { try sink.write(head) }
      } catch {
        throw CommandFailure(
          ExitStatus.writeError, "Failed writing header", below: (error as? CommandFailure)?.below ?? [])
      }
    }
  }

  private func write(_ response: Response, to request: Request) async throws {
    if settings.fails, response.status.code >= 400, resumption?.excuses(response) != true {
      throw StatusError(response, to: request)
    }
    if settings.head { return await response.body.discard() }
    if try resumption?.verdict(on: response) == .complete { return await response.body.discard() }
    if let maximum = sink.rules.maximumSize, let length = response.body.length, length > maximum {
      throw CommandFailure(ExitStatus.tooLarge, "Maximum file size exceeded")
    }
    for try await piece in response.body {
      if let condition = timeCondition, sink.bytes == 0, !condition.isMet(by: response) {
        // libcurl also reports a 304 and closes the connection.
        report.response?.status = .notModified
        report.hasDroppedBody = true
        return
      }
      if sink.bytes == 0, response.hasUnknownCoding, recorder.hops.last?.request.options.decompression != nil {
        throw CommandFailure(61, "Unrecognized content encoding type. See --compressed for those that faraday asks for.")
      }
      if sink.path == nil { meter.finish() }
      try sink.write(body: piece)
      if sink.path != nil { meter.update(.download, sink.bytes, of: response.body.length) }
    }
  }

  /// Returns curl's message for a timeout of the whole transfer.
  private func timeoutFailure(_ error: any Error, after elapsed: Duration) -> CommandFailure? {
    guard let error = error as? TransportError, error.code == .totalTimeout else { return nil }
    let milliseconds = Int(elapsed.inSeconds * 1000)
    switch error.phase {
    case .resolving: return CommandFailure(28, "Resolving timed out after \(milliseconds) milliseconds")
    case .connecting, .tls: return CommandFailure(28, "Connection timed out after \(milliseconds) milliseconds")
    default: break
    }
    let total = (report.response ?? error.partialResponse)?.body.length.map { " out of \($0)" } ?? ""
    return CommandFailure(28, "Operation timed out after \(milliseconds) milliseconds with \(sink.bytes)\(total) bytes received")
  }
}

import Faraday
import Synchronization

/// Sends one request and writes the response to a sink, chunk by chunk.
struct Exchange {
  var request: Request
  var sink: OutputSink
  /// Whether the response header is written too.
  let head: Bool
  /// Whether a status of 400 or more is an error, and its body not written.
  let failsOnStatus: Bool
  let meter: ProgressMeter

  /// The state of the transfer, and its result.
  private(set) var report: Report

  init(request: Request, sink: OutputSink, head: Bool, failsOnStatus: Bool, meter: ProgressMeter) {
    self.request = request
    self.sink = sink
    self.head = head
    self.failsOnStatus = failsOnStatus
    self.meter = meter
    report = Report(request)
  }

  /// Sends the request and writes the response. Errors are stored in the report.
  mutating func run(over adapter: any Adapter) async {
    let start = ContinuousClock.now
    do {
      if meter.isShown, !request.body.isEmpty {
        request.options.onUploadProgress = { [meter] in meter.update(.upload, $0.bytes, of: $0.total) }
      }
      let early = InterimHeads()
      if head { request.options.onInformational = { early.append($0) } }
      let response = try await adapter.send(request)
      report.response = response
      try await write(response, after: early.all)
    } catch {
      report.failure = CommandFailure(error)
      if report.response == nil { report.response = (error as? TransportError)?.partialResponse }
    }
    report.elapsed = ContinuousClock.now - start
  }

  private mutating func write(_ response: Response, after interim: [HTTPResponse]) async throws {
    let isErrorStatus = failsOnStatus && response.status.code >= 400
    if head, !(isErrorStatus && sink.path != nil) {
      for hop in response.redirects { try sink.write(HeadText.data(hop.status, hop.headers, hop.version)) }
      for early in interim { try sink.write(HeadText.data(early.status, early.headerFields, response.version)) }
      try sink.write(HeadText.data(response.status, response.headers, response.version))
    }
    if isErrorStatus {
      throw CommandFailure(ExitStatus.httpError, "the server returned status \(response.status.code)")
    }
    for try await piece in response.body {
      if sink.path == nil { meter.finish() }
      try sink.write(body: piece)
      if sink.path != nil { meter.update(.download, sink.bytes, of: response.body.length) }
    }
    if head, !response.trailers.isEmpty { try sink.write(HeadText.data(response.trailers)) }
    try sink.finish()
  }
}

/// Collects the 1xx responses, which arrive on the engine's thread. Thread-safe.
private final class InterimHeads: Sendable {
  private let heads = Mutex<[HTTPResponse]>([])

  var all: [HTTPResponse] { heads.withLock { $0 } }

  func append(_ head: HTTPResponse) { heads.withLock { $0.append(head) } }
}

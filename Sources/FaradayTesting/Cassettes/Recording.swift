internal import FaradayCore
internal import Synchronization

/// One exchange while it is recorded. Thread-safe.
final class Recording: Sendable {
  private struct State {
    var informational: [HTTPResponse] = []
    var response: Response?
    var responseBody: RecordedBody?
    var failure: HAR.Failure?
    var metrics: TransferMetrics?
    var hasEnded = false
    var trailers: HTTPFields = [:]
    var total: Duration?
  }

  private let request: Request
  private let requestBody: RecordedBody
  private let redaction: Redaction
  private let startedAt = Date()
  private let clock = ContinuousClock().stopwatch()
  private let stem: String
  private let state = Mutex(State())

  /// - Parameter stem: the path of the files for large bodies, without `-request` and `-response`.
  init(_ request: Request, _ redaction: Redaction, stem: String) {
    self.request = request
    self.redaction = redaction
    self.stem = stem
    requestBody = RecordedBody(path: stem + "-request.body", headers: request.headers)
  }

  /// Sends the request over an adapter, and keeps what passes. A cancelled exchange has no response and no failure.
  func send(over adapter: any Adapter) async throws -> Response {
    var sent = request
    if let data = request.body.data { requestBody.append(data) } else { sent.body = recorded(request.body) }
    if adapter.capabilities.contains(.informational) {
      let original = request.options.onInformational
      sent.options.onInformational = { [self] head in
        state.withLock { $0.informational.append(head) }
        original?(head)
      }
    }
    var response: Response
    do {
      response = try await adapter.send(sent).decodedForRecording(of: sent)
    } catch {
      fail(error)
      throw error
    }
    let body = RecordedBody(path: stem + "-response.body", headers: response.headers)
    state.withLock { ($0.response, $0.responseBody) = (Self.withoutBody(response), body) }
    if let data = response.body.data {
      body.append(data)
      end(trailers: response.trailers)
    } else {
      response.body = passing(response, into: body)
    }
    return response
  }

  private func recorded(_ body: Body) -> Body {
    .reading(length: body.length, isReplayable: body.isReplayable) { [requestBody] in
      requestBody.restart()
      var rest = body.makeAsyncIterator()
      return {
        let piece = try await rest.next(isolation: #isolation)
        if let piece { requestBody.append(piece) }
        return piece
      }
    }
  }

  /// The response's body, which keeps its pieces.
  private func passing(_ response: Response, into kept: RecordedBody) -> Body {
    .reading(length: response.body.length) { [self] in
      var rest = response.body.makeAsyncIterator()
      return {
        do {
          let piece = try await rest.next(isolation: #isolation)
          if let piece { kept.append(piece) } else { self.end(trailers: response.trailers) }
          return piece
        } catch {
          self.fail(error)
          throw error
        }
      }
    }
  }

  private static func withoutBody(_ response: Response) -> Response {
    var response = response
    response.body = .empty
    return response
  }

  private func end(trailers: HTTPFields) {
    let time = clock()
    state.withLock { ($0.trailers, $0.total, $0.hasEnded) = (trailers, time, true) }
  }

  private func fail(_ error: any Error) {
    let time = clock()
    state.withLock { state in
      state.failure = HAR.Failure(error)
      (state.metrics, state.total, state.hasEnded) = ((error as? TransportError)?.metrics, time, true)
    }
  }

  /// The exchange so far; nil if it has no response yet, and has not failed.
  func entry() throws -> HAR.Entry? {
    var state = state.withLock { $0 }
    guard state.response != nil || state.failure != nil else { return nil }
    if !state.hasEnded {
      state.failure = HAR.Failure(
        code: TransportError.Code.truncatedResponse.rawValue, phase: TransportError.Phase.receiving.rawValue,
        message: "the rest of the body was not read when it was recorded")
    }
    let sent = try archivedBody()
    var content = try state.responseBody?.stored(redaction) ?? RecordedBody.Stored()
    // One piece is a body that is complete in memory, or arrived at once.
    if content.pieces.count == 1, content.pieces[0].wait == 0 { content.pieces = [] }
    let metrics = state.response?.metrics ?? state.metrics ?? TransferMetrics()
    let total = state.total ?? clock()
    return HAR.Entry(
      startedDateTime: Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(startedAt),
      time: total.milliseconds, request: archived(sent), response: archived(state.response, content, state.trailers),
      timings: HAR.Timings(metrics, total: total),
      _informational: state.informational.isEmpty
        ? nil
        : state.informational.map { HAR.Informational(status: $0.status.code, headers: .init($0.headerFields, redaction)) },
      _failure: state.failure)
  }

  /// Moves the files of large bodies to their places.
  func keepFiles() throws {
    try requestBody.keepFile()
    try state.withLock { $0.responseBody }?.keepFile()
  }

  /// The request's body. A compressed text is not recorded, because it cannot be searched for secrets, and no replay needs it.
  private func archivedBody() throws -> RecordedBody.Stored {
    if request.headers.contains(.contentEncoding), Redaction.searches(request.headers.contentType) {
      return RecordedBody.Stored(size: Secrets.mark.utf8.count, text: Secrets.mark)
    }
    return try requestBody.stored(redaction)
  }

  private func archived(_ body: RecordedBody.Stored) -> HAR.Request {
    let url = redaction.url(request.url)
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first.map { QueryParameters(parsing: $0).items } ?? []
    return HAR.Request(
      method: request.method.rawValue, url: url, httpVersion: "HTTP/1.1", headers: .init(request.headers, redaction),
      queryString: query.map { HAR.Pair(name: $0.name, value: $0.value ?? "") },
      postData: body.size == 0
        ? nil
        : HAR.PostData(
          mimeType: request.headers[.contentType] ?? "", text: body.text, _encoding: body.isBase64 ? "base64" : nil,
          _file: body.file),
      bodySize: body.size)
  }

  private func archived(_ response: Response?, _ body: RecordedBody.Stored, _ trailers: HTTPFields) -> HAR.Response {
    guard let response else { return HAR.Response(status: 0, statusText: "", httpVersion: "", headers: [], bodySize: -1) }
    var headers = response.headers
    // The length of what a replay delivers.
    if body.isRedacted, headers.contains(.contentLength) { headers[.contentLength] = String(body.size) }
    return HAR.Response(
      status: response.status.code, statusText: response.status.reasonPhrase, httpVersion: response.version.description,
      headers: .init(headers, redaction),
      content: HAR.Content(
        size: body.size, mimeType: response.headers[.contentType] ?? "", text: body.size == 0 ? nil : body.text,
        encoding: body.isBase64 && body.size > 0 ? "base64" : nil, _file: body.file),
      redirectURL: headers.first { $0.name == .location }.map(redaction.value) ?? "",
      bodySize: body.size, _trailers: trailers.isEmpty ? nil : .init(trailers, redaction),
      _pieces: body.pieces.isEmpty ? nil : body.pieces)
  }
}

extension Response {
  /// The response with its decoded body, and without the fields that describe the encoded one, if the request asks for
  /// decompression. A stack above decodes it no further.
  fileprivate func decodedForRecording(of request: Request) -> Response {
    guard request.options.decompression != nil, headers.contains(.contentEncoding), !hasUnknownCoding, body.length != 0 else {
      return self
    }
    var response = decoded(for: request)
    response.headers[.contentEncoding] = nil
    response.headers[.contentLength] = nil
    return response
  }
}

extension HAR.Failure {
  /// The code of an exchange that was cancelled.
  static let cancelled = "cancelled"

  fileprivate init(_ error: any Error) {
    switch error {
    case let error as TransportError:
      self.init(code: error.code.rawValue, phase: error.phase.rawValue, message: error.message)
    case is CancellationError: self.init(code: Self.cancelled, phase: "", message: "the request was cancelled")
    // Only the type: a description may contain secrets.
    default: self.init(code: TransportError.Code.engineFailed.rawValue, phase: "", message: "\(type(of: error))")
    }
  }
}

extension HAR.Timings {
  /// From the times of the phases' ends.
  init(_ metrics: TransferMetrics, total: Duration) {
    let start = metrics.queue ?? .zero
    let ready = metrics.tls ?? metrics.connect ?? metrics.resolve ?? start
    let first = metrics.firstByte ?? ready
    func time(_ end: Duration?, since start: Duration) -> Double { end.map { max(0, ($0 - start).milliseconds) } ?? -1 }
    blocked = time(metrics.queue, since: .zero)
    dns = time(metrics.resolve, since: start)
    connect = time(metrics.connect, since: metrics.resolve ?? start)
    ssl = time(metrics.tls, since: metrics.connect ?? start)
    send = 0
    wait = time(first, since: ready)
    receive = time(max(first, metrics.total ?? total), since: first)
  }
}

extension Duration {
  /// Rounded to microseconds.
  fileprivate var milliseconds: Double { (inSeconds * 1_000_000).rounded() / 1000 }
}

internal import FaradayCore

/// A running download: requests the file, or the rest of it, until the part file is complete. Used by one task.
final class DownloadRun {
  /// The outcome of one request.
  enum Outcome {
    /// The part file is complete.
    case whole(Response)
    /// The bytes so far are valid, and more follow.
    case more
    /// The bytes so far are unusable.
    case again
    /// The transfer was interrupted, or the server is temporarily unavailable.
    case interrupted(any Error, retryAfter: Duration? = nil)
  }

  private let request: Request
  private let resuming: DownloadResuming
  private let policy: DownloadPolicy
  private let part: PartFile
  private let report: ((DownloadProgress) -> Void)?
  private let connection: Connection
  private let checksum: Checksum?

  /// The record of the part's bytes; nil if the rest of them cannot be requested.
  private var record: PartRecord?
  private var total: Int64?
  /// The server's checksums of the whole file.
  private var stated: [Checksum] = []
  private var digests = Digests()
  /// The number of bytes in the part from an earlier download.
  private var resumed: Int64 = 0
  private var course = DownloadCourse()
  private var meter: ProgressMeter
  private var interruptions = 0

  init(
    _ request: Request, over connection: Connection, to destination: String, resuming: DownloadResuming, checksum: Checksum?,
    policy: DownloadPolicy, report: ((DownloadProgress) -> Void)?
  ) throws {
    self.connection = connection
    self.resuming = resuming
    self.checksum = checksum
    self.policy = policy
    self.report = report
    self.request = try Self.prepared(request, checksum, for: destination)
    part = try PartFile(for: destination)
    meter = ProgressMeter(policy)
    guard policy.existing == .replace || !part.isDestinationTaken else {
      // A part of an earlier download is kept.
      if part.size == 0 { part.remove() }
      throw DownloadError(.fileExists, path: destination, request: request)
    }
  }

  private static func prepared(_ request: Request, _ checksum: Checksum?, for destination: String) throws -> Request {
    func refused(_ text: String) -> DownloadError { DownloadError(.invalidRequest(text), path: destination, request: request) }
    guard request.method == .get else { throw refused("only a GET can be downloaded to a file") }
    guard request.headers[.range] == nil, request.headers[.ifRange] == nil else {
      throw refused("a download sets Range and If-Range itself")
    }
    if let checksum, !checksum.isValid {
      let algorithm = checksum.algorithm
      throw refused("a checksum \(algorithm.rawValue) has \(2 * algorithm.byteCount) hexadecimal digits")
    }
    var request = request
    // A range or a checksum of an encoded representation applies to its encoded bytes.
    request.headers[.acceptEncoding] = "identity"
    request.options.delivery = .streamed
    request.options.onChunk = nil
    return request
  }

  /// Downloads the file. A failure keeps the part file only if a later download can resume it.
  func run() async throws -> Download {
    do {
      try recall()
      while true {
        try Task.checkCancellation()
        let start = part.size
        let outcome = try await attempt()
        course.note(part.size)
        switch outcome {
        case .whole(let response): return try finish(response)
        case .more: try await follow(partOf: part.size - start)
        case .again: try await beginAgain()
        case .interrupted(let error, let retryAfter): try await pause(after: error, retryAfter: retryAfter)
        }
      }
    } catch {
      if record == nil || part.size == 0 { part.remove() }
      throw error
    }
  }

  /// Resumes the part of an earlier download, if possible.
  private func recall() throws {
    if resuming == .ifUnchanged { record = PartRecord(at: part.recordPath, size: part.size, ownedBy: part.owners, for: request) }
    guard let record else { return try startAgain() }
    (total, stated, resumed, course) = (record.total, record.checksums, part.size, DownloadCourse(from: part.size))
  }

  private func startAgain() throws {
    part.removeRecord()
    try part.empty()
    (record, total, stated, digests, resumed) = (nil, nil, [], Digests(), 0)
  }

  /// Waits after a part that was shorter than requested, if it was so small that the next request would follow at once.
  private func follow(partOf count: Int64) async throws {
    let inARow = course.follow(partOf: count)
    guard inARow > 0, let delay = policy.delay(after: inARow, retryAfter: nil) else { return }
    try await policy.clock.sleep(for: delay)
  }

  /// Discards the bytes so far. The first change of the file is not an interruption; repeated changes are.
  private func beginAgain() async throws {
    try startAgain()
    guard !course.startAgain() else {
      interruptions += 1
      return
    }
    let error = DownloadError(.invalidResponse("the file keeps changing on the server"), path: part.destination, request: request)
    try await pause(after: error, retryAfter: nil)
  }

  /// Counts an interruption, and waits. Throws the error if there were too many in a row, or if the server's delay is too long.
  private func pause(after error: any Error, retryAfter: Duration?) async throws {
    let inARow = course.interrupt()
    guard inARow <= policy.retries, let delay = policy.delay(after: inARow, retryAfter: retryAfter) else { throw error }
    interruptions += 1
    try await policy.clock.sleep(for: delay)
  }

  private func attempt() async throws -> Outcome {
    let offset = course.hasNoRanges || record == nil ? 0 : part.size
    var request = request
    if offset > 0, let record {
      request.headers[.range] = "bytes=\(offset)-"
      request.headers[.ifRange] = record.validator
    }
    let response: Response
    do {
      response = try await connection.send(request)
    } catch let error as StatusError where !(error.isBodyCut && error.status.kind == .successful) {
      // The error of a middleware that checks the status. The status is checked here.
      response = error.response
    } catch  where course.hasBegun && error.isInterruption {
      // A rejected request sends nothing, so retrying before its time costs nothing.
      let wait = (error as? RefusedRequestError)?.retryAfter
      return .interrupted(error, retryAfter: wait.map { min($0, policy.maximumDelay) })
    }
    return try await judge(response, offset: offset)
  }

  /// Prepares the hash functions of these checksums for the bytes so far.
  private func prepareDigests(for checksums: [Checksum]) throws {
    let missing = Set(checksums.map(\.algorithm)).subtracting(digests.algorithms)
    guard !missing.isEmpty else { return }
    var late = Digests(missing)
    try part.read(from: 0) { late.update($0) }
    digests.join(late)
  }

  /// The checksums that the whole file must have.
  private var expected: [Checksum] { (checksum.map { [$0] } ?? []) + stated }

  private func advance() {
    // The end is reported when the file has its final name.
    guard let report, part.size != total else { return }
    if let rate = meter.rate(at: part.size) { report(progress(rate)) }
  }

  private func progress(_ rate: Double) -> DownloadProgress {
    DownloadProgress(bytes: part.size, total: total, resumed: resumed, bytesPerSecond: rate)
  }

  private func finish(_ response: Response) throws -> Download {
    // A checksum may arrive in the trailers.
    try prepareDigests(for: expected)
    if let reason = digests.mismatch(with: expected) { throw refusal(reason) }
    try Task.checkCancellation()
    do {
      try part.finish(replacing: policy.existing == .replace)
    } catch let error as DownloadError {
      throw DownloadError(error.reason, path: part.destination, request: request)
    }
    total = part.size
    report?(progress(meter.rate(at: part.size, isLast: true) ?? 0))
    var response = response
    response.body = .empty
    return Download(
      path: part.destination, size: part.size, resumed: resumed, interruptions: interruptions,
      verified: Set(expected.map(\.algorithm)), response: response)
  }

  /// Drops the record, and returns the error for a part that must not be kept.
  private func refusal(_ reason: DownloadError.Reason) -> DownloadError {
    record = nil
    return DownloadError(reason, path: part.destination, request: request)
  }

  // MARK: responses
  /// Classifies a response, and writes its body if it is content of the file.
  private func judge(_ response: Response, offset: Int64) async throws -> Outcome {
    switch response.status.code {
    case 200, 203:
      return try await receiveWhole(response, offset: offset)
    case 206 where offset > 0:
      return try await receivePart(response, offset: offset)
    case 206:
      throw refusal(.invalidResponse("the server sent a part of the file without a request for a range"))
    case 416 where offset > 0:
      await response.body.discard()
      return isEnd(response, at: offset) ? .whole(response) : .again
    case 412 where offset > 0:
      await response.body.discard()
      return .again
    default:
      let (start, isCut) = try await begun(response)
      let error = StatusError(start, isBodyCut: isCut, to: request)
      guard course.hasBegun, error.countsAsTransient else { throw error }
      return .interrupted(error, retryAfter: response.headers.retryAfter(now: { Int64(Date.now.timeIntervalSince1970) }))
    }
  }

  /// Returns the response with the beginning of its body, and whether there is more. An interrupted body of an error response
  /// does not change the error.
  private func begun(_ response: Response) async throws -> (response: Response, isCut: Bool) {
    do {
      return try await response.started(upTo: 64 << 10)
    } catch let error as TransportError where error.isInterruption {
      guard let start = error.partialResponse else { throw error }
      return (start, true)
    }
  }

  /// Whether a 416 confirms that the part has all bytes of the file.
  ///
  /// If no response has stated the total, the 416 must contain the validator: a server that ignores `If-Range` may mean another
  /// file of the same length as the part. With a known total no `Content-Range` is needed (RFC 9110, section 15.5.17,
  /// recommends it).
  private func isEnd(_ response: Response, at offset: Int64) -> Bool {
    guard let record, !record.isContradicted(by: response) else { return false }
    guard let total else {
      return record.isStated(in: response) && ContentRange(response.headers) == .unsatisfied(total: offset)
    }
    return total == offset && ContentRange(response.headers) ?? .unsatisfied(total: total) == .unsatisfied(total: total)
  }

  /// Whether a 200 has no `Content-Range`, or a `Content-Range` of the whole file. The field has no meaning there (RFC 9110,
  /// section 14.4), but a server could send a part under the wrong status.
  private func isOfWhole(_ response: Response) -> Bool {
    guard response.headers.contains(.contentRange) else { return true }
    guard let length = response.body.length else { return false }
    return ContentRange(response.headers) == .part(start: 0, end: length, total: length)
  }

  /// Writes the whole file from its beginning.
  private func receiveWhole(_ response: Response, offset: Int64) async throws -> Outcome {
    guard isOfWhole(response) else {
      guard offset > 0 else { throw refusal(.invalidResponse("the Content-Range of a 200 is not that of the whole file")) }
      await response.body.discard()
      course.giveUpRanges()
      return .again
    }
    try startAgain()
    let isStoredAsSent = isStoredAsSent(response)
    if isStoredAsSent {
      total = response.body.length
      // In a 200 both fields are equivalent (RFC 9530, section 3.1).
      stated = Checksum.list(response.headers[values: .reprDigest] + response.headers[values: .contentDigest])
    }
    course.note(total: total)
    try checkSpace(for: total)
    if resuming == .ifUnchanged, isStoredAsSent {
      record = PartRecord(response, total: total, digests: stated, to: request)
      // Without the record the file is still downloaded, but cannot be resumed.
      do { try record?.write(to: part.recordPath) } catch { record = nil }
    }
    try prepareDigests(for: expected)
    course.begin()
    let outcome = try await receive(response, upTo: total)
    guard case .whole = outcome else { return outcome }
    if isStoredAsSent {
      stated += Checksum.list(response.trailers[values: .reprDigest] + response.trailers[values: .contentDigest])
    }
    return outcome
  }

  /// Appends a part that begins at the offset.
  private func receivePart(_ response: Response, offset: Int64) async throws -> Outcome {
    let checksums = Checksum.list(response.headers[values: .reprDigest]).filter { !stated.contains($0) }
    // A different checksum means a different file.
    let isContradicted = checksums.contains { checksum in stated.contains { $0.algorithm == checksum.algorithm } }
    guard let record, !record.isContradicted(by: response), !isContradicted else {
      await response.body.discard()
      return .again
    }
    guard case .part(let start, let end, let whole?) = ContentRange(response.headers), start == offset,
      total ?? whole == whole, response.body.length ?? (end - start) == end - start, isStoredAsSent(response),
      !response.isMultipart, record.isStated(in: response), record.codings == response.contentCodings
    else {
      await response.body.discard()
      course.giveUpRanges()
      return .again
    }
    total = whole
    stated += checksums
    try checkSpace(for: whole)
    try prepareDigests(for: expected)
    course.begin()
    let outcome = try await receive(response, upTo: end)
    guard case .whole = outcome else { return outcome }
    let ofPart = Checksum.list(response.headers[values: .contentDigest] + response.trailers[values: .contentDigest])
    if !ofPart.isEmpty {
      var digests = Digests(Set(ofPart.map(\.algorithm)))
      try part.read(from: offset) { digests.update($0) }
      if let reason = digests.mismatch(with: ofPart) { throw refusal(reason) }
    }
    guard end == whole else { return .more }
    stated += Checksum.list(response.trailers[values: .reprDigest])
    return outcome
  }

  /// Appends the body up to an end, if the end is known.
  private func receive(_ response: Response, upTo end: Int64?) async throws -> Outcome {
    do {
      for try await piece in response.body {
        try Task.checkCancellation()
        guard Int64(piece.count) <= (end ?? .max) - part.size else {
          throw refusal(.invalidResponse("the body is longer than its head says"))
        }
        try part.append(piece)
        digests.update(piece.span)
        advance()
      }
    } catch let error as TransportError where error.isInterruption {
      // The file is complete if only the end of the framing is missing.
      return total == part.size ? .whole(response) : .interrupted(error)
    } catch let error as DownloadError {
      throw DownloadError(error.reason, path: error.path, request: request)
    }
    guard part.size == end ?? part.size else {
      return .interrupted(
        TransportError(
          .truncatedResponse, phase: .receiving, method: request.method, url: request.url, secrets: request.secrets,
          message: "the body ended before its length"))
    }
    return .whole(response)
  }

  /// Whether the bytes of the body are unchanged, that is, no stage has decoded them.
  private func isStoredAsSent(_ response: Response) -> Bool {
    guard !response.contentCodings.isEmpty else { return true }
    guard request.options.decompression == nil, let length = response.body.length else { return false }
    return response.headers[.contentLength].flatMap(Int64.init) == length
  }

  private func checkSpace(for total: Int64?) throws {
    guard let total, let free = policy.freeSpace ?? part.freeSpace else { return }
    let needed = total - part.size
    guard needed <= free else {
      throw DownloadError(.noSpace(needed: needed, free: free), path: part.destination, request: request)
    }
  }
}

extension Response {
  /// The content codings in lower case, in the order in which they were applied, without `identity`.
  var contentCodings: [String] {
    headers[values: .contentEncoding].flatMap { $0.split(separator: ",") }.map { $0.trimming().lowercased() }
      .filter { !$0.isEmpty && $0 != "identity" }
  }

  /// Whether the body has several parts of a file, each with a `Content-Range` (RFC 9110, section 14.6).
  fileprivate var isMultipart: Bool { headers[.contentType]?.lowercased().hasPrefix("multipart/byteranges") == true }
}

extension Error {
  /// Whether resuming may succeed. The caller has set the limit of the total time, so it is not an interruption. An adapter
  /// without backpressure aborts a body with too much unread data.
  var isInterruption: Bool {
    let code = (self as? TransportError)?.code
    return countsAsTransient && code != .totalTimeout || code == .bodyTooLarge
  }
}

internal import FaradayCore

/// A download under way: requests the file, or the rest of it, until the part file has all of it. Used by one task.
final class DownloadRun {
  /// What became of one request.
  enum Outcome {
    /// The part file is whole.
    case whole(Response)
    /// The bytes so far are right, and more are to come.
    case more
    /// The bytes so far are of no use.
    case again
    /// The transfer broke off, or the server cannot answer for now.
    case interrupted(any Error, retryAfter: Duration? = nil)
  }

  let request: Request
  let resuming: DownloadResuming
  let policy: DownloadPolicy
  let part: PartFile
  let report: ((DownloadProgress) -> Void)?
  private let connection: Connection
  private let checksum: Checksum?

  /// What the bytes of the part are the beginning of; nil if the rest of them cannot be asked for.
  var record: PartRecord?
  var total: Int64?
  /// The checksums of the whole that the server has stated.
  var stated: [Checksum] = []
  var digests = Digests()
  /// How many bytes the part had from an earlier download.
  var resumed: Int64 = 0
  /// Whether this run has got any content: only then errors are interruptions.
  var hasBegun = false
  /// Whether the server has answered a request for a part with something that is none.
  var hasNoRanges = false
  private var meter: ProgressMeter
  private var highest: Int64 = 0
  private var hasBecomeShorter = false
  private var inARow = 0
  private var smallPartsInARow = 0
  /// Whether the file has started again since the last new bytes.
  private var hasStartedAgain = false
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
      // One that an earlier download has left stays.
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
    // A range of an encoded representation is one of its encoded bytes, and a checksum is that of them.
    request.headers[.acceptEncoding] = "identity"
    request.options.delivery = .streamed
    request.options.onChunk = nil
    return request
  }

  /// Downloads the file. A failure leaves the part file only if a later download can go on with it.
  func run() async throws -> Download {
    do {
      try recall()
      while true {
        try Task.checkCancellation()
        let start = part.size
        let outcome = try await attempt()
        noteProgress()
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

  /// Takes up the part of an earlier download, if it can be continued.
  private func recall() throws {
    if resuming == .ifUnchanged { record = PartRecord(at: part.recordPath, size: part.size, ownedBy: part.owners, for: request) }
    guard let record else { return try startAgain() }
    (total, stated, resumed, highest) = (record.total, record.checksums, part.size, part.size)
  }

  func startAgain() throws {
    part.removeRecord()
    try part.empty()
    (record, total, stated, digests, resumed) = (nil, nil, [], Digests(), 0)
  }

  /// Waits after a part that was shorter than what was asked for, if it was so small that the next would follow at once.
  private func follow(partOf count: Int64) async throws {
    smallPartsInARow = count < 64 << 10 ? smallPartsInARow + 1 : 0
    guard smallPartsInARow > 0, let delay = policy.delay(after: smallPartsInARow, retryAfter: nil) else { return }
    try await policy.clock.sleep(for: delay)
  }

  /// Drops what is there. A file that has changed once is no interruption; one that changes again and again is.
  private func beginAgain() async throws {
    try startAgain()
    guard hasStartedAgain else {
      hasStartedAgain = true
      interruptions += 1
      return
    }
    let error = DownloadError(.invalidResponse("the file changes all the time"), path: part.destination, request: request)
    try await pause(after: error, retryAfter: nil)
  }

  /// Counts an interruption, and waits. Throws the error if there were too many in a row, or the server asks for too much time.
  private func pause(after error: any Error, retryAfter: Duration?) async throws {
    inARow += 1
    guard inARow <= policy.retries, let delay = policy.delay(after: inARow, retryAfter: retryAfter) else { throw error }
    interruptions += 1
    try await policy.clock.sleep(for: delay)
  }

  /// New bytes begin all counts anew. Those that an earlier attempt has had already are none.
  private func noteProgress() {
    guard part.size > highest else { return }
    (highest, inARow, hasStartedAgain) = (part.size, 0, false)
  }

  /// A file no longer than what has come already is another one: its bytes are new. Once, or a server that alternates between two
  /// files would be asked for ever.
  func forgetLongerFile() {
    guard let total, total <= highest, !hasBecomeShorter else { return }
    hasBecomeShorter = true
    highest = 0
  }

  private func attempt() async throws -> Outcome {
    let offset = hasNoRanges || record == nil ? 0 : part.size
    var request = request
    if offset > 0, let record {
      request.headers[.range] = "bytes=\(offset)-"
      request.headers[.ifRange] = record.validator
    }
    let response: Response
    do {
      response = try await connection.run(request)
    } catch let error as UnexpectedStatus where !(error.isBodyCut && error.status.kind == .successful) {
      // Of a middleware that looks at the status: it is looked at here.
      response = error.response
    } catch  where hasBegun && error.isInterruption {
      // A refusal sends nothing. So it costs nothing to ask again before its time.
      let wait = (error as? any RefusedRequest)?.retryAfter
      return .interrupted(error, retryAfter: wait.map { min($0, policy.maxDelay) })
    }
    return try await judge(response, offset: offset)
  }

  /// Makes the hash functions ready that these checksums need, of the bytes so far.
  func prepareDigests(for checksums: [Checksum]) throws {
    let missing = Set(checksums.map(\.algorithm)).subtracting(digests.algorithms)
    guard !missing.isEmpty else { return }
    var late = Digests(missing)
    try part.read(from: 0) { late.update($0) }
    digests.join(late)
  }

  /// The checksums that the whole file must have.
  var expected: [Checksum] { (checksum.map { [$0] } ?? []) + stated }

  func advance() {
    // The end is reported when the file has its name.
    guard let report, part.size != total else { return }
    if let rate = meter.rate(at: part.size) { report(progress(rate)) }
  }

  private func progress(_ rate: Double) -> DownloadProgress {
    DownloadProgress(bytes: part.size, total: total, resumed: resumed, bytesPerSecond: rate)
  }

  private func finish(_ response: Response) throws -> Download {
    // Trailers may have stated one at the very end.
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

  /// The error for a part that must not be kept.
  func refusal(_ reason: DownloadError.Reason) -> DownloadError {
    record = nil
    return DownloadError(reason, path: part.destination, request: request)
  }
}

extension Error {
  /// Whether going on may succeed. A limit of the total time is the caller's. An adapter without backpressure gives up a body of which
  /// too much is unread.
  var isInterruption: Bool {
    let code = (self as? TransportError)?.code
    return isTransient && code != .totalTimeout || code == .bodyTooLarge
  }
}

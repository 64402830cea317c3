internal import FaradayCore

/// One download: its requests, and what it knows of the part.
struct FileDownload {
  private let connection: Connection
  private let request: Request
  private let file: String
  private let options: DownloadOptions
  private let part: PartFile
  private let recordPath: String
  /// What the part is the beginning of; nil if it cannot be continued.
  private var record: PartRecord?
  private var total: Int64?
  private var checksums = RunningChecksums()
  /// Those of the whole file that are known.
  private var expected: [Checksum]
  private var reporter: ProgressReporter?
  private var resumed: Int64
  private var requestCount = 0
  private var head: Response?

  init(
    _ connection: Connection, _ request: Request, to file: String, resuming: DownloadOptions.Resuming,
    options: DownloadOptions, progress: (@Sendable (DownloadProgress) -> Void)?
  ) throws {
    self.connection = connection
    self.request = request
    self.file = file
    self.options = options
    func fail(_ reason: DownloadError.Reason) -> DownloadError {
      DownloadError(reason: reason, file: file, request: RequestSummary(request))
    }
    guard request.headers[.range] == nil else { throw fail(.ownRange) }
    let kind = file.isEmpty || file.utf8.contains(0) || file.hasSuffix("/") ? .folder : PartFile.kind(of: file)
    guard kind != .folder else { throw fail(.invalidPath) }
    guard kind == .nothing || options.replacesExisting else { throw fail(.fileExists) }
    recordPath = file + ".part.json"
    expected = options.checksum.map { [$0] } ?? []
    do {
      part = try PartFile(file + ".part")
      record = resuming == .never ? nil : PartRecord.read(recordPath, for: request)
      total = record?.total
      if record == nil || part.size > total ?? .max {
        record = nil
        total = nil
        try part.clear()
      }
    } catch {
      throw fail(error.reason)
    }
    resumed = part.size
    reporter = progress.map { ProgressReporter(options, $0) }
    reporter?.begin(resumed: resumed)
  }

  /// Sends requests until the file is whole.
  mutating func run() async throws -> Download {
    do {
      try await receiveAll()
      let isVerified = try await verify()
      try part.rename(to: file, replacing: options.replacesExisting)
      PartRecord.remove(recordPath)
      total = part.size
      report(isEnd: true)
      return Download(
        file: file, size: part.size, resumed: resumed, requestCount: requestCount, response: head, isVerified: isVerified)
    } catch {
      // Nothing that could be continued is left behind.
      if part.size == 0 {
        PartRecord.remove(recordPath)
        part.remove()
      }
      throw (error as? PartFile.Failure).map { failure($0.reason) } ?? error
    }
  }

  private func failure(_ reason: DownloadError.Reason) -> DownloadError {
    DownloadError(reason: reason, file: file, request: RequestSummary(request))
  }

  private mutating func report(isEnd: Bool = false) {
    let (bytes, total) = (part.size, total)
    reporter?.update(bytes: bytes, total: total, isEnd: isEnd)
  }

  // MARK: requests

  private mutating func receiveAll() async throws {
    var failures = 0
    // The server may say of each part that it has changed, or has no such range: once the download starts again.
    var mayStartAgain = true
    // Bytes that were there before are no news: a server without ranges could break off for ever.
    var most = part.size
    while true {
      do {
        switch try await receiveOnce() {
        case .whole: return
        case .part: continue
        case .unusable(let problem):
          guard mayStartAgain else { throw failure(.invalidRange(problem)) }
          mayStartAgain = false
          try startAgain()
          continue
        }
      } catch  where error.isTransient {
        failures = part.size > most ? 1 : failures + 1
        most = max(most, part.size)
        guard most > 0, failures <= options.maximumFailures else { throw error }
        if record == nil { try startAgain() }
      }
      try await options.clock.sleep(for: delay(after: failures))
    }
  }

  private func delay(after failures: Int) -> Duration {
    var bound = min(options.initialDelay, options.maximumDelay)
    for _ in 1..<max(1, min(failures, 64)) where bound < options.maximumDelay { bound = min(bound * 2, options.maximumDelay) }
    let random = min(max(options.random(), 0), 1)
    return (bound.withinClocks * (random.isFinite ? random : 1)).withinClocks
  }

  private enum Outcome {
    case whole
    /// More is missing.
    case part
    /// The response is no part of the file: why.
    case unusable(String)
  }

  /// Sends one request for what is missing, and writes what comes.
  private mutating func receiveOnce() async throws -> Outcome {
    let start = part.size
    if start > 0, start == total { return .whole }
    var request = request
    if start > 0, let record {
      request.headers[.range] = "bytes=\(start)-"
      request.headers[.ifRange] = record.validator
    }
    requestCount += 1
    let response = try await send(request)
    head = response
    head?.body = .empty
    switch response.status {
    case .ok:
      try begin(response)
    case .partialContent where start > 0:
      if let problem = mismatch(response, from: start) {
        await response.body.discard()
        return .unusable(problem)
      }
    case .rangeNotSatisfiable where start > 0:
      let range = ContentRange(response.headers[.contentRange])
      await response.body.discard()
      if range?.total == start, total ?? start == start, isUnchanged(response) { return .whole }
      return .unusable("the server has no bytes from \(start) on")
    case .preconditionFailed where start > 0:
      await response.body.discard()
      return .unusable("it has changed")
    default:
      throw UnexpectedStatus(response, to: request)
    }
    try await write(response)
    // A server may send less than it was asked for, and need not say how much there is.
    return response.status == .ok || part.size == total ? .whole : .part
  }

  /// A middleware may throw the statuses that have a meaning here.
  private func send(_ request: Request) async throws -> Response {
    do {
      return try await connection.run(request)
    } catch let error as UnexpectedStatus
      where request.headers.contains(.range) && [.rangeNotSatisfiable, .preconditionFailed].contains(error.status)
    {
      return error.response
    }
  }

  /// A response with the whole file: what was there is dropped.
  private mutating func begin(_ response: Response) throws {
    try startAgain()
    total = response.isEncoded ? nil : response.body.length
    if let total, let available = part.availableSpace, available < total {
      throw PartFile.Failure(reason: .noSpace(needed: total, available: available))
    }
    // Written before the first byte: a part never has bytes of anything else than its record says.
    record = PartRecord(response, to: request, total: total)
    try record?.write(to: recordPath)
  }

  private mutating func startAgain() throws(PartFile.Failure) {
    PartRecord.remove(recordPath)
    try part.clear()
    record = nil
    total = nil
    resumed = 0
    expected = options.checksum.map { [$0] } ?? []
    checksums = RunningChecksums()
  }

  /// Why a 206 is not the rest of the file; nil if it is.
  private mutating func mismatch(_ response: Response, from start: Int64) -> String? {
    guard !response.isEncoded else { return "it is encoded" }
    guard let range = ContentRange(response.headers[.contentRange]), let bytes = range.bytes else {
      return "it has no valid Content-Range"
    }
    guard bytes.lowerBound == start else { return "it begins at byte \(bytes.lowerBound) and not at \(start)" }
    guard range.total == nil || total == nil || range.total == total else { return "the file's size has changed" }
    guard isUnchanged(response) else { return "it has changed" }
    if let length = response.body.length, length != bytes.upperBound - start + 1 {
      return "its length is not that of its Content-Range"
    }
    total = total ?? range.total
    return nil
  }

  /// Whether the response has the validator of the part, or none.
  private func isUnchanged(_ response: Response) -> Bool {
    guard let record else { return false }
    let name = record.validator.hasPrefix("\"") ? HTTPField.Name.eTag : .lastModified
    return response.headers[name].map { $0 == record.validator } ?? true
  }

  // MARK: bytes

  private mutating func write(_ response: Response) async throws {
    let ofContent = options.verifiesDigests && !response.isEncoded ? response.headers.checksums(.contentDigest) : []
    let isWhole = response.status == .ok
    if options.verifiesDigests, !response.isEncoded {
      let new = response.headers.checksums(.reprDigest) + (isWhole ? ofContent : [])
      expected += new.filter { !expected.contains($0) }
    }
    try await beginChecksums()
    // Those of a part are of its own bytes.
    var own = RunningChecksums()
    if !isWhole { for checksum in ofContent { own.begin(checksum.algorithm) } }
    let end = isWhole ? total : ContentRange(response.headers[.contentRange])?.bytes.map { $0.upperBound + 1 }
    report()
    for try await piece in response.body {
      guard part.size + Int64(piece.count) <= end ?? .max else { throw failure(.invalidRange("it is longer than it says")) }
      try part.write(piece)
      checksums.update(piece.span)
      own.update(piece.span)
      report()
    }
    try Task.checkCancellation()
    for checksum in ofContent where !isWhole && own.matches(checksum) == false { throw mismatch(of: checksum) }
    if let needed = end, part.size < needed {
      throw TransportError(
        .truncatedResponse, phase: .receiving, method: request.method, url: request.url, secrets: request.secrets,
        message: "the body ended after \(part.size) of \(needed) bytes")
    }
  }

  /// Begins the functions that are needed and not there, over the bytes that are.
  private mutating func beginChecksums() async throws {
    let missing = Set(expected.map(\.algorithm)).subtracting(checksums.algorithms)
    guard !missing.isEmpty else { return }
    var new = RunningChecksums()
    for algorithm in missing { new.begin(algorithm) }
    var offset: Int64 = 0
    while offset < part.size {
      try Task.checkCancellation()
      let bytes = try part.read(at: offset, upTo: Int(min(part.size - offset, 1 << 20)))
      guard !bytes.isEmpty else { throw PartFile.Failure(reason: .file("the part was cut by somebody else")) }
      new.update(bytes.span)
      offset += Int64(bytes.count)
      await Task.yield()
    }
    checksums.add(new)
  }

  /// Returns whether something was compared.
  private mutating func verify() async throws -> Bool {
    try await beginChecksums()
    for checksum in expected where checksums.matches(checksum) == false { throw mismatch(of: checksum) }
    return !expected.isEmpty
  }

  private func mismatch(of checksum: Checksum) -> DownloadError {
    PartRecord.remove(recordPath)
    part.remove()
    return failure(.checksumMismatch(checksum.algorithm))
  }
}

internal import FaradayCore

extension DownloadRun {
  /// Decides what a response is, and writes its body if it is content of the file.
  func judge(_ response: Response, offset: Int64) async throws -> Outcome {
    switch response.status.code {
    case 200, 203:
      return try await receiveWhole(response, offset: offset)
    case 206 where offset > 0:
      return try await receivePart(response, offset: offset)
    case 206:
      throw refusal(.invalidResponse("the server sent a part, and was not asked for one"))
    case 416 where offset > 0:
      await response.body.discard()
      return isEnd(response, at: offset) ? .whole(response) : .again
    case 412 where offset > 0:
      await response.body.discard()
      return .again
    default:
      let (start, isCut) = try await begun(response)
      let error = UnexpectedStatus(start, isBodyCut: isCut, to: request)
      guard hasBegun, error.isTransient else { throw error }
      return .interrupted(error, retryAfter: response.headers.retryAfter(now: { Int64(Date.now.timeIntervalSince1970) }))
    }
  }

  /// The response with the beginning of its body, and whether there is more. What breaks off the text of an error is no other error.
  private func begun(_ response: Response) async throws -> (response: Response, isCut: Bool) {
    do {
      return try await response.started(upTo: 64 << 10)
    } catch let error as TransportError where error.isInterruption {
      guard let start = error.partialResponse else { throw error }
      return (start, true)
    }
  }

  /// Whether a 416 says that the part has all bytes of the file.
  ///
  /// If no response has stated the total, the 416 must state the validator: a server that ignores `If-Range` may mean another file,
  /// which is as long as the part. A total that was known needs no `Content-Range` (RFC 9110, section 15.5.17: it should be there).
  private func isEnd(_ response: Response, at offset: Int64) -> Bool {
    guard let record, !record.isContradicted(by: response) else { return false }
    guard let total else {
      return record.isStated(in: response) && ContentRange(response.headers) == .unsatisfied(total: offset)
    }
    return total == offset && ContentRange(response.headers) ?? .unsatisfied(total: total) == .unsatisfied(total: total)
  }

  /// Whether a 200 has no `Content-Range`, or that of the whole file. The field has no meaning there (RFC 9110, section 14.4), but a
  /// server could send a part under the wrong status.
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
      hasNoRanges = true
      return .again
    }
    try startAgain()
    let isStoredAsSent = isStoredAsSent(response)
    if isStoredAsSent {
      total = response.body.length
      // Of a 200 both are the same (RFC 9530, section 3.1).
      stated = Checksum.list(response.headers[values: .reprDigest] + response.headers[values: .contentDigest])
    }
    forgetLongerFile()
    try checkSpace(for: total)
    if resuming == .ifUnchanged, isStoredAsSent {
      record = PartRecord(response, total: total, digests: stated, to: request)
      // Without it the file is downloaded all the same, and only cannot be gone on with.
      do { try record?.write(to: part.recordPath) } catch { record = nil }
    }
    try prepareDigests(for: expected)
    hasBegun = true
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
    // A file that has another checksum is another.
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
      hasNoRanges = true
      return .again
    }
    total = whole
    stated += checksums
    try checkSpace(for: whole)
    try prepareDigests(for: expected)
    hasBegun = true
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

  /// Appends the body up to an end, if that is known.
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
      // What came is whole if only the end of the framing is missing.
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

  /// Whether the bytes of the body are those that were sent, and no decoding stage has changed them.
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

  /// Whether the body has several parts of a file, each with a `Content-Range` of its own (RFC 9110, section 14.6).
  fileprivate var isMultipart: Bool { headers[.contentType]?.lowercased().hasPrefix("multipart/byteranges") == true }
}

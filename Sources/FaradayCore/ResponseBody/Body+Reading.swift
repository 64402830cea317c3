/// What a reader of a response's body can do with it besides iterating it and ``collect(upTo:)``. Each takes the one reading that a
/// streamed body allows.
extension Body {
  /// Gives each piece to the closure where it arrives, to the end of the body.
  ///
  /// What comes straight from libcurl is given on its engine's thread, without a copy, one HTTP/1.1 chunk never merged with the next
  /// if the request's ``Options/onChunk`` is set; anything else in the task that calls this. The bytes are gone when the closure
  /// returns. Throws what the closure throws, `CancellationError` if it cancels, and what reading the body throws.
  public func drain(into take: @escaping ChunkHandler) async throws {
    if case .received(let body) = storage { return try await body.drain(into: take) }
    for try await piece in self {
      try Task.checkCancellation()
      guard try take(piece.span.bytes) == .continue else { throw CancellationError() }
    }
  }

  /// Reads what nobody wants, as long as that is short, so that its connection can be used again. Gives up what is longer than the
  /// limit in bytes, or not there within a second, and with it the connection. Never throws: how such a body ends is of no matter.
  public func discard(upTo limit: Int = 64 << 10) async {
    guard isStreamed else { return }
    // It is given up with its reader.
    guard length ?? 0 <= limit else {
      _ = makeAsyncIterator()
      return
    }
    await withTaskGroup { group in
      group.addTask { _ = try? await start(upTo: limit) }
      group.addTask { try? await Task.sleep(for: .seconds(1)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// The first bytes of the body, and whether there were more, which are given up. A limit below 0 is 0. Throws what reading the body
  /// throws.
  public func start(upTo limit: Int) async throws -> (bytes: Data, isCut: Bool) {
    let limit = Swift.max(0, limit)
    if let data { return data.count <= limit ? (data, false) : (data.prefix(limit), true) }
    var start = Data()
    try await read(into: &start, upTo: limit) { _ in }
    return start.count <= limit ? (start, false) : (start.prefix(limit), true)
  }

  /// Redacts the connection's secrets in errors that the body throws from now on.
  mutating func keepSecrets(of provenance: Provenance) {
    guard case .received(var body) = storage else { return }
    body.provenance = provenance
    self = Body(storage: .received(body))
  }

  /// The most memory that a server can have reserved by announcing a length.
  private static let trustedLength: Int64 = 16 << 20

  /// Appends pieces until there are no more, or more bytes than the limit: then what is there is longer than that. What has come is in
  /// `bytes` also if this throws.
  func read(into bytes: inout Data, upTo limit: Int, _ tell: (Int) -> Void) async throws {
    if let length { bytes.reserveCapacity(Int(Swift.min(length, Int64(Swift.max(0, limit)), Self.trustedLength))) }
    for try await piece in self {
      bytes.append(piece)
      tell(bytes.count)
      guard bytes.count <= limit else { return }
    }
  }
}

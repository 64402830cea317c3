extension Body: AsyncSequence {
  public typealias Element = Data
  public typealias Failure = any Error

  /// Starts reading. A streamed response body can be iterated once; other bodies as often as their sources.
  public func makeAsyncIterator() -> AsyncIterator {
    switch storage {
    case .empty: AsyncIterator { nil }
    case .data(let data, _): AsyncIterator(data)
    case .file(let file): AsyncIterator(file.makeReader())
    case .stream(let stream): AsyncIterator(stream.makeReader())
    case .received(let body): AsyncIterator(body.makeReader())
    case .value(let value): AsyncIterator { throw BodyError(.unencoded(type: "\(type(of: value))")) }
    }
  }

  /// Reads a body piece by piece.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let read: BodyReader

    init(_ read: @escaping BodyReader) { self.read = read }

    init(_ data: Data) {
      var rest: Data? = data
      read = {
        defer { rest = nil }
        return rest
      }
    }

    /// The next piece; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      try await read()
    }

    /// The next piece; nil at the end.
    public mutating func next() async throws -> Data? {
      try await read()
    }
  }
}

/// Ways to read a body other than iterating it. Each counts as the one reading of a streamed response body.
extension Body {
  /// The maximum size of a body that is read into memory: 64 MiB.
  static let standardLimit = 64 << 20

  /// Reads the whole body into memory. Throws ``FaradayCore/BodyError`` if it has more than `limit` bytes, 64 MiB by default
  /// (without reading it if its length is known), and any error of reading.
  public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
    if let length, length > limit { throw BodyError(.tooLarge(limit: limit)) }
    let (whole, isCut) = try await prefix(upTo: limit)
    guard !isCut else { throw BodyError(.tooLarge(limit: limit)) }
    return whole
  }

  /// Reads the whole body as UTF-8 text; invalid bytes become U+FFFD. Throws as ``collect(upTo:)`` does.
  public func utf8Text(upTo limit: Int = 64 << 20) async throws -> String {
    String(decoding: try await collect(upTo: limit), as: UTF8.self)
  }

  /// Calls the closure with each piece of the body, without a copy, until its end.
  ///
  /// libcurl's engine thread delivers a response body that no middleware has replaced, and is blocked by the closure. If the
  /// request's ``Options/onChunk`` is set, one HTTP/1.1 chunk is never merged with the next. Other bodies are delivered in the
  /// calling task. The bytes are valid until the closure returns. Throws the errors of the closure, `CancellationError` if it
  /// returns ``Flow/cancel``, and the errors of reading.
  public func forEachChunk(_ take: @escaping ChunkHandler) async throws {
    if case .received(let body) = storage { return try await body.drain(into: take) }
    for try await piece in self {
      try Task.checkCancellation()
      guard try take(piece.span.bytes) == .continue else { throw CancellationError() }
    }
  }

  /// Reads and drops the rest of a streamed body, so that its connection returns to the connection pool. If the body is longer
  /// than `limit` bytes, 64 KiB by default, or takes more than a second, the connection is closed instead. Errors are ignored.
  public func discard(upTo limit: Int = 64 << 10) async {
    guard isStreamed else { return }
    // Dropping the only reader ends the transfer.
    guard length ?? 0 <= limit else {
      _ = makeAsyncIterator()
      return
    }
    await withTaskGroup { group in
      group.addTask { _ = try? await prefix(upTo: limit) }
      group.addTask { try? await Task.sleep(for: .seconds(1)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Reads at most `limit` bytes, and returns whether there were more. The rest is dropped, and its connection closed. Throws
  /// the errors of reading.
  public func prefix(upTo limit: Int) async throws -> (bytes: Data, isCut: Bool) {
    let limit = Swift.max(0, limit)
    if let data { return data.count <= limit ? (data, false) : (data.prefix(limit), true) }
    var start = Data()
    try await read(into: &start, upTo: limit) { _ in }
    return start.count <= limit ? (start, false) : (start.prefix(limit), true)
  }

  /// Reads at most `limit` bytes for at most the duration, and returns whether there may be more. A body that fails counts as
  /// cut. Throws `CancellationError`, and an error if a streamed body is read twice.
  package func start(
    upTo limit: Int, within duration: Duration, clock: any Clock<Duration>
  ) async throws -> (bytes: Data, isCut: Bool) {
    try await withThrowingTaskGroup(of: (Data, Bool)?.self) { group in
      group.addTask { try await readStart(upTo: Swift.max(0, limit)) }
      group.addTask {
        try? await clock.sleep(for: duration)
        return nil
      }
      var isOver = false
      while let read = try await group.next() {
        group.cancelAll()
        guard let (bytes, isCut) = read else {
          isOver = true
          continue
        }
        try Task.checkCancellation()
        // A sequence may end without an error when its reader is cancelled.
        return (bytes, isCut || isOver)
      }
      throw CancellationError()
    }
  }

  /// Reads until the limit, the end, a failure or the cancellation of the task.
  private func readStart(upTo limit: Int) async throws -> (Data, Bool) {
    var start = Data()
    do {
      try await read(into: &start, upTo: limit) { _ in }
      return (start.prefix(limit), start.count > limit)
    } catch let error as BodyAlreadyRead {
      throw error
    } catch {
      return (start.prefix(limit), true)
    }
  }

  /// Redacts the connection's secrets in errors that reading the body throws.
  mutating func keepSecrets(of context: ConnectionContext) {
    guard case .received(var body) = storage else { return }
    body.context = context
    self = Body(storage: .received(body))
  }

  /// The maximum memory that is reserved for a length announced by the server.
  private static let trustedLength: Int64 = 16 << 20

  /// The number of bytes after which other tasks may run.
  private static let bytesBetweenYields = 128 << 10

  /// Appends pieces until the end, or until `bytes` is longer than `limit`. If this throws, `bytes` contains the pieces read
  /// before the error.
  func read(into bytes: inout Data, upTo limit: Int, _ tell: (Int) -> Void) async throws {
    if let length { bytes.reserveCapacity(Int(Swift.min(length, Int64(Swift.max(0, limit)), Self.trustedLength))) }
    var sinceYield = 0
    for try await piece in self {
      bytes.append(piece)
      tell(bytes.count)
      guard bytes.count <= limit else { return }
      sinceYield += piece.count
      guard sinceYield >= Self.bytesBetweenYields else { continue }
      // A small response that waits for this thread would otherwise wait for all pieces of several large bodies.
      sinceYield = 0
      await Task.yield()
    }
  }
}

/// Returns the next piece of a body, nil at its end, in the caller's isolation.
package typealias BodyReader = nonisolated(nonsending) () async throws -> Data?

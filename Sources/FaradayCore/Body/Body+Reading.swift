internal import Synchronization

extension Body: AsyncSequence {
  public typealias Element = Data
  public typealias Failure = any Error

  public func makeAsyncIterator() -> AsyncIterator {
    switch storage {
    case .empty: AsyncIterator { nil }
    case .data(let data, _): AsyncIterator(data)
    case .file(let file): AsyncIterator(file.makeReader())
    case .stream(let stream): AsyncIterator(stream.makeReader())
    case .received(let body): AsyncIterator(body.makeReader())
    case .value(let value): AsyncIterator { throw UnencodedBody(type: type(of: value)) }
    }
  }

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

    public mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      try await read()
    }

    public mutating func next() async throws -> Data? {
      try await read()
    }
  }
}

/// What a reader can do with a body besides iterating it. Each takes the one reading that a streamed response allows.
extension Body {
  /// The whole body. Throws ``BodyTooLarge`` when it is over `limit` bytes, which is before it is read where its length is known, and
  /// whatever reading it throws.
  public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
    if let length, length > limit { throw BodyTooLarge(limit: limit) }
    let (whole, isCut) = try await start(upTo: limit)
    guard !isCut else { throw BodyTooLarge(limit: limit) }
    return whole
  }

  /// The whole body as UTF-8 text; bytes that are not UTF-8 become U+FFFD. Throws as ``collect(upTo:)`` does.
  public func text(upTo limit: Int = 64 << 20) async throws -> String {
    String(decoding: try await collect(upTo: limit), as: UTF8.self)
  }

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
  mutating func keepSecrets(of context: ConnectionContext) {
    guard case .received(var body) = storage else { return }
    body.context = context
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

/// Gives the next piece of a body, nil at its end. Runs where its caller runs.
typealias BodyReader = nonisolated(nonsending) () async throws -> Data?

/// A body that is larger than the caller wanted to collect.
public struct BodyTooLarge: FaradayError, Equatable {
  /// The limit, in bytes.
  public let limit: Int

  public init(limit: Int) { self.limit = limit }

  public var description: String { "the body is larger than the limit of \(limit) bytes" }
}

/// A body that was read before a middleware had turned its value into bytes.
public struct UnencodedBody: FaradayError {
  /// The type of the value.
  public let type: any Any.Type

  public init(type: any Any.Type) { self.type = type }

  public var description: String {
    "the body is a value of type \(type) that no middleware has encoded; add an encoding middleware"
  }
}

/// The reader's end of a ``ResponseStream``: read once, by one task at a time.
///
/// The transfer ends when the last of this and its iterator goes, and when its iterator goes before it has reached the end.
struct ReceivedBody: Sendable {
  let length: Int64?
  /// Whose secrets are redacted in the errors that the body throws; nil if the response came over no connection.
  var context: ConnectionContext?
  private let access: Access

  init(_ lease: Lease, length: Int64?) {
    self.length = length
    access = Access(lease)
  }

  func makeReader() -> BodyReader {
    guard let lease = access.take() else { return { throw BodyAlreadyRead() } }
    // The next is the last: each goes when it is taken.
    var pieces: [Data] = []
    var hasEnded = false
    return { [context] in
      guard !hasEnded else { return nil }
      if pieces.isEmpty {
        do {
          pieces = try await lease.take().reversed()
        } catch {
          hasEnded = true
          throw Self.redacted(error, by: context)
        }
      }
      guard let piece = pieces.popLast() else {
        hasEnded = true
        return nil
      }
      lease.read(piece.count)
      return piece
    }
  }

  /// Gives each piece to the closure where it arrives.
  func drain(into take: @escaping ChunkHandler) async throws {
    guard let lease = access.take() else { throw BodyAlreadyRead() }
    do { try await lease.drain(into: take) } catch { throw Self.redacted(error, by: context) }
  }

  private static func redacted(_ error: any Error, by context: ConnectionContext?) -> any Error {
    guard let context, var error = error as? TransportError else { return error }
    error.redact(by: context)
    return error
  }

  /// Lets the first reader have the lease.
  private final class Access: Sendable {
    private let lease: Mutex<Lease?>

    init(_ lease: Lease) { self.lease = Mutex(lease) }

    func take() -> Lease? {
      lease.withLock { lease in
        defer { lease = nil }
        return lease
      }
    }
  }

  /// The right to read the body. When it goes, so does the transfer.
  final class Lease: Sendable {
    private let stream: ResponseStream
    private let onRoom: @Sendable () -> Void
    private let onUnwanted: @Sendable () -> Void

    init(
      stream: ResponseStream, onRoom: @escaping @Sendable () -> Void, onUnwanted: @escaping @Sendable () -> Void
    ) {
      self.stream = stream
      self.onRoom = onRoom
      self.onUnwanted = onUnwanted
    }

    deinit {
      if stream.ending == nil { onUnwanted() }
    }

    /// Everything there is, waiting if there is nothing. Empty at the end; throws if the end is bad.
    func take() async throws -> [Data] {
      while true {
        if let pieces = try takeNow() { return pieces }
        await wait { !$0.pieces.isEmpty || $0.ending != nil }
      }
    }

    /// Everything there is; empty at the end, nil if there is nothing yet. Throws if the end is bad.
    private func takeNow() throws -> [Data]? {
      let (pieces, ending) = stream.state.withLock { state in
        defer { state.pieces = [] }
        return (state.pieces, state.ending)
      }
      if !pieces.isEmpty { return pieces }
      guard let ending else { return nil }
      try ending.result.get()
      return []
    }

    /// Waits until it is so. A task that is cancelled meanwhile ends the transfer, which ends the wait.
    private func wait(until isReady: @Sendable (borrowing ResponseStream.State) -> Bool) async {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let isReady = stream.state.withLock { state in
            if isReady(state) { return true }
            state.reader = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        onUnwanted()
      }
    }

    func read(_ count: Int) {
      if stream.read(count) { onRoom() }
    }

    func drain(into take: @escaping ChunkHandler) async throws {
      let isOpen = stream.state.withLock { state in
        guard state.ending == nil else { return false }
        state.sink = take
        return true
      }
      if isOpen {
        onRoom()
        while stream.ending == nil { await wait { $0.ending != nil } }
      }
      // What had come before all of it was there: then no engine looks after it any more.
      while let pieces = try takeNow(), !pieces.isEmpty {
        for piece in pieces {
          try Task.checkCancellation()
          guard try take(piece.span.bytes) == .continue else { throw CancellationError() }
        }
      }
    }
  }
}

/// A streamed body that has an iterator already: it can be read once.
package struct BodyAlreadyRead: Error, CustomStringConvertible {
  package var description: String { "the body of a streamed response can be iterated once" }
}

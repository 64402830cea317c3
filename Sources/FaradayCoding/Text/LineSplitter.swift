public import FaradayCore
public import Synchronization

/// Splits a body that arrives in chunks into lines, and reduces them to a result. Lines within one chunk are not copied.
///
///     let lines = LineSplitter(into: Summary()) { summary, line in
///       summary.add(line)
///       return .continue
///     }
///     _ = try await connection.get("events") { $0.options.onChunk = lines.take }
///     let summary = try lines.finish()
///
/// A line ends with LF, CR or CRLF, which is not part of the line. Use one splitter for one body, from one caller at a time:
/// concurrent calls throw ``FaradayCore/BodyError`` with the reason `.splitterInUse`. The splitter takes a lock for each chunk,
/// not for each line. For lines as an async sequence use ``FaradayCore/Body/dataLines(upTo:)``.
public final class LineSplitter<Result: Sendable>: Sendable {
  /// Handles a line: updates the result, and returns whether the transfer continues. The bytes are valid only during the call.
  public typealias LineHandler = @Sendable (_ result: inout Result, _ line: RawSpan) throws -> Flow

  @usableFromInline struct State: Sendable {
    @usableFromInline var result: Result
    /// The beginning of a line whose end has not arrived yet.
    @usableFromInline var rest: [UInt8] = []
    @usableFromInline var ends = LineEnds()

    @usableFromInline init(result: Result) { self.result = result }
  }

  @usableFromInline let handle: LineHandler
  @usableFromInline let limit: Int
  /// Nil while a chunk is split, so that no lock is held while the handler runs.
  @usableFromInline let state: Mutex<State?>

  /// - Parameters:
  ///   - result: the initial result.
  ///   - limit: the maximum length of a line in bytes, 1 MiB by default. A longer line throws ``FaradayCore/BodyError`` with
  ///     the reason `.lineTooLong`.
  ///   - handle: called with each line, on the thread that calls ``take(_:)`` (the engine's thread for a chunk callback) or
  ///     ``finish()``. The bytes are valid only during the call.
  public init(into result: Result, upTo limit: Int = 1 << 20, _ handle: @escaping LineHandler) {
    state = Mutex(State(result: result))
    self.limit = limit
    self.handle = handle
  }

  /// Splits the next chunk. Can be used as a ``FaradayCore/ChunkHandler``. Throws ``FaradayCore/BodyError`` and the
  /// errors of the handler.
  @inlinable
  public func take(_ bytes: RawSpan) throws -> Flow {
    try use { state in try split(bytes, &state) }
  }

  /// Handles the last line if it has no line end, and returns the result. Call it after the last chunk.
  public func finish() throws -> Result {
    try use { state in
      let last = state.rest
      state.rest = []
      if !last.isEmpty { _ = try handle(&state.result, last.span.bytes) }
      return state.result
    }
  }

  /// The hot path. Inlinable, because a call of an unspecialized handler costs more than finding the line.
  @inlinable
  func split(_ bytes: RawSpan, _ state: inout State) throws -> Flow {
    guard bytes.byteCount > 0 else { return .continue }
    state.ends.begin(bytes)
    while let range = state.ends.next(in: bytes) {
      let line = bytes.extracting(range)
      let flow: Flow
      if state.rest.isEmpty {
        flow = try pass(line, &state.result)
      } else {
        var begun = state.rest
        state.rest = []
        begun.append(contentsOf: line)
        flow = try pass(begun.span.bytes, &state.result)
      }
      guard flow == .continue else { return flow }
    }
    state.rest.append(contentsOf: bytes.extracting(state.ends.start..<bytes.byteCount))
    guard state.rest.count <= limit else { throw BodyError(.lineTooLong(limit: limit)) }
    return .continue
  }

  @inlinable
  func pass(_ line: RawSpan, _ result: inout Result) throws -> Flow {
    guard line.byteCount <= limit else { throw BodyError(.lineTooLong(limit: limit)) }
    return try handle(&result, line)
  }

  @inlinable
  func use<Value>(_ body: (inout State) throws -> Value) throws -> Value {
    let taken = state.withLock { state in
      defer { state = nil }
      return state
    }
    guard var taken else { throw BodyError(.splitterInUse) }
    defer { state.withLock { $0 = taken } }
    return try body(&taken)
  }
}

extension LineSplitter where Result == Void {
  /// A splitter for a handler that stores its result elsewhere.
  public convenience init(upTo limit: Int = 1 << 20, _ handle: @escaping @Sendable (_ line: RawSpan) throws -> Flow) {
    self.init(into: (), upTo: limit) { _, line in try handle(line) }
  }
}

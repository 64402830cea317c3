public import FaradayCore
public import Synchronization

/// Makes lines of what arrives in pieces, without copying those that lie within one piece, and something out of the lines.
///
///     let lines = LineSplitter(into: Summary()) { summary, line in
///       summary.add(line)
///       return .continue
///     }
///     _ = try await connection.get("events") { $0.options.onChunk = lines.take }
///     let summary = try lines.finish()
///
/// A line ends with LF, with CR, or with both; the end is no part of it. One splitter is for one body, and for one caller at a
/// time. It costs a lock for each piece and none for a line. For lines as an async sequence there is
/// ``FaradayCore/Body/lines(upTo:)``.
public final class LineSplitter<Result: Sendable>: Sendable {
  public typealias LineHandler = @Sendable (_ result: inout Result, _ line: RawSpan) throws -> Flow

  @usableFromInline struct State: Sendable {
    @usableFromInline var result: Result
    /// The beginning of a line whose end has not come yet.
    @usableFromInline var rest: [UInt8] = []
    @usableFromInline var ends = LineEnds()

    @usableFromInline init(result: Result) { self.result = result }
  }

  @usableFromInline let handle: LineHandler
  @usableFromInline let limit: Int
  /// Taken out while a piece is split: the lock is not held when the handler runs.
  @usableFromInline let state: Mutex<State?>

  /// - Parameters:
  ///   - result: what the lines are to make, as it is to begin with.
  ///   - limit: the longest line, in bytes. A longer one throws ``LineTooLong``.
  ///   - handle: called with each line, on the thread that calls ``take(_:)``, which for a chunk callback is the engine's, or
  ///     ``finish()``; the bytes are gone when it returns.
  public init(into result: Result, upTo limit: Int = 1 << 20, _ handle: @escaping LineHandler) {
    state = Mutex(State(result: result))
    self.limit = limit
    self.handle = handle
  }

  /// Takes the next piece: a ``FaradayCore/ChunkHandler``. Throws ``LineTooLong``, and what the handler throws.
  @inlinable
  public func take(_ bytes: RawSpan) throws -> Flow {
    try use { state in try split(bytes, &state) }
  }

  /// Passes on the last line if nothing ends it, and gives what the lines have made. To be called when everything has been taken.
  public func finish() throws -> Result {
    try use { state in
      let last = state.rest
      state.rest = []
      if !last.isEmpty { _ = try handle(&state.result, last.span.bytes) }
      return state.result
    }
  }

  /// The path of every line: inlinable, as a generic handler costs more than finding the line.
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
    guard state.rest.count <= limit else { throw LineTooLong(limit: limit) }
    return .continue
  }

  @inlinable
  func pass(_ line: RawSpan, _ result: inout Result) throws -> Flow {
    guard line.byteCount <= limit else { throw LineTooLong(limit: limit) }
    return try handle(&result, line)
  }

  @inlinable
  func use<Value>(_ body: (inout State) throws -> Value) throws -> Value {
    let taken = state.withLock { state in
      defer { state = nil }
      return state
    }
    guard var taken else { throw SplitterInUse() }
    defer { state.withLock { $0 = taken } }
    return try body(&taken)
  }
}

extension LineSplitter where Result == Void {
  /// For a handler that has a place of its own for what it makes of the lines.
  public convenience init(upTo limit: Int = 1 << 20, _ handle: @escaping @Sendable (_ line: RawSpan) throws -> Flow) {
    self.init(into: (), upTo: limit) { _, line in try handle(line) }
  }
}

/// A ``LineSplitter`` was called while it was called already.
public struct SplitterInUse: FaradayError, Equatable {
  public init() {}

  public var description: String { "a line splitter is for one caller at a time" }
}

/// A line that is longer than the limit, or whose end does not come.
public struct LineTooLong: FaradayError, Equatable {
  /// In bytes.
  public let limit: Int

  public init(limit: Int) { self.limit = limit }

  public var description: String { "a line is longer than the limit of \(limit) bytes" }
}

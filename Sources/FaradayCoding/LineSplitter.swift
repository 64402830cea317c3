public import FaradayCore
private import Synchronization

/// Makes lines of what arrives in pieces, without copying those that lie within one piece, and something out of the lines.
///
///     let lines = LineSplitter(into: Summary()) { summary, line in
///       summary.add(line)
///       return .continue
///     }
///     _ = try await connection.get("events") { $0.options.onChunk = lines.take }
///     let summary = try lines.finish()
///
/// A line ends with LF, or with CR and LF; neither is part of it. One splitter is for one body, and for one caller at a time. It
/// costs a lock for each piece and none for a line. For lines as an async sequence there is ``FaradayCore/Body/lines(upTo:)``.
public final class LineSplitter<Result: Sendable>: Sendable {
  public typealias LineHandler = @Sendable (_ result: inout Result, _ line: RawSpan) throws -> Flow

  private struct State {
    var result: Result
    var cutter: LineCutter
  }

  private let handle: LineHandler
  /// Taken out while a piece is split: the lock is not held when the handler runs.
  private let state: Mutex<State?>

  /// - Parameters:
  ///   - result: what the lines are to make, as it is to begin with.
  ///   - limit: the longest line, in bytes. A longer one throws ``LineTooLong``.
  ///   - handle: called with each line, on the thread that calls ``take(_:)``, which for a chunk callback is the engine's, or
  ///     ``finish()``; the bytes are gone when it returns.
  public init(into result: Result, upTo limit: Int = 1 << 20, _ handle: @escaping LineHandler) {
    state = Mutex(State(result: result, cutter: LineCutter(limit: limit)))
    self.handle = handle
  }

  /// Takes the next piece: a ``FaradayCore/ChunkHandler``. Throws ``LineTooLong``, and what the handler throws.
  public func take(_ bytes: RawSpan) throws -> Flow {
    try use { result, cutter in try cutter.take(bytes) { line in try handle(&result, line) } }
  }

  /// Passes on the last line if nothing ends it, and gives what the lines have made. To be called when everything has been taken.
  public func finish() throws -> Result {
    try use { result, cutter in
      try cutter.finish { line in try handle(&result, line) }
      return result
    }
  }

  private func use<Value>(_ body: (inout Result, inout LineCutter) throws -> Value) throws -> Value {
    let taken = state.withLock { state in
      defer { state = nil }
      return state
    }
    guard var taken else { throw SplitterInUse() }
    defer { state.withLock { $0 = taken } }
    return try body(&taken.result, &taken.cutter)
  }
}

extension LineSplitter where Result == Void {
  /// For a handler that has a place of its own for what it makes of the lines.
  public convenience init(upTo limit: Int = 1 << 20, _ handle: @escaping @Sendable (_ line: RawSpan) throws -> Flow) {
    self.init(into: (), upTo: limit) { _, line in try handle(line) }
  }
}

/// A ``LineSplitter`` was called while it was called already.
public struct SplitterInUse: Error, Equatable, CustomStringConvertible {
  public init() {}

  public var description: String { "a line splitter is for one caller at a time" }
}

/// A line that is longer than the limit, or whose end does not come.
public struct LineTooLong: Error, Equatable, CustomStringConvertible {
  /// In bytes.
  public let limit: Int

  public init(limit: Int) { self.limit = limit }

  public var description: String { "a line is longer than the limit of \(limit) bytes" }
}

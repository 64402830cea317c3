public import FaradayCore
private import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Makes lines of what arrives in pieces, without copying those that lie within one piece.
///
///     let lines = LineSplitter { line in
///       count(line)
///       return .continue
///     }
///     _ = try await connection.get("events") { $0.options.onChunk = lines.take }
///     try lines.finish()
///
/// A line ends with LF, or with CR and LF; neither is part of it. One splitter is for one body. For lines as an async sequence
/// there is ``FaradayCore/Body/lines(upTo:)``.
public final class LineSplitter: Sendable {
  public typealias LineHandler = @Sendable (_ line: RawSpan) throws -> Flow

  private let handle: LineHandler
  private let limit: Int
  /// The beginning of a line whose end has not come yet.
  private let rest = Mutex<[UInt8]>([])

  /// - Parameters:
  ///   - limit: the longest line, in bytes. A longer one throws ``LineTooLong``.
  ///   - handle: called with each line, on the thread that calls ``take(_:)``, which for a chunk callback is the engine's, or
  ///     ``finish()``; the bytes are gone when it returns.
  public init(upTo limit: Int = 1 << 20, _ handle: @escaping LineHandler) {
    self.limit = limit
    self.handle = handle
  }

  /// Takes the next piece: a ``FaradayCore/ChunkHandler``. One call at a time.
  public func take(_ bytes: RawSpan) throws -> Flow {
    var start = 0
    // Not held while the handler runs.
    var begun = rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
    while let end = bytes.lineFeed(from: start) {
      let line = bytes.extracting(start..<end)
      start = end + 1
      let flow: Flow
      if begun.isEmpty {
        flow = try passEnded(line)
      } else {
        begun.append(contentsOf: line)
        flow = try passEnded(begun.span.bytes)
        begun.removeAll(keepingCapacity: true)
      }
      guard flow == .continue else { return flow }
    }
    begun.append(contentsOf: bytes.extracting(start..<bytes.byteCount))
    guard begun.span.bytes.countWithoutReturn <= limit else { throw LineTooLong(limit: limit) }
    rest.withLock { $0 = begun }
    return .continue
  }

  /// Passes on the last line if nothing ends it. To be called when everything has been taken.
  public func finish() throws {
    let last = rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
    if !last.isEmpty { _ = try pass(last.span.bytes) }
  }

  private func passEnded(_ line: RawSpan) throws -> Flow { try pass(line.extracting(first: line.countWithoutReturn)) }

  private func pass(_ line: RawSpan) throws -> Flow {
    guard line.byteCount <= limit else { throw LineTooLong(limit: limit) }
    return try handle(line)
  }
}

extension RawSpan {
  /// How many bytes are left without the CR that belongs to a line's end.
  fileprivate var countWithoutReturn: Int {
    guard byteCount > 0, unsafeLoad(fromByteOffset: byteCount - 1, as: UInt8.self) == 0x0D else { return byteCount }
    return byteCount - 1
  }

  /// The offset of the next line feed.
  fileprivate func lineFeed(from start: Int) -> Int? {
    withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress, let found = memchr(base + start, 0x0A, buffer.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(contentsOf bytes: RawSpan) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }
}

/// A line that is longer than the limit, or whose end does not come.
public struct LineTooLong: Error, Equatable, CustomStringConvertible {
  /// In bytes.
  public let limit: Int

  public init(limit: Int) { self.limit = limit }

  public var description: String { "a line is longer than the limit of \(limit) bytes" }
}

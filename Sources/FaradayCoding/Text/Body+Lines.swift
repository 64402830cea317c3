public import FaradayCore

extension Body {
  /// The lines of the body as an async sequence of bytes, in any charset that extends ASCII. `response.lines()` returns text.
  ///
  ///     let log = try await connection.stream("log")
  ///     for try await line in log.body.dataLines() { size += line.count }
  ///
  /// A line ends with LF, CR or CRLF, which is not part of the line. The last line needs no line end. An empty body has no
  /// lines. A line longer than `limit` bytes, 1 MiB by default, throws ``FaradayCore/BodyError`` with the reason
  /// `.lineTooLong`. Each line is copied once. Use ``FaradayCoding/LineSplitter`` for throughput above some hundred megabytes a
  /// second.
  public func dataLines(upTo limit: Int = 1 << 20) -> BodyLines { BodyLines(body: self, limit: limit) }
}

/// The lines of a body, as an async sequence: see ``FaradayCore/Body/dataLines(upTo:)``.
public struct BodyLines: AsyncSequence, Sendable {
  /// The bytes of a line.
  public typealias Element = Data
  let body: Body
  let limit: Int

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator(), limit: limit) }

  /// Iterates over the lines.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var pieces: Body.AsyncIterator
    fileprivate let limit: Int
    private var piece = Data()
    private var begun = Data()
    private var ends = LineEnds()

    fileprivate init(pieces: Body.AsyncIterator, limit: Int) {
      self.pieces = pieces
      self.limit = limit
    }

    /// The next line; nil at the end.
    public mutating func next() async throws -> Data? {
      try await next(isolation: #isolation)
    }

    /// The next line; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      while true {
        if let range = ends.next(in: piece.span.bytes) {
          append(range)
          guard begun.count <= limit else { throw BodyError(.lineTooLong(limit: limit)) }
          defer { begun = Data() }
          return begun
        }
        append(ends.start..<piece.count)
        guard begun.count <= limit else { throw BodyError(.lineTooLong(limit: limit)) }
        repeat {
          guard let next = try await pieces.next(isolation: isolation) else {
            (piece, ends) = (Data(), LineEnds())
            defer { begun = Data() }
            return begun.isEmpty ? nil : begun
          }
          piece = next
        } while piece.isEmpty
        ends.begin(piece.span.bytes)
      }
    }

    private mutating func append(_ range: Range<Int>) {
      begun += piece[(piece.startIndex + range.lowerBound)..<(piece.startIndex + range.upperBound)]
    }
  }
}

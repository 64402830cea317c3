public import FaradayCore

extension Body {
  /// The lines of the body, each as its bytes: of newline-delimited JSON each is a value.
  ///
  ///     let feed = try await connection.get("events") { $0.options.delivery = .streamed }
  ///     for try await line in feed.body.lines() {
  ///       let event = try JSONDecoder().decode(Event.self, from: line)
  ///     }
  ///
  /// A line ends with LF, with CR, or with both; the end is no part of it. It is copied once. A last line needs no end, and an
  /// empty body has no line. One that is longer than `limit` bytes throws ``LineTooLong``. For more than some hundred megabytes a
  /// second there is ``LineSplitter``.
  public func lines(upTo limit: Int = 1 << 20) -> BodyLines { BodyLines(body: self, limit: limit) }
}

/// The lines of a body.
public struct BodyLines: AsyncSequence, Sendable {
  public typealias Element = Data
  let body: Body
  let limit: Int

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator(), limit: limit) }

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

    public mutating func next() async throws -> Data? {
      try await next(isolation: #isolation)
    }

    public mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      while true {
        if let range = ends.next(in: piece.span.bytes) {
          append(range)
          guard begun.count <= limit else { throw LineTooLong(limit: limit) }
          defer { begun = Data() }
          return begun
        }
        append(ends.start..<piece.count)
        guard begun.count <= limit else { throw LineTooLong(limit: limit) }
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

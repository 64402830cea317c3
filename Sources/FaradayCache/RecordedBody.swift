internal import FaradayCore

/// A body that is kept while it is read, at the reader's pace, and handed over whole when its end was read. What breaks off, is not read
/// to the end, or is too large, is let go.
struct RecordedBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let body: Body
  let limit: Int
  let onEnd: @Sendable (Data) async -> Void

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: body.makeAsyncIterator(), length: body.length, limit: limit, onEnd: onEnd)
  }

  struct Iterator: AsyncIteratorProtocol {
    private var rest: Body.AsyncIterator
    private let length: Int64?
    private let limit: Int
    private let onEnd: @Sendable (Data) async -> Void
    /// Nil when it is too large, and when it was handed over.
    private var whole: Data? = Data()

    init(rest: Body.AsyncIterator, length: Int64?, limit: Int, onEnd: @escaping @Sendable (Data) async -> Void) {
      self.rest = rest
      self.length = length
      self.limit = limit
      self.onEnd = onEnd
    }

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      do {
        if let piece = try await rest.next(isolation: isolation) {
          keep(piece)
          return piece
        }
      } catch {
        whole = nil
        throw error
      }
      if let done = whole, length ?? Int64(done.count) == Int64(done.count) { await onEnd(done) }
      whole = nil
      return nil
    }

    private mutating func keep(_ piece: Data) {
      guard let count = whole?.count, piece.count <= limit - count else {
        whole = nil
        return
      }
      // A copy: the piece may be a part of a buffer that is used again.
      whole?.append(piece)
    }
  }
}

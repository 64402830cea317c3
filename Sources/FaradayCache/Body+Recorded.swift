internal import FaradayCore

extension Body {
  /// Returns the body, recorded while it is read. When its end has been read, the closure is called with all bytes. It is not
  /// called if the body is
  /// truncated, is not read to its end, or is larger than the limit.
  func recorded(upTo limit: Int, _ onEnd: @escaping @Sendable (Data) async -> Void) -> Body {
    .reading(length: length) {
      var rest = makeAsyncIterator()
      // Nil if the body is too large, has failed, or has been passed to the closure.
      var whole: Data? = Data()
      return {
        do {
          if let piece = try await rest.next(isolation: #isolation) {
            if let count = whole?.count, piece.count <= limit - count {
              // A copy: the piece may be a part of a reused buffer.
              whole?.append(piece)
            } else {
              whole = nil
            }
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
    }
  }
}

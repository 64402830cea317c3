/// An async sequence of any type, erased.
struct BodyStream: Sendable {
  let length: Int64?
  let isReplayable: Bool
  let makeReader: @Sendable () -> BodyReader

  init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int64?, isReplayable: Bool)
  where Pieces.Element == Data {
    self.length = length
    self.isReplayable = isReplayable
    makeReader = {
      var iterator = pieces.makeAsyncIterator()
      return { try await iterator.next(isolation: #isolation) }
    }
  }
}

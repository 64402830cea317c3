internal import FaradayCore

/// A streamed body that counts its bytes for the log as they are read.
struct LoggedPieces: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let body: Body
  let exchange: LoggedExchange

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: body.makeAsyncIterator(), reading: Reading(exchange: exchange))
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var rest: Body.AsyncIterator
    fileprivate let reading: Reading

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      do {
        let piece = try await rest.next(isolation: isolation)
        if let piece { reading.exchange.take(piece.span.bytes) } else { reading.exchange.end() }
        return piece
      } catch {
        reading.exchange.end(.failed(error))
        throw error
      }
    }
  }

  /// Is released with its iterator, that is, when the reader stops.
  fileprivate final class Reading: Sendable {
    let exchange: LoggedExchange
    init(exchange: LoggedExchange) { self.exchange = exchange }
    deinit { exchange.end(.left) }
  }
}

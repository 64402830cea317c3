internal import FaradayCore

extension Body {
  /// Returns the streamed body. Its bytes are counted for the log as they are read.
  func logged(by exchange: LoggedExchange) -> Body {
    .reading(length: length, isReplayable: isReplayable) {
      var rest = makeAsyncIterator()
      let reading = Reading(exchange: exchange)
      return {
        do {
          let piece = try await rest.next(isolation: #isolation)
          if let piece { reading.exchange.take(piece.span.bytes) } else { reading.exchange.end() }
          return piece
        } catch {
          reading.exchange.end(.failed(error))
          throw error
        }
      }
    }
  }
}

/// An object that is released with the reader of the body, that is, when reading stops.
private final class Reading: Sendable {
  let exchange: LoggedExchange
  init(exchange: LoggedExchange) { self.exchange = exchange }
  deinit { exchange.end(.left) }
}

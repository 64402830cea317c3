internal import FaradayCoding
internal import FaradayCore

/// The values in the data of an event stream, decoded from JSON: the result of `connection.events(_:as:…)` and
/// `response.events(as:…)`.
///
/// It is iterated like the underlying ``EventStream``. It throws the errors of that stream and
/// ``FaradayCoding/BodyDecodingError``.
public struct DecodedEvents<Value: Decodable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = any Error

  let events: EventStream
  let decoder: JSONDecoder
  let sentinel: String?

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(events: events.makeAsyncIterator(), decoder: decoder, sentinel: sentinel)
  }

  /// Iterates over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var events: EventStream.AsyncIterator
    private let decoder: JSONDecoder
    private let sentinel: String?
    private var index = 0
    private var hasEnded = false

    fileprivate init(events: EventStream.AsyncIterator, decoder: JSONDecoder, sentinel: String?) {
      self.events = events
      self.decoder = decoder
      self.sentinel = sentinel
    }

    /// Returns the next value; nil at the end of the stream.
    public mutating func next() async throws -> Value? {
      try await next(isolation: #isolation)
    }

    /// Returns the next value; nil at the end of the stream.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Value? {
      guard !hasEnded else { return nil }
      // Reset if a value is returned.
      hasEnded = true
      guard let event = try await events.next(isolation: isolation) else {
        guard sentinel == nil else { throw EventStreamError(.endedEarly, request: events.request, response: events.response) }
        return nil
      }
      guard event.data != sentinel else {
        events.end()
        return nil
      }
      let data = Data(event.data.utf8)
      do {
        let value = try decoder.value(Value.self, from: data)
        hasEnded = false
        index += 1
        return value
      } catch {
        let request = events.request
        events.end()
        throw BodyDecodingError(error, decoding: Value.self, from: data, index: index, request: request)
      }
    }
  }
}

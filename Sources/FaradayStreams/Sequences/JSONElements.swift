internal import FaradayCoding
internal import FaradayCore

/// The values of a stream of JSON texts, as an async sequence: what `jsonLines(of:…)` and `jsonSequence(of:…)` return.
///
/// The body is read as values are asked for, with backpressure. Leaving the loop or releasing the iterator closes the connection.
/// Iterating throws ``UndecodableElement``, ``ElementTooLarge``, and what reading the body throws; of a connection's elements
/// also what sending throws, and ``FaradayCore/UnexpectedStatus`` for a status other than 2xx. After an error it has ended.
public struct JSONElements<Value: Decodable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = any Error
  /// Takes an element that cannot be decoded. What it throws ends the iteration; otherwise the next element follows.
  public typealias InvalidHandler = @Sendable (_ error: UndecodableElement) throws -> Void

  enum Source: Sendable {
    case response(Response)
    case connection(Connection, Result<Request, any Error>)
  }

  /// How the elements are told apart.
  enum Framing: Sendable {
    case lines, separators
  }

  let source: Source
  let framing: Framing
  let decoder: JSONDecoder
  let limit: Int
  let onInvalid: InvalidHandler?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Iterates over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private typealias Reader = nonisolated(nonsending) () async throws -> Data?

    private let elements: JSONElements
    private var read: Reader?
    private var request: RequestSummary?
    private var index = 0
    private var hasEnded = false

    fileprivate init(_ elements: JSONElements) { self.elements = elements }

    /// The next value; nil at the end.
    public mutating func next() async throws -> Value? {
      try await next(isolation: #isolation)
    }

    /// The next value; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Value? {
      guard !hasEnded else { return nil }
      // Unless a value is returned.
      hasEnded = true
      let read = if let read { read } else { try await open() }
      self.read = nil
      while true {
        try Task.checkCancellation()
        guard let data = try await self.next(of: read) else { return nil }
        guard data.contains(where: { !$0.isJSONSpace }) else { continue }
        defer { index += 1 }
        do {
          let value = try decode(data)
          (self.read, hasEnded) = (read, false)
          return value
        } catch {
          guard let onInvalid = elements.onInvalid else { throw error }
          try onInvalid(error)
        }
      }
    }

    private mutating func open() async throws -> Reader {
      let body: Body
      switch elements.source {
      case .response(let response): body = response.body
      case .connection(let connection, let request):
        let request = try request.get()
        self.request = RequestSummary(request)
        let response = try await connection.run(request)
        guard response.status.kind == .successful else {
          throw try await UnexpectedStatus(response, to: request).collected()
        }
        body = response.body
      }
      switch elements.framing {
      case .lines:
        var lines = body.lines(upTo: elements.limit).makeAsyncIterator()
        return { try await lines.next(isolation: #isolation) }
      case .separators:
        var texts = JSONTexts(body, upTo: elements.limit)
        return { try await texts.next() }
      }
    }

    private func next(of read: Reader) async throws -> Data? {
      do {
        return try await read()
      } catch let error as LineTooLong {
        throw ElementTooLarge(limit: error.limit)
      }
    }

    private func decode(_ data: Data) throws(UndecodableElement) -> Value {
      let isSeparated = elements.framing == .separators
      do {
        guard !isSeparated || !JSONTexts.isCut(data) else { throw CutText() }
        return try elements.decoder.value(Value.self, from: data)
      } catch {
        throw UndecodableElement(
          error, decoding: Value.self, from: data, index: index, isTruncated: isSeparated && !JSONTexts.isEnded(data),
          request: request)
      }
    }
  }
}

public import FaradayCoding
internal import FaradayCore

/// The framing of the values in a stream of JSON texts.
public enum JSONFraming: Sendable, Hashable {
  /// Newline-delimited JSON (NDJSON, JSON Lines): one value in each line. A line ends with LF, CR or CRLF; empty lines are
  /// skipped, and the last line needs no end.
  case lines
  /// A JSON text sequence (RFC 7464, `application/json-seq`): a text begins with a record separator, U+001E, and ends with a
  /// line feed. A truncated text (section 2.4) cannot be decoded: ``FaradayCoding/BodyDecodingError/isTruncated``. A number or literal
  /// without white space after it counts as truncated, because it may be a part of a longer one.
  case sequence
}

/// The values of a stream of JSON texts, as an async sequence: the result of `connection.elements(_:as:…)` and
/// `response.elements(as:…)`.
///
/// The body is read on demand, with backpressure. Leaving the loop or releasing the iterator closes the connection. Iterating
/// throws ``FaradayCoding/BodyDecodingError``, ``FaradayCore/BodyError``, ``FaradayCore/StatusError``, and the errors of
/// reading the body. Iterating a connection's elements also throws the errors of sending. After an error the sequence has
/// ended.
public struct JSONElements<Value: Decodable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = any Error
  /// Called with the error of an element that cannot be decoded. If it throws, the iteration ends with that error; otherwise
  /// the next element follows.
  public typealias InvalidHandler = @Sendable (_ error: BodyDecodingError) throws -> Void

  let source: StreamSource
  /// Nil means the framing of the response's `Content-Type`.
  let framing: JSONFraming?
  let decoder: JSONDecoder?
  let limit: Int
  let onInvalid: InvalidHandler?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Iterates over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private typealias Reader = nonisolated(nonsending) () async throws -> Data?

    private let elements: JSONElements
    private var read: Reader?
    private var framing = JSONFraming.lines
    private var decoder = JSONDecoder()
    private var request: RequestSummary?
    private var index = 0
    private var hasEnded = false

    fileprivate init(_ elements: JSONElements) { self.elements = elements }

    /// Returns the next value; nil at the end.
    public mutating func next() async throws -> Value? {
      try await next(isolation: #isolation)
    }

    /// Returns the next value; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Value? {
      guard !hasEnded else { return nil }
      // Reset if a value is returned.
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
      let response: Response
      (response, request) = try await elements.source.open()
      decoder = elements.decoder ?? response.jsonDecoder ?? decoder
      let isSequence = response.headers.contentType == MediaType("application", "json-seq")
      framing = elements.framing ?? (isSequence ? .sequence : .lines)
      switch framing {
      case .lines:
        var lines = response.body.dataLines(upTo: elements.limit).makeAsyncIterator()
        return { try await lines.next(isolation: #isolation) }
      case .sequence:
        var texts = JSONTexts(response.body, upTo: elements.limit)
        return { try await texts.next() }
      }
    }

    private func next(of read: Reader) async throws -> Data? {
      do {
        return try await read()
      } catch let error as BodyError {
        guard case .lineTooLong(let limit) = error.reason else { throw error }
        throw BodyError(.elementTooLarge(limit: limit))
      }
    }

    private func decode(_ data: Data) throws(BodyDecodingError) -> Value {
      let isSeparated = framing == .sequence
      do {
        guard !isSeparated || !JSONTexts.isCut(data) else { throw CutText() }
        return try decoder.value(Value.self, from: data)
      } catch {
        throw BodyDecodingError(
          error, decoding: Value.self, from: data, index: index, isTruncated: isSeparated && !JSONTexts.isEnded(data),
          request: request)
      }
    }
  }
}

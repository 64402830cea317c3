internal import FaradayCoding
public import FaradayCore

/// The lines of a text, as an async sequence of strings: the result of `connection.lines(…)` and `response.lines()`.
///
///     for try await line in connection.lines("log") { print(line) }
///
/// A line ends with LF, CR or CRLF, which is not part of the line. The last line needs no line end. An empty body has no lines.
/// The text is decoded like ``FaradayCore/Response/text(accepting:upTo:)``, except that UTF-16 throws
/// ``FaradayCore/BodyError`` with the reason `.undecodableText`.
///
/// The body is read on demand, with backpressure. Leaving the loop or releasing the iterator closes the connection. Iterating
/// throws ``FaradayCore/BodyError``, ``FaradayCore/StatusError``, and the errors of reading the body. Iterating a connection's
/// lines also throws the errors of sending. After an error the sequence has ended.
public struct TextLines: AsyncSequence, Sendable {
  public typealias Element = String
  public typealias Failure = any Error

  let source: StreamSource
  let limit: Int

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Iterates over the lines.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let text: TextLines
    private var lines: BodyLines.AsyncIterator?
    private var charset = Charset.utf8
    private var hasEnded = false

    fileprivate init(_ text: TextLines) { self.text = text }

    /// Returns the next line; nil at the end.
    public mutating func next() async throws -> String? {
      try await next(isolation: #isolation)
    }

    /// Returns the next line; nil at the end.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> String? {
      guard !hasEnded else { return nil }
      // Reset if a line is returned.
      hasEnded = true
      let line = if lines == nil { try await first() } else { try await lines?.next(isolation: isolation) }
      guard let line else {
        lines = nil
        return nil
      }
      hasEnded = false
      return charset.decode(line)
    }

    /// Opens the text, and returns its first line without a byte order mark.
    private mutating func first() async throws -> Data? {
      let response = try await text.source.open().response
      var lines = response.body.dataLines(upTo: text.limit).makeAsyncIterator()
      let first = try await lines.next(isolation: #isolation)
      let mark = first.flatMap(Charset.marked)
      if let mark {
        charset = mark.charset
      } else if let name = response.headers.contentType?["charset"] {
        guard let known = Charset(named: name) else { throw BodyError(.undecodableText(charset: String(name.prefix(64)))) }
        charset = known
      }
      guard charset != .utf16BigEndian, charset != .utf16LittleEndian else {
        throw BodyError(.undecodableText(charset: charset.rawValue))
      }
      self.lines = lines
      return first?.dropFirst(mark?.markLength ?? 0)
    }
  }
}

extension Connection {
  /// Sends a request and returns the lines of its response, a text, on arrival.
  ///
  ///     for try await line in connection.lines("log", query: ["follow": true]) { print(line) }
  ///
  /// Each iteration sends the request, a GET by default. It is streamed, and has no ``FaradayCore/Timeouts/total`` unless
  /// `edit` sets one. A status other than 2xx throws ``FaradayCore/StatusError``. The other arguments are those of `request`.
  ///
  /// - Parameter limit: the longest line in bytes, 1 MiB by default. A longer one throws ``FaradayCore/BodyError`` with the
  ///   reason `.lineTooLong`.
  public func lines(
    _ path: some URLReference = "", method: HTTPRequest.Method = .get, variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Body = .empty,
    upTo limit: Int = 1 << 20, edit: (inout Request) throws -> Void = { _ in }
  ) -> TextLines {
    let source = source(
      nil, method, path, variables: variables, query: query, headers: headers, body: body, edit: edit)
    return TextLines(source: source, limit: limit)
  }
}

extension Response {
  /// Returns the lines of the body, a text. `body.dataLines()` returns the bytes of each line.
  ///
  ///     for try await line in try await connection.stream("log").lines() { print(line) }
  ///
  /// - Parameters:
  ///   - accepted: the accepted statuses, 2xx by default. Any other status throws ``FaradayCore/StatusError``.
  ///   - limit: the longest line in bytes, 1 MiB by default. A longer one throws ``FaradayCore/BodyError`` with the reason
  ///     `.lineTooLong`.
  public func lines(accepting accepted: StatusSet = .successful, upTo limit: Int = 1 << 20) -> TextLines {
    TextLines(source: .response(self, accepting: accepted), limit: limit)
  }
}

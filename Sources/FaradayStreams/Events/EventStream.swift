internal import FaradayCore

/// An event stream as an async sequence of events: the result of `connection.events(…)` and `response.events(…)`.
///
///     for try await event in connection.events("prices") { print(event.type, event.data) }
///
/// Each iteration of a connection's stream sends the request and starts from the beginning; a response's stream can be iterated
/// once. The events are read on demand, with backpressure. Cancelling the task, leaving the loop or releasing the iterator
/// closes the connection.
///
/// Iterating throws ``EventStreamError``, ``FaradayCore/StatusError``, ``FaradayCore/TransportError``,
/// `CancellationError`, and the errors of middleware. After an error the sequence has ended.
public struct EventStream: AsyncSequence, Sendable {
  public typealias Element = ServerSentEvent
  public typealias Failure = any Error

  /// The source of the events.
  enum Source: Sendable {
    /// A nil reconnection means the default for the request's method.
    case connection(Connection, Result<Request, any Error>, Reconnection?)
    case response(Response, StatusSet)
  }

  let source: Source
  let limits: EventStreamLimits

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, limits) }

  /// Iterates over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The source until it is inspected; nil afterwards, and when the stream has ended.
    private var source: Source?
    /// The connector that opens the stream; nil for a response, which cannot be reopened, and when the stream has ended.
    private var connector: EventStreamConnector?
    private var pieces: Body.AsyncIterator?
    private var parser: EventStreamParser
    private var hasEnded = false
    // The request for errors.
    private(set) var request: RequestSummary?
    private(set) var response: Response?

    fileprivate init(_ source: Source, _ limits: EventStreamLimits) {
      self.source = source
      parser = EventStreamParser(limits: limits)
    }

    /// Returns the next event; nil at the end of the stream.
    public mutating func next() async throws -> ServerSentEvent? {
      try await next(isolation: #isolation)
    }

    /// Returns the next event; nil at the end of the stream.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> ServerSentEvent? {
      guard !hasEnded else { return nil }
      do {
        while true {
          try Task.checkCancellation()
          if let event = try parser.next() {
            connector?.eventArrived()
            return event
          }
          guard try await advance(isolation: isolation) else {
            end()
            return nil
          }
        }
      } catch {
        end()
        throw (error as? EventStreamError)?.about(request, response) ?? error
      }
    }

    /// Ends the stream: releases the body, and with it the connection.
    mutating func end() {
      (source, connector, pieces) = (nil, nil, nil)
      parser = EventStreamParser()
      hasEnded = true
    }

    /// Takes one step: inspects the source, opens the stream, or reads its next piece. Returns whether the stream continues.
    private mutating func advance(isolation: isolated (any Actor)?) async throws -> Bool {
      if let source {
        self.source = nil
        return try await begin(source)
      }
      guard pieces != nil else {
        guard let response = try await connector?.open(after: parser.lastEventID, retry: parser.retry) else { return false }
        self.response = response
        pieces = response.body.makeAsyncIterator()
        return true
      }
      var interruption: (any Error)?
      do {
        if let piece = try await pieces?.next(isolation: isolation) {
          parser.append(piece)
          return true
        }
      } catch {
        interruption = error
      }
      pieces = nil
      return try await prepareReopening(after: interruption)
    }

    private mutating func begin(_ source: Source) async throws -> Bool {
      switch source {
      case .response(let response, let accepted):
        self.response = response
        try await response.check(accepted)
        guard response.status != .noContent else { return false }
        try response.checkIsEventStream()
        pieces = response.body.makeAsyncIterator()
      case .connection(let connection, let request, let reconnection):
        let request = try request.get()
        self.request = RequestSummary(request)
        parser = EventStreamParser(limits: parser.limits, lastEventID: request.headers[.lastEventID] ?? "")
        connector = try EventStreamConnector(connection, request, reconnection)
      }
      return true
    }

    /// Waits for the time to reconnect after the last delivered event. Returns whether the stream continues.
    private mutating func prepareReopening(after error: (any Error)?) async throws -> Bool {
      guard connector != nil else {
        if let error { throw error }
        return false
      }
      guard try await connector?.waits(after: error, retry: parser.retry, lastEventID: parser.lastEventID) == true else {
        return false
      }
      parser.restart()
      return true
    }
  }
}

extension Response {
  func checkIsEventStream() throws(EventStreamError) {
    guard headers.contentType == MediaType("text", "event-stream") else {
      throw EventStreamError(.contentType(headers[.contentType]), response: self)
    }
  }
}

internal import FaradayCore

/// An event stream as an async sequence of events: what `connection.events(…)` and `response.events(…)` return.
///
///     for try await event in connection.events("prices") { print(event.type, event.data) }
///
/// Each iteration of a connection's stream sends the request and begins anew; that of a response can be iterated once. The events
/// are read as they are asked for, with backpressure. Cancelling the task, leaving the loop or releasing the iterator closes the
/// connection.
///
/// Iterating throws ``EventStreamError``, ``FaradayCore/UnexpectedStatus``, ``FaradayCore/TransportError``, `CancellationError`,
/// and what a middleware throws. After an error it has ended.
public struct EventStream: AsyncSequence, Sendable {
  public typealias Element = ServerSentEvent
  public typealias Failure = any Error

  /// Where the events come from.
  enum Source: Sendable {
    /// The reconnection is nil for the default of the request's method.
    case connection(Connection, Result<Request, any Error>, Reconnection?)
    case response(Response)
  }

  let source: Source
  let limits: EventStreamLimits

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, limits) }

  /// Iterates over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// Nil when it has been looked at, or the stream has ended.
    private var source: Source?
    /// Opens the stream; nil for a response, which nobody can open again, and when the stream has ended.
    private var connector: EventStreamConnector?
    private var pieces: Body.AsyncIterator?
    private var parser: EventStreamParser
    private var hasEnded = false
    // What errors are about.
    private(set) var request: RequestSummary?
    private(set) var response: Response?

    fileprivate init(_ source: Source, _ limits: EventStreamLimits) {
      self.source = source
      parser = EventStreamParser(limits: limits)
    }

    /// The next event; nil at the end of the stream.
    public mutating func next() async throws -> ServerSentEvent? {
      try await next(isolation: #isolation)
    }

    /// The next event; nil at the end of the stream.
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

    /// Takes one step: looks at the source, opens the stream, or reads its next piece. Returns whether it goes on.
    private mutating func advance(isolation: isolated (any Actor)?) async throws -> Bool {
      if let source {
        self.source = nil
        return try begin(source)
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

    private mutating func begin(_ source: Source) throws -> Bool {
      switch source {
      case .response(let response):
        self.response = response
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

    /// Waits for the time to connect again, if the stream is to go on: behind the last event that was delivered.
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

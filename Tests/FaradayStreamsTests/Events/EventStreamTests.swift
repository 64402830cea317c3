import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Reconnections, over a mock.
@Suite struct EventStreamTests {
  private let mock = MockAdapter()
  private let clock = ManualClock()

  private func connection(_ middleware: any Middleware...) throws -> Connection {
    try Connection("http://ada:pw@host/", adapter: mock, middleware: middleware)
  }

  /// Full jitter of one half, unless a test differs.
  private func automatic(limit: Int = 3, random: Double = 0.5) -> EventStream.Reconnection {
    var reconnection = EventStream.Reconnection.automatic(limit: limit, clock: InstantClock(clock))
    reconnection.random = { random }
    return reconnection
  }

  private func events(
    _ reconnection: EventStream.Reconnection? = nil, _ middleware: any Middleware...
  ) async throws -> (elements: [ServerSentEvent], error: (any Error)?) {
    let connection = try Connection("http://ada:pw@host/", adapter: mock, middleware: middleware)
    return await all(connection.events("stream?token=hidden", reconnects: reconnection ?? automatic()))
  }

  // MARK: Failures

  @Test(arguments: [400, 401, 404, 408, 410, 301, 201, 206])
  func `a status that is neither 200 nor transient is an error at once`(code: Int) async throws {
    mock.status(code)
    let (elements, error) = try await events()
    #expect(elements.isEmpty && (error as? StatusError)?.status.code == code && clock.slept.isEmpty)
    #expect(mock.recorded.count == 1)
  }

  @Test(arguments: [429, 500, 501, 503, 599])
  func `a transient status is retried up to the limit`(code: Int) async throws {
    mock.status(code, times: 3)
    mock.stream("data: 1\n\n")
    mock.status(code, times: 4)
    let (elements, error) = try await events()
    #expect(elements.map(\.data) == ["1"] && (error as? StatusError)?.status.code == code)
    #expect(mock.recorded.count == 8)
  }

  @Test func `the body of a failed attempt is discarded before the next one`() async throws {
    let reads = Log<Int>()
    mock.stub(
      times: 1,
      respond: { request in
        let pieces = AsyncStream<Data>(unfolding: {
          reads.append(1)
          return nil
        })
        return Response(status: .serviceUnavailable, body: .stream(pieces), url: request.url)
      })
    mock.status(204)
    let (elements, error) = try await events()
    #expect(elements.isEmpty && error == nil && mock.recorded.count == 2)
    #expect(reads.elements.count == 1)
  }

  @Test func `a failed connection is retried up to the limit, and other errors are thrown`() async throws {
    mock.fail(.connectionFailed, times: 3)
    mock.stream("data: 1\n\n", breaking: .receiveFailed)
    mock.fail(.tlsVerificationFailed)
    let (elements, error) = try await events()
    #expect(elements.map(\.data) == ["1"] && (error as? TransportError)?.code == .tlsVerificationFailed)
    mock.fail(.nameNotFound, times: 9)
    #expect((try await events(automatic(limit: 2)).error as? TransportError)?.code == .nameNotFound)
    #expect(mock.recorded.count == 5 + 3)
    #expect((try await events(automatic(limit: 0)).error as? TransportError)?.code == .nameNotFound)
    #expect((try await events(automatic(limit: -1)).error as? TransportError)?.code == .nameNotFound)
    #expect(mock.recorded.count == 5 + 3 + 2)
  }

  @Test func `a stream that fails with a permanent error throws it after its events`() async throws {
    mock.stream("data: 1\n\ndata: 2", breaking: .malformedResponse)
    let (elements, error) = try await events()
    #expect(elements.map(\.data) == ["1"] && (error as? TransportError)?.code == .malformedResponse)
    #expect(mock.recorded.count == 1)
  }

  @Test(arguments: [TransportError.Code.decompressionLimit, .decompressionFailed])
  func `a decoding error of the content coding is thrown unless events were received`(code: TransportError.Code) async throws {
    mock.stream("data: 1\n\n", breaking: code)
    mock.stream(": nothing\n", breaking: code)
    let (elements, error) = try await events()
    #expect(elements.map(\.data) == ["1"] && (error as? TransportError)?.code == code && mock.recorded.count == 2)
  }

  @Test func `another content type is an error, also after a reconnection`() async throws {
    mock.stream("data: 1\n\n")
    mock.stub(times: 1) { Response(status: .ok, headers: [.contentType: "text/html\u{1B}[31m"], body: "<html>", url: $0.url) }
    let (elements, error) = try await events()
    let wrong = try #require(error as? EventStreamError)
    #expect(elements.count == 1 && wrong.response?.status == .ok && mock.recorded.count == 2)
    #expect(try await wrong.response?.body.utf8Text() == "<html>")
    #expect(
      "\(wrong)".hasPrefix("GET http://host/stream?token=[secret]: the response is not an event stream")
        && !"\(wrong)".contains("\u{1B}"))
    #expect(!wrong.isTransient && wrong.request?.method == .get)
    #expect(!Shown.all(wrong).contains("hidden") && !Shown.all(wrong).contains("pw"))
  }

  @Test func `a line over the limit is an error with its request, and ends the stream`() async throws {
    mock.stream("data: 1\n\n", "data: 1234567890\n\n", "data: 2\n\n")
    let stream = try connection().events("stream?token=hidden", limits: EventStreamLimits(line: 10))
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.data == "1")
    let error = await #expect(throws: EventStreamError.self) { try await iterator.next() }
    #expect(error?.reason == .lineTooLong(limit: 10))
    #expect("\(try #require(error))".hasPrefix("GET http://host/stream?token=[secret]: a line of the event stream"))
    #expect(try await iterator.next() == nil)
    #expect(mock.recorded.count == 1)
  }

  @Test func `a missing path variable and a chunk callback are errors, and nothing is sent`() async throws {
    #expect((await all(try connection().events("{id}", variables: [:])).error as? InvalidValueError)?.isPath == true)
    let error = await all(try connection().events("x", edit: { $0.options.onChunk = { _ in .continue } })).error
    #expect((error as? TransportError)?.code == .invalidOption)
    let body = Body.stream(Pieces("once"))
    let once = await all(try connection().events("x", method: .post, body: body, reconnects: .automatic)).error
    #expect((once as? TransportError)?.code == .bodyNotReplayable)
    #expect(mock.recorded.isEmpty)
  }

  @Test func `a status error of a middleware counts as the status`() async throws {
    mock.status(503)
    mock.stream("data: 1\n\n")
    mock.status(404)
    let (elements, error) = try await events(nil, .statusValidation)
    #expect(elements.map(\.data) == ["1"] && (error as? StatusError)?.status == .notFound)
    #expect(mock.recorded.count == 3)
  }

  // MARK: Ends

  @Test func `a 204 ends the stream, at first and later`() async throws {
    mock.status(204)
    var outcome = try await events()
    #expect(outcome.elements.isEmpty && outcome.error == nil && mock.recorded.count == 1)
    mock.stream("data: 1\n\n")
    mock.status(204)
    outcome = try await events()
    #expect(outcome.elements.map(\.data) == ["1"] && outcome.error == nil && mock.recorded.count == 3)
  }

  @Test func `without reconnections a complete stream ends, and a truncated one throws`() async throws {
    mock.stream("data: 1\n\ndata: 2")
    var outcome = try await events(.never)
    #expect(outcome.elements.map(\.data) == ["1"] && outcome.error == nil)
    mock.stream("data: 1\n\n", breaking: .truncatedResponse)
    outcome = try await events(.never)
    #expect(outcome.elements.map(\.data) == ["1"] && (outcome.error as? TransportError)?.code == .truncatedResponse)
    mock.status(503)
    #expect((try await events(.never).error as? StatusError)?.status == .serviceUnavailable)
    #expect(mock.recorded.count == 3)
  }

  @Test func `a non-idempotent method is sent once unless requested`() async throws {
    mock.stream("data: 1\n\n")
    #expect(await all(try connection().events("x", method: .post, body: "ask")).elements.map(\.data) == ["1"])
    #expect(mock.recorded.count == 1 && mock.recorded[0].request.method == .post && mock.recorded[0].body == Data("ask".utf8))
    mock.stream("id: 4\ndata: 1\n\n")
    mock.status(204)
    _ = await all(try connection().events("x", method: .post, body: "ask", reconnects: automatic()))
    #expect(mock.recorded.map(\.body) == Array(repeating: Data("ask".utf8), count: 3) && mock.lastEventIDs == [nil, nil, "4"])
  }

  // MARK: where it goes on

  @Test func `the stream resumes after the last complete event, with the ID of one without data`() async throws {
    mock.stream("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: lost", breaking: .connectionClosed)
    mock.stream("id: 3\n\nid: 4\n")
    mock.stream(": nothing", breaking: .idleTimeout)
    mock.stream("id\ndata: reset\n\n")
    mock.stream("data: c\n\n")
    mock.status(204)
    let (elements, error) = try await events()
    #expect(error == nil && elements.map(\.data) == ["a", "b", "reset", "c"] && elements.map(\.id) == ["1", "2", "", ""])
    #expect(mock.lastEventIDs == [nil, "2", "3", "3", nil, nil])
  }

  @Test func `a given last event ID is sent, and each iteration starts with it`() async throws {
    for _ in 0..<2 {
      mock.stream("data: a\n\n")
      mock.status(204)
    }
    let stream = try connection().events("x", headers: ["Last-Event-ID": "41"], reconnects: automatic())
    for _ in 0..<2 { #expect(await all(stream).elements == [ServerSentEvent(data: "a", id: "41")]) }
    #expect(mock.lastEventIDs == ["41", "41", "41", "41"])
  }

  @Test func `the request has the headers of event streams unless set, and no total timeout`() async throws {
    mock.status(204, times: 3)
    var connection = try connection()
    connection.defaults.timeouts.total = .seconds(5)
    connection.defaults.timeouts.totalExcludingQueue = .seconds(5)
    _ = await all(connection.events("x", query: ["a": 1]))
    _ = await all(
      connection.events("x", headers: ["Accept": "a/b", "Cache-Control": "no-store"]) { $0.options.timeouts.total = .seconds(9) })
    connection.headers = [.accept: "c/d"]
    _ = await all(connection.events("x") { $0.options.delivery = .buffered })
    let sent = mock.recorded.map(\.request)
    #expect(sent.map { $0.headers[.accept] } == ["text/event-stream", "a/b", "c/d"])
    #expect(sent.map { $0.headers[.cacheControl] } == ["no-cache", "no-store", "no-cache"])
    #expect(sent.map(\.options.timeouts.total) == [nil, .seconds(9), nil] && sent[0].options.timeouts.totalExcludingQueue == nil)
    #expect(sent.allSatisfy { $0.options.delivery == .streamed } && sent[0].url.query() == "a=1")
    #expect(sent[0].options.timeouts.idle == .seconds(60))
  }

  // MARK: Hooks and cancellation

  @Test func `the hook is called before each delay`() async throws {
    mock.fail(.connectionFailed)
    mock.stream("id: 5\ndata: 1\n\n")
    mock.stream("", breaking: .idleTimeout)
    mock.status(204)
    let told = Log<EventStream.Interruption>()
    var reconnection = automatic(random: 1)
    reconnection.onReconnect = { told.append($0) }
    _ = try await events(reconnection)
    #expect(told.elements.map { ($0.error as? TransportError)?.code } == [.connectionFailed, nil, .idleTimeout])
    #expect(told.elements.map(\.delay) == clock.slept && told.elements.map(\.lastEventID) == ["", "5", "5"])
    #expect(told.elements.map(\.reconnections) == [0, 0, 1])
  }

  @Test func `a task cancelled during a delay ends at once and sends nothing more`() async throws {
    mock.stream("data: 1\n\n")
    let stream = try connection().events("x", reconnects: .automatic(clock: clock))
    let task = Task { await all(stream) }
    await clock.sleepers(1)
    task.cancel()
    let (elements, error) = await task.value
    #expect(elements.count == 1 && error is CancellationError && mock.recorded.count == 1)
  }

  @Test func `a cancelled task gets no events that have already arrived`() async throws {
    mock.stream("data: 1\n\ndata: 2\n\n")
    let stream = try connection().events("x")
    let task = Task {
      var iterator = stream.makeAsyncIterator()
      #expect(try await iterator.next()?.data == "1")
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await iterator.next() }
      return try await iterator.next()
    }
    #expect(try await task.value == nil)
  }

  @Test func `an iteration inherits nothing from the previous one`() async throws {
    mock.stream("id: 1\ndata: 1\n\n")
    mock.stream("data: 2\n\n")
    let stream = try connection().events("x", reconnects: .never)
    #expect(await all(stream).elements.map(\.id) == ["1"])
    #expect(await all(stream).elements.map(\.id) == [""])
    #expect(mock.lastEventIDs == [nil, nil])
  }
}

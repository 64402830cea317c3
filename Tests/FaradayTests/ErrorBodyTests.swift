import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Error bodies of an API in streamed responses.
@Suite struct ErrorBodyTests {
  private static let problem = #"{"error":{"message":"no such price"}}"#

  private let mock = MockAdapter()

  private func message(_ error: StatusError?) -> String? { error?.errorJSON?["error"]?["message"]?.string }

  @Test(arguments: TestedAdapter.allCases)
  func `errors of event streams, lines and streamed typed calls have the body as JSON`(tested: TestedAdapter)
    async throws
  {
    let server = try MockServer { _ in .text(Self.problem, type: .json, status: .notFound) }
    let connection = try Connection(server.url, adapter: tested.adapter)
    let events = await #expect(throws: StatusError.self) { for try await _ in connection.events("/") {} }
    let lines = await #expect(throws: StatusError.self) {
      for try await _ in connection.elements("/", as: Int.self, framing: .lines) {}
    }
    let typed = await #expect(throws: StatusError.self) {
      var streaming = connection
      streaming.defaults.delivery = .streamed
      _ = try await streaming.perform(TypedRequest(baseURL: server.url, receiving: .response))
    }
    let expected = await #expect(throws: StatusError.self) {
      var strict = connection
      strict.use(.statusValidation)
      _ = try await strict.get("/") { $0.options.delivery = .streamed }
    }
    for error in [events, lines, typed, expected] {
      #expect(message(error) == "no such price" && error?.isBodyCut == false)
    }
  }

  private func error(_ body: Body) throws -> StatusError {
    let request = try Request("http://host/")
    return StatusError(Response(status: .badRequest, body: body, url: request.url), to: request)
  }

  private func stream(_ pieces: [String], failing error: (any Error)? = nil) -> Body {
    .stream(
      AsyncThrowingStream {
        for piece in pieces { $0.yield(Data(piece.utf8)) }
        $0.finish(throwing: error)
      })
  }

  @Test func `collecting reads a streamed body once, and keeps a body in memory`() async throws {
    let streamed = try error(stream([Self.problem.prefix(10), Self.problem.dropFirst(10)].map(String.init)))
    #expect(streamed.errorJSON == nil)
    let collected = try await streamed.collected()
    #expect(message(collected) == "no such price" && !collected.isBodyCut && collected.description == streamed.description)
    #expect(try await collected.collected().response.text() == Self.problem)
    let buffered = try error(.text(Self.problem))
    #expect(try await message(buffered.collected(upTo: 1)) == "no such price")
  }

  @Test func `collecting keeps at most the limit`() async throws {
    for (limit, kept) in [(4, "aaab"), (0, ""), (-1, ""), (5, "aaabb"), (6, "aaabbb")] {
      let collected = try await error(stream(["aaa", "bbb"])).collected(upTo: limit)
      #expect(try await collected.response.text() == kept)
      #expect(collected.isBodyCut == (limit < 6) && collected.errorJSON == nil)
    }
  }

  @Test func `an error body that fails is cut off and does not replace the error`() async throws {
    let broken = TransportError(
      .receiveFailed, phase: .receiving, method: .get, url: try #require(URL(string: "http://host/")), message: "broken")
    let collected = try await error(stream(["{"], failing: broken)).collected()
    #expect(collected.isBodyCut && collected.errorJSON == nil)
    #expect(try await collected.response.text() == "{")
    struct Own: Error {}
    let failed = try await error(stream(["{"], failing: Own())).collected()
    #expect(failed.isBodyCut && failed.status == .badRequest)
  }

  @Test func `a deadline of the body cuts it off and does not replace the status`() async throws {
    let late = TimeoutError(.notCompleted, limit: .seconds(1))
    let collected = try await error(stream(["{"], failing: late)).collected()
    #expect(collected.isBodyCut && collected.status == .badRequest)
    #expect(try await collected.response.text() == "{")
    let response = Response(
      status: .badRequest, body: stream(["{"], failing: late), url: try #require(URL(string: "http://host/")))
    #expect(await #expect(throws: StatusError.self) { try await response.json() }?.isBodyCut == true)
  }

  @Test func `an endless error body is cut off at the timeout`() async throws {
    let clock = ManualClock()
    let (pieces, source) = AsyncThrowingStream.makeStream(of: Data.self)
    source.yield(Data("{".utf8))
    let endless = try error(.stream(pieces))
    async let collecting = endless.collected(within: .seconds(3), clock: clock)
    await clock.sleepers(1)
    #expect(clock.slept == [.seconds(3)])
    clock.advance(by: .seconds(3))
    let collected = try await collecting
    #expect(collected.isBodyCut)
    withExtendedLifetime(source) {}
  }

  @Test func `a cancelled task collects nothing`() async throws {
    let (pieces, source) = AsyncThrowingStream.makeStream(of: Data.self)
    let endless = try error(.stream(pieces))
    let clock = ManualClock()
    let task = Task { try await endless.collected(clock: clock) }
    await clock.sleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(source) {}
  }

  @Test func `an event stream that ends after its retries has the body of the last response`() async throws {
    for number in 1...3 {
      mock.stub(times: 1) {
        Response(
          status: .serviceUnavailable, headers: [.contentType: "application/json"],
          body: stream([#"{"error":{"message":"\#(number)"}}"#]), url: $0.url)
      }
    }
    let connection = try Connection("http://host/", adapter: mock)
    let policy = EventStream.Reconnection.automatic(limit: 2, clock: InstantClock(ManualClock()))
    let error = await #expect(throws: StatusError.self) {
      for try await _ in connection.events("x", reconnects: policy) {}
    }
    #expect(message(error) == "3")
  }

  @Test func `the streamed body of an unexpected success is not truncated`() async throws {
    let text = String(repeating: "x", count: 200_000)
    let server = try MockServer(.text(text, status: .nonAuthoritativeInformation))
    var connection = try Connection(server.url, adapter: TestedAdapter.curl.adapter)
    connection.use(.statusValidation([200]))
    let strict = connection
    let error = await #expect(throws: StatusError.self) {
      _ = try await strict.get("/") { $0.options.delivery = .streamed }
    }
    #expect(error?.isBodyCut == false)
    #expect(try await error?.response.body.collect(upTo: 1 << 20).count == 200_000)
  }
}

import Faraday
import FaradayCurl
import FaradayTesting
import Foundation
import TestSupport
import Testing

private func delta(_ text: String) -> String { #"{"choices": [{"delta": {"content": "\#(text)"}}]}"# }

/// Runs the examples of the article "ChatAPIs".
@Suite struct ChatExampleTests {
  private static let finished = #"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#

  // MARK: the blocks of the article

  @Test func `an answer arrives in pieces`() async throws {
    let mock = MockAdapter(.events([delta("Ray"), delta("leigh"), Self.finished, "[DONE]"]))
    let chat = try Chat("https://chat.example/", key: "secret", over: mock)
    #expect(try await chat.answer("Why is the sky blue?").reduce("", +) == "Rayleigh")
    #expect(mock.recorded.map(\.line) == ["POST /v1/chat/completions"])
    #expect(mock.recorded[0].headers[.accept] == "text/event-stream")
    #expect(mock.recorded[0].headers[.authorization] == "Bearer secret")
  }

  @Test func `a full server is asked again after its Retry-After`() async throws {
    let clock = ManualClock()
    let mock = MockAdapter(
      .json(["error": ["message": "slow down"]], status: .tooManyRequests, headers: [.retryAfter: "7"]),
      .events([delta("Rayleigh"), "[DONE]"]))
    let chat = try Chat("https://chat.example/", key: "secret", over: mock, clock: InstantClock(clock))
    #expect(await ChatExamples.ask(chat) == "Rayleigh")
    #expect(mock.recorded.count == 2 && clock.slept[0] >= .seconds(7))
  }

  @Test func `an answer that breaks off is not asked for again`() async throws {
    let server = try MockServer(.events([delta("Ray"), delta("leigh"), "[DONE]"]).cut(after: 60))
    let chat = try Chat(server.url + "/", key: "secret", over: CurlAdapter())
    #expect(await ChatExamples.ask(chat) == "Ray … broken off")
    #expect(server.recorded.count == 1)
  }

  // MARK: what the article says besides

  /// The body before the stream, an error in the stream, the end before the last event, and an answer that is no event stream.
  private static let failures: [(response: Response, answer: String)] = [
    (
      .json(["error": ["message": "no such model"]], status: .notFound),
      "refused with 404 Not Found: no such model"
    ),
    (.text("nginx", status: .badGateway), "refused with 502 Bad Gateway: no message"),
    (.events([delta("Ray"), #"{"error": {"message": "overloaded"}}"#, "[DONE]"]), "Ray … failed: overloaded"),
    (.events([delta("Ray")]), "Ray … ended early"),
  ]

  @Test(arguments: failures.indices) func `each failure of an answer has its error`(index: Int) async throws {
    let (response, answer) = Self.failures[index]
    let mock = MockAdapter { _ in response }
    let chat = try Chat("https://chat.example/", key: "secret", over: mock)
    #expect(await ChatExamples.ask(chat) == answer)
    #expect(mock.recorded.count == 1)
  }

  @Test func `retries end, and the error has the server's message`() async throws {
    let mock = MockAdapter { _ in .json(["error": ["message": "slow down"]], status: .tooManyRequests) }
    let chat = try Chat("https://chat.example/", key: "secret", over: mock, clock: InstantClock(ManualClock()))
    #expect(await ChatExamples.ask(chat) == "refused with 429 Too Many Requests: slow down")
    #expect(mock.recorded.count == 5)
    #expect(mock.recorded.allSatisfy { $0.headers[.idempotencyKey] == nil })
  }

  @Test func `a cancelled answer ends, and its connection is closed`() async throws {
    let server = try MockServer(.events([delta("Ray")]).stalled(after: 52))
    let chat = try Chat(server.url + "/", key: "secret", over: CurlAdapter())
    let (started, continuation) = AsyncStream<String>.makeStream()
    let reader = Task {
      for try await text in chat.answer("?") { continuation.yield(text) }
    }
    for await text in started {
      #expect(text == "Ray")
      break
    }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(await ChatExamples.cancel(try Chat("https://chat.example/", key: "secret", over: MockAdapter())) == nil)
  }

  @Test func `a chat has no total timeout, and its own idle timeout`() async throws {
    let mock = MockAdapter(.events(["[DONE]"]))
    #expect(await ChatExamples.ask(try Chat("https://chat.example/", key: "secret", over: mock)) == "")
    let timeouts = mock.recorded[0].request.options.timeouts
    #expect(timeouts.total == nil && timeouts.idle == .seconds(120))
  }

  @Test func `named events are told apart by their types`() async throws {
    func stream(_ last: String) -> Response {
      let delta = "event: delta\ndata: {\"text\": \"Ray\"}\n\n"
      return .pieces([delta, "event: ping\ndata: {}\n\n", last], type: MediaType("text", "event-stream"))
    }
    let mock = MockAdapter(
      stream("event: stop\ndata: {}\n\n"), stream("event: error\ndata: {\"message\": \"overloaded\"}\n\n"), stream(""))
    let api = try Connection("https://chat.example/", adapter: mock, middleware: .standard)
    #expect(try await ChatExamples.named(api, ["question"]) == "Ray")
    await #expect(throws: Chat.Problem(message: "overloaded")) { try await ChatExamples.named(api, ["question"]) }
    #expect(try await ChatExamples.named(api, ["question"]) == "Ray …")
  }
}

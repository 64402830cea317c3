import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct DecodedEventsTests {
  private struct Token: Decodable, Equatable {
    let text: String
  }

  private let mock = MockAdapter()

  private func connection() throws -> Connection { try Connection("http://host/", adapter: mock) }

  private func tokens(until sentinel: String? = "[DONE]") async throws -> (elements: [Token], error: (any Error)?) {
    await all(try connection().events("chat?token=hidden", as: Token.self, method: .post, body: "ask", until: sentinel))
  }

  @Test func `an event that cannot be decoded is an error with its position, and ends the stream`() async throws {
    mock.stream(#"data: {"text": "a"}"# + "\n\n" + #"data: {"text": 1}"# + "\n\n" + #"data: {"text": "b"}"# + "\n\n")
    var iterator = try connection().events("chat?token=hidden", as: Token.self).makeAsyncIterator()
    #expect(try await iterator.next() == Token(text: "a"))
    let error = try #require(await #expect(throws: BodyDecodingError.self) { try await iterator.next() })
    #expect(error.path == "text" && error.index == 1 && error.type == "Token" && !error.isTruncated)
    #expect(error.data == Data(#"{"text": 1}"#.utf8) && error.underlying is DecodingError)
    #expect(
      "\(error)"
        == "GET http://host/chat?token=[secret]: cannot decode Token from element 1 of the stream: `text` is not of type String")
    #expect(!Shown.all(error).contains("hidden"))
    #expect(try await iterator.next() == nil)
  }

  @Test func `a stream that ends before its sentinel is truncated`() async throws {
    mock.stream(#"data: {"text": "a"}"# + "\n\ndata: [DONE]\n")
    let (elements, error) = try await tokens()
    #expect(elements == [Token(text: "a")] && (error as? EventStreamError)?.reason == .endedEarly)
    #expect("\(try #require(error))".hasPrefix("POST http://host/chat?token=[secret]: "))
    mock.stream("data: [DONE] \n\n")
    #expect(try await tokens().error is BodyDecodingError)
  }

  @Test func `a sentinel ends the stream, and later bytes are not read`() async throws {
    mock.stream(
      #"data: {"text": "a"}"# + "\n\n", #"data: {"text": "b"}"# + "\n\ndata: [DONE]\n\n", "data: x\n\n", breaking: .receiveFailed)
    let (elements, error) = try await tokens()
    #expect(elements == [Token(text: "a"), Token(text: "b")] && error == nil)
    mock.stream("data: [DONE]\n\n")
    var iterator = try connection().events("chat", as: Token.self, until: "[DONE]").makeAsyncIterator()
    for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    #expect(mock.recorded.count == 2)
  }

  @Test func `without a sentinel the values end with the stream`() async throws {
    mock.stream(#"data: {"text": "a"}"# + "\n\n")
    let (elements, error) = try await tokens(until: nil)
    #expect(elements == [Token(text: "a")] && error == nil)
  }

  @Test func `the values of a response are decoded by a custom decoder and as untyped JSON`() async throws {
    struct Named: Decodable {
      let firstName: String
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    mock.stream(#"data: {"first_name":"# + "\n" + #"data: "Ada"}"# + "\n\n")
    let response = try await connection().get("x") { $0.options.delivery = .streamed }
    #expect(await all(response.events(as: Named.self, decoder: decoder)).elements.map(\.firstName) == ["Ada"])
    mock.stream("data: 1e2\n\ndata: [\"x\"]\n\n")
    let untyped = try await connection().get("x") { $0.options.delivery = .streamed }
    #expect(await all(untyped.events(as: JSONValue.self)).elements.map(\.description) == ["1e2", #"["x"]"#])
  }

  @Test func `the events of a response end with it, throw if it is truncated, and can be read once`() async throws {
    mock.stream("data: 1\n\n", breaking: .truncatedResponse)
    let response = try await connection().get("x") { $0.options.delivery = .streamed }
    let (elements, error) = await all(response.events())
    #expect(elements.map(\.data) == ["1"] && (error as? TransportError)?.code == .truncatedResponse)
    #expect(mock.recorded.count == 1)
    let none = Response(status: .noContent, url: response.url)
    #expect(await all(none.events()).error == nil)
  }
}

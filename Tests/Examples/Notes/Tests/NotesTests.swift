import ExampleNotes
import Faraday
import FaradayCurl
import FaradaySwiftTesting
import FaradayTesting
import Testing

@Suite struct NotesTests {
  @Test func `a note is saved (mock)`() async throws {
    let mock = MockAdapter { _ in .json(["json": ["text": "milk"]]) }
    let notes = try Notes("https://notes.example/", over: mock)
    #expect(try await notes.save(.init(text: "milk")) == .init(text: "milk"))
    #expect(mock.recorded.map(\.line) == ["PUT /anything/note"])
    #expect(mock.recorded[0].text == #"{"text":"milk"}"#)
  }

  @Test func `a busy service is asked again (server)`() async throws {
    let server = try MockServer(
      .status(.serviceUnavailable, headers: [.retryAfter: "0"]),
      .json(["json": ["text": "milk"]]).cut(after: 3),
      .json(["json": ["text": "milk"]]))
    let notes = try Notes(server.url + "/", over: CurlAdapter())
    #expect(try await notes.save(.init(text: "milk")).text == "milk")
    #expect(server.recorded.count == 3)
    try server.verify()
  }

  @Test(.cassette("notes", over: CurlAdapter())) func `a note is saved (cassette)`() async throws {
    let notes = try Notes("http://127.0.0.1:8099/", over: Cassette.current)
    #expect(try await notes.save(.init(text: "milk")).text == "milk")
    #expect(try await notes.rules() == "User-agent: *")
  }
}

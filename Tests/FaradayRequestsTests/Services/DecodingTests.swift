import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

extension ResponseDecoder<[String]> {
  /// A decoder of one's own.
  fileprivate static var words: Self {
    ResponseDecoder(accepting: "text/words") { response in
      let text = try await response.body.utf8Text()
      guard !text.contains("!") else { throw Failed(name: "not a word") }
      return text.split(separator: " ").map(String.init)
    }
  }
}

@Suite struct DecodingTests {
  @Test(arguments: TestedAdapter.allCases)
  func `an error that a custom decoder throws is the underlying error of an error that names the request`(tested: TestedAdapter)
    async throws
  {
    let server = try LocalServer()
    let resource = Example(server, tested).echo().data(Data("no words!".utf8))
    let error = await #expect(throws: BodyDecodingError.self) { try await resource.load(.words) }
    #expect(error?.underlying as? Failed == Failed(name: "not a word"))
    #expect(
      error?.description.hasPrefix(
        "POST \(server.url)/echo: cannot decode Array<String> from the 200 response (text/plain; charset=utf-8): ") == true)
    let noText = await #expect(throws: BodyDecodingError.self) {
      try await Example(server, tested).server.put("echo").data(Data([0xFF])).load(.text)
    }
    #expect(noText?.underlying as? BodyError == BodyError(.undecodableText(charset: "utf-8")) && noText?.method == .put)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a response with an unexpected status is not decoded`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    await #expect(throws: StatusError.self) { try await Example(server, tested).server.get("status/404").load(.text) }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a decoder works with await, a promise and callbacks`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let resource = example.echo().data(Data("a few words".utf8))
    #expect(try await resource.load(.text) == "a few words")
    #expect(try await resource.load(.words) == ["a", "few", "words"])
    let promise: Promise<[String]> = resource.promise { try await $0.load(.words) }
    #expect(try await promise.value == ["a", "few", "words"])
    let outcomes = Log<String>()
    let note = { @Sendable (words: [String]) in outcomes.append(words.joined(separator: ",")) }
    let fail = { @Sendable (error: any Error) in outcomes.append("\(type(of: error))") }
    _ = try await resource.load(.words, onSuccess: note, onFailure: fail).value
    let failing: Promise<[String]> = example.server.get("status/404").load(.words, onSuccess: note, onFailure: fail)
    await #expect(throws: StatusError.self) { try await failing.value }
    #expect(outcomes.elements == ["a,few,words", "StatusError"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a decoder's Accept is sent unless the resource has one`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let accept = ResponseDecoder(accepting: "text/mine") { try await $0.decode(Inspected.self).values("Accept") }
    let resource = Example(server, tested).inspect()
    #expect(try await resource.load(accept) == ["text/mine"])
    #expect(try await resource.header("Accept", "text/other").load(accept) == ["text/other"])
  }
  @Test func `a connection's Accept is kept`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = Connection(headers: ["Accept": "text/other"], adapter: mock)
    let resource = Example("https://host", ServiceNetwork(connection)).server.get("a")
    _ = try? await resource.load(.words)
    #expect(mock.recorded.map { $0.request.headers[.accept] } == ["text/other"])
  }
}

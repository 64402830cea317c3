import Faraday
import FaradayServices
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

extension ResponseDecoder<[String]> {
  /// A decoder of one's own.
  fileprivate static var words: Self {
    ResponseDecoder(accepting: "text/words") { response in
      let text = try await response.body.text()
      guard !text.contains("!") else { throw Failed(name: "not a word") }
      return text.split(separator: " ").map(String.init)
    }
  }
}

@Suite struct DecodingTests {
  @Test(arguments: TestedAdapter.allCases)
  func `what a decoder throws is the reason of an error that names the request`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).echo().data(Data("no words!".utf8))
    let error = await #expect(throws: UndecodableBody.self) { try await resource.load(.words) }
    #expect(error?.underlying as? Failed == Failed(name: "not a word"))
    #expect(
      error?.description.hasPrefix(
        "POST \(server.url)/echo: cannot decode Array<String> from the 200 response (text/plain; charset=utf-8): ") == true)
    let noText = await #expect(throws: UndecodableBody.self) {
      try await Example(server, tested).server.put("echo").data(Data([0xFF])).load(.text)
    }
    #expect(noText?.underlying is UndecodableText && noText?.method == .put)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a failure is not decoded`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    await #expect(throws: UnexpectedStatus.self) { try await Example(server, tested).server.get("status/404").load(.text) }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a decoder makes the value, by waiting, as a promise, and through callbacks`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let resource = example.echo().data(Data("a few words".utf8))
    #expect(try await resource.load(.text) == "a few words")
    #expect(try await resource.load(.words) == ["a", "few", "words"])
    let promise: Promise<[String]> = resource.promise.load(.words)
    #expect(try await promise.value == ["a", "few", "words"])
    let outcomes = Log<String>()
    let note = { @Sendable (words: [String]) in outcomes.append(words.joined(separator: ",")) }
    let fail = { @Sendable (error: any Error) in outcomes.append("\(type(of: error))") }
    _ = try await resource.load(.words, onSuccess: note, onFailure: fail).value
    let failing: Promise<[String]> = example.server.get("status/404").load(.words, onSuccess: note, onFailure: fail)
    await #expect(throws: UnexpectedStatus.self) { try await failing.value }
    #expect(outcomes.elements == ["a,few,words", "UnexpectedStatus"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a decoder's type is asked for unless the resource asks for something`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let accept = ResponseDecoder(accepting: "text/mine") { try await $0.decode(Inspected.self).values("Accept") }
    let resource = Example(server, tested).inspect()
    #expect(try await resource.load(accept) == ["text/mine"])
    #expect(try await resource.header("Accept", "text/other").load(accept) == ["text/other"])
  }
}

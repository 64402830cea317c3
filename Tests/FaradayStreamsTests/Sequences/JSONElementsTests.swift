import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct JSONElementsTests {
  private struct Point: Decodable, Equatable {
    let x: Int
  }

  private let mock = MockAdapter()

  private func response(_ pieces: [String], error: (any Error)? = nil) throws -> Response {
    Response(status: .ok, body: .stream(Script(pieces, error: error)), url: try Request("http://host/").url)
  }

  private func response(_ text: String) throws -> Response { try response([text]) }

  // MARK: lines

  @Test func `a line that does not decode to the type is an error with its number`() async throws {
    let text = #"{"x":1}"# + "\n\n" + #"{"x":"secret"}"# + "\n" + #"{"x":3}"# + "\n"
    let (elements, error) = await all(try response(text).elements(as: Point.self))
    let wrong = try #require(error as? BodyDecodingError)
    #expect(elements == [Point(x: 1)] && wrong.index == 1 && wrong.path == "x" && wrong.request == nil && !wrong.isTruncated)
    #expect("\(wrong)" == "cannot decode Point from element 1 of the stream: `x` is not of type Int")
    // A mirror would show the data as numbers.
    #expect(!Shown.all(wrong).contains("secret") && Mirror(reflecting: wrong).children.isEmpty)
  }

  @Test func `invalid lines can be skipped, or end the sequence with the handler's error`() async throws {
    struct Enough: Error {}
    let text = #"{"x":1}"# + "\nno\n{}\n" + #"{"x":4}"#
    let seen = Log<Int?>()
    let (elements, error) = await all(try response(text).elements(as: Point.self) { seen.append($0.index) })
    #expect(elements == [Point(x: 1), Point(x: 4)] && error == nil && seen.elements == [1, 2])
    let ended = await all(try response(text).elements(as: Point.self) { _ in throw Enough() })
    #expect(ended.elements == [Point(x: 1)] && ended.error is Enough)
  }

  @Test func `a line over the limit is an error after the earlier lines, and ends the sequence`() async throws {
    var iterator = try response("1\n12345\n2\n").elements(as: Int.self, upTo: 4) { _ in }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: BodyError(.elementTooLarge(limit: 4))) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test(
    arguments: [
      ("", []), ("1", [1]), ("1\n", [1]), ("1\r\n2\r\n", [1, 2]), ("\n\r\n 1 \n\t\n 2", [1, 2]), ("\n", []), (" ", []),
    ] as [(String, [Int])]) func `lines end with LF or CRLF, the last one can lack it, and empty lines are skipped`(
      text: String, numbers: [Int]
    ) async throws
  {
    for pieces in [[text], text.unicodeScalars.map { String($0) }] {
      let (elements, error) = await all(try response(pieces).elements(as: Int.self))
      #expect(elements == numbers && error == nil)
    }
  }

  @Test func `a truncated body throws after its complete values`() async throws {
    struct Broken: Error {}
    let (elements, error) = await all(try response(["1\n2\n", "3"], error: Broken()).elements(as: Int.self))
    #expect(elements == [1, 2] && error is Broken)
  }

  // MARK: a JSON text sequence

  @Test(
    arguments: [
      ("\u{1E}1", 0, []), ("\u{1E}1\n\u{1E}2", 1, [1]), ("\u{1E}1\n\u{1E}tru\u{1E}3\n", 1, [1, 3]), ("\u{1E}-\u{1E}4\n", 0, [4]),
      ("\u{1E}[1\u{1E}5\n", 0, [5]), ("\u{1E}12\u{1E}\u{1E}6\n", 0, [6]),
    ] as [(String, Int, [Int])]) func `a truncated text is reported, and the next one is delivered`(
      text: String, index: Int, numbers: [Int]
    ) async throws
  {
    for pieces in [[text], text.unicodeScalars.map { String($0) }] {
      let seen = Log<BodyDecodingError>()
      let (elements, error) = await all(try response(pieces).elements(as: Int.self, framing: .sequence) { seen.append($0) })
      #expect(elements == numbers && error == nil && seen.elements.map(\.index) == [index])
      #expect(seen.elements.allSatisfy { $0.isTruncated && "\($0)".hasSuffix("it is truncated") })
      #expect(await all(try response(pieces).elements(as: Int.self, framing: .sequence)).error is BodyDecodingError)
    }
  }

  @Test(
    arguments: [
      ("", []), ("\u{1E}", []), ("\u{1E}\u{1E}\n\u{1E}", []), ("\u{1E}1\n\u{1E}2\n", [1, 2]),
      ("\u{1E}1 \u{1E}\u{1E}2\r\n", [1, 2]),
      ("\u{1E}\n 1\n\n", [1]), ("\u{1E}1\t", [1]),
    ] as [(String, [Int])]) func `texts start with a separator, and empty ones are skipped`(text: String, numbers: [Int])
    async throws
  {
    for pieces in [[text], text.unicodeScalars.map { String($0) }] {
      let (elements, error) = await all(try response(pieces).elements(as: Int.self, framing: .sequence))
      #expect(elements == numbers && error == nil)
    }
  }

  @Test func `a text can span lines, and objects, arrays and strings delimit themselves`() async throws {
    let text = "\u{1E}{\n\"x\":\n1}\u{1E}{\"x\": 2}\n"
    #expect(await all(try response(text).elements(as: Point.self, framing: .sequence)).elements == [Point(x: 1), Point(x: 2)])
    #expect(
      await all(try response("\u{1E}\"a\"\u{1E}\"b\"").elements(as: String.self, framing: .sequence)).elements == ["a", "b"])
    #expect(await all(try response("\u{1E}[]").elements(as: JSONValue.self, framing: .sequence)).elements == [.array([])])
  }

  @Test func `a complete but malformed text is not reported as truncated`() async throws {
    let error = await all(try response("\u{1E}{]\n").elements(as: Point.self, framing: .sequence)).error as? BodyDecodingError
    #expect(error?.isTruncated == false)
  }

  @Test func `a text over the limit is an error even if its end never comes`() async throws {
    for pieces in [["\u{1E}12345\n"], ["\u{1E}123", "456"], ["123456"]] {
      let (elements, error) = await all(try response(["\u{1E}1\n"] + pieces).elements(as: Int.self, framing: .sequence, upTo: 5))
      #expect(elements == (pieces == ["123456"] ? [] : [1]) && error as? BodyError == BodyError(.elementTooLarge(limit: 5)))
    }
  }

  @Test func `the content type determines the framing unless it is given`() async throws {
    for type in ["application/json-seq", "Application/JSON-Seq; charset=utf-8", "application/x-ndjson", "text/plain"] {
      let isSequence = type.lowercased().contains("seq")
      let text = isSequence ? "\u{1E}1\n\u{1E}2\n" : "1\n2\n"
      let response = Response(
        status: .ok, headers: [.contentType: type], body: .text(text), url: try Request("http://host/").url)
      #expect(await all(response.elements(as: Int.self)).elements == [1, 2])
      #expect(await all(response.elements(as: Int.self, framing: isSequence ? .lines : .sequence)).elements != [1, 2])
    }
  }

  // MARK: of a connection

  @Test func `an unsuccessful status and an invalid request are errors`() async throws {
    mock.status(404)
    let connection = try Connection("http://host/", adapter: mock)
    #expect((await all(connection.elements("x", as: Int.self, framing: .lines)).error as? StatusError)?.status == .notFound)
    #expect(await all(connection.elements("{x}", as: Int.self, framing: .sequence, variables: [:])).error is InvalidValueError)
    #expect(mock.recorded.count == 1)
  }

  @Test func `each iteration requests a connection's elements, streamed, with the index in errors`() async throws {
    try mock.stub(.get, path: "/lines", body: "1\n2\nx\n")
    try mock.stub(.get, path: "/seq", body: "\u{1E}1\n\u{1E}2\n")
    var connection = try Connection("http://host/", adapter: mock)
    connection.defaults.timeouts.total = .seconds(3)
    let lines = connection.elements("lines", as: Int.self, framing: .lines, query: ["token": "hidden"])
    for _ in 0..<2 {
      let (elements, error) = await all(lines)
      #expect(elements == [1, 2])
      #expect("\(try #require(error))".hasPrefix("GET http://host/lines?token=[secret]: cannot decode Int from element 2"))
    }
    #expect(await all(connection.elements("seq", as: Int.self, framing: .sequence)).elements == [1, 2])
    #expect(await all(connection.elements("seq", as: Int.self)).error is BodyDecodingError)
    let sent = mock.recorded.map(\.request)
    #expect(
      sent.map { $0.headers[.accept] }
        == [
          "application/x-ndjson", "application/x-ndjson", "application/json-seq", "application/x-ndjson, application/json-seq",
        ])
    #expect(sent.allSatisfy { $0.options.delivery == .streamed && $0.options.timeouts.total == nil })
  }
}

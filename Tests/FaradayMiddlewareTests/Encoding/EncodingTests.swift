import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct EncodingTests {
  struct Model: Codable, Equatable, Sendable {
    var name = "Ada"
    var tags = ["a", "b"]
  }

  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func connection(_ tested: TestedAdapter, _ middleware: any Middleware...) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: middleware)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an encoding error names the field and the request, and nothing is sent`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .jsonEncoding, .formEncoding, .multipart)
    struct Measure: Encodable { let values = ["a": [1, Double.nan]] }
    for type in ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"] {
      let error = await #expect(throws: BodyEncodingError.self) {
        try await connection.post("inspect?token=hidden", body: .encodable(Measure())) { $0.headers[.contentType] = type }
      }
      #expect(error?.type == "Measure" && error?.path == "values.a.1")
      #expect(
        error.map { "\($0)".hasPrefix("POST \(server.url)/inspect?token=[secret]: cannot encode Measure as the body") } == true)
    }
    #expect(server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a value that no middleware encodes is an error`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .jsonEncoding, .formEncoding, .multipart)
    for body in [Body.encodable(Model()), .unencoded(1...2)] {
      let error = await #expect(throws: TransportError.self) {
        try await connection.post("inspect", body: body) { $0.headers[.contentType] = "text/xml" }
      }
      #expect(error?.code == .invalidBody)
    }
  }

  // MARK: JSON

  @Test(arguments: TestedAdapter.allCases)
  func `RK-10, SW-12: a value is sent as JSON with its content type`(tested: TestedAdapter) async throws {
    struct Nothing: Codable {}
    let connection = try connection(tested, .jsonEncoding)
    let empty = try await Inspected(connection.post("inspect", body: .encodable(Nothing())))
    #expect(empty.method == "POST" && empty.values("Content-Type") == ["application/json"] && empty.bodyText == "{}")
    let echo = try await connection.post("echo", body: .encodable(Model()))
    #expect(try await echo.decode(Model.self) == Model())
  }

  @Test func `the caller's JSON content type is kept, and bytes are passed on unchanged`() async throws {
    let connection = try connection(.curl, .jsonEncoding)
    let seen = try await Inspected(
      connection.post("inspect", body: .encodable(Model())) { $0.headers[.contentType] = "application/vnd.api+json" })
    #expect(seen.values("Content-Type") == ["application/vnd.api+json"])
    let bytes = try await Inspected(connection.post("inspect", body: "{"))
    #expect(bytes.values("Content-Type").isEmpty && bytes.bodyText == "{")
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `SW-13, SW-15, RK-01: a JSON response can be read as untyped JSON or as a type`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let connection = try connection(tested, .jsonEncoding, .jsonDecoding)
    let request = try connection.request(.post, "echo", body: .encodable(["origin": ["name": "Ada"]] as JSONValue))
    let (response, text) = try await delivery.send(request, over: connection)
    #expect(text == #"{"origin":{"name":"Ada"}}"#)
    if delivery == .buffered { #expect(try await response.json()["origin"]?["name"]?.string == "Ada") }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-14: JSON that does not match the type is an error`(tested: TestedAdapter) async throws {
    let response = try await connection(tested, .jsonDecoding).get("inspect")
    await #expect(throws: BodyDecodingError.self) { try await response.decode(Model.self) }
  }

  @Test func `invalid JSON in a response is left alone or an error`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", headers: [.contentType: "application/json"], body: "{broken")
    let lenient = try Connection("http://host/", adapter: mock, middleware: [.jsonDecoding])
    let response = try await lenient.get()
    await #expect(throws: BodyDecodingError.self) { try await response.json() }
    #expect(response.body.data == Data("{broken".utf8))
    let strict = try Connection("http://host/", adapter: mock, middleware: [.jsonDecoding(isStrict: true)])
    let error = await #expect(throws: BodyDecodingError.self) { try await strict.get() }
    #expect(error?.response?.body.data == Data("{broken".utf8))
  }

  @Test func `the caller's Accept is kept, and a request without one accepts JSON`() async throws {
    let connection = try connection(.curl, .jsonDecoding)
    for own in ["text/event-stream", "image/png", "application/vnd.shop+json;q=0.5"] {
      let seen = try await Inspected(connection.get("inspect") { $0.headers[.accept] = own })
      #expect(seen.values("Accept") == [own])
    }
    #expect(try await Inspected(connection.get("inspect")).values("Accept") == ["application/json"])
  }

  @Test(arguments: ["application/json", "application/vnd.shop+json; charset=utf-8", "application/problem+json", "text/json"])
  func `JSON is read with any JSON media type, and keeps its order and its digits`(type: String) async throws {
    let mock = MockAdapter()
    let text = #"{"z":1.50,"a":[123456789012345678901234567890]}"#
    try mock.stub(.get, path: "/", headers: [.contentType: type], body: .text(text))
    let response = try await Connection("http://host/", adapter: mock, middleware: [.jsonDecoding]).get()
    #expect(try await response.json().text() == text)
  }

  @Test func `JSON that exceeds the depth limit is rejected`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", headers: [.contentType: "application/json"], body: "[[[]]]")
    let response = try await Connection("http://host/", adapter: mock, middleware: [.jsonDecoding(maximumDepth: 2)]).get()
    await #expect(throws: BodyDecodingError.self) { try await response.json() }
    await #expect(throws: BodyDecodingError.self) { try await response.decode(JSONValue?.self) }
    let strict = try Connection("http://host/", adapter: mock, middleware: [.jsonDecoding(isStrict: true, maximumDepth: 2)])
    let error = await #expect(throws: BodyDecodingError.self) { try await strict.get() }
    #expect((error?.underlying as? JSONError)?.reason == .tooDeep(limit: 2))
    #expect(try await Connection("http://host/", adapter: mock, middleware: [.jsonDecoding]).get().json() == [[[] as JSONValue]])
  }

  @Test func `a connection that rejects duplicate names applies that to untyped JSON and decoded types`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", headers: [.contentType: "application/json"], body: #"{"a":1,"a":2}"#)
    try mock.stub(.get, path: "/text", headers: [.contentType: "text/plain"], body: #"{"a":1,"a":2}"#)
    func connection(_ middleware: any Middleware) throws -> Connection {
      try Connection("http://host/", adapter: mock, middleware: [middleware])
    }
    let lenient = try await connection(.jsonDecoding).get()
    let value = try await lenient.decode([String: Int].self)
    #expect(try await lenient.json()["a"] == 1 && value == ["a": 1])
    let rejecting = try connection(.jsonDecoding(rejectsDuplicateNames: true))
    for path in ["", "text"] {
      let response = try await rejecting.get(path)
      await #expect(throws: BodyDecodingError.self) { try await response.json() }
      let error = await #expect(throws: BodyDecodingError.self) { try await response.decode([String: Int].self) }
      #expect((error?.underlying as? JSONError)?.reason == .duplicateName)
    }
    await #expect(throws: BodyDecodingError.self) {
      try await rejecting.perform(TypedRequest(baseURL: "http://host/", receiving: .json([String: Int].self)))
    }
    let strict = try connection(.jsonDecoding(isStrict: true, rejectsDuplicateNames: true))
    await #expect(throws: BodyDecodingError.self) { try await strict.get() }
  }

  @Test func `JSON that was not decompressed is an error with the name of its coding`() async throws {
    let mock = MockAdapter()
    try mock.stub(
      .get, path: "/", headers: [.contentType: "application/json", .contentEncoding: "gzip"],
      body: .data(Data([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3])))
    let error = await #expect(throws: BodyDecodingError.self) {
      try await Connection("http://host/", adapter: mock, middleware: [.jsonDecoding(isStrict: true)]).get()
    }
    #expect(
      error.map { "\($0)" }?.hasSuffix(#"its Content-Encoding is "gzip", and the request did not ask for decompression"#) == true)
  }

  @Test func `untyped JSON is sent unchanged, formatted as the encoder says`() async throws {
    let value: JSONValue = ["b": JSONValue.number(try #require(JSONNumber("1.50"))), "aB": "x/y"]
    let seen = try await Inspected(connection(.curl, .jsonEncoding).post("inspect", body: .encodable(value)))
    #expect(seen.bodyText == #"{"aB":"x/y","b":1.50}"#)
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .prettyPrinted
    let own = try await Inspected(connection(.curl, .jsonEncoding(encoder)).post("inspect", body: .encodable(value)))
    #expect(own.bodyText == "{\n  \"b\": 1.50,\n  \"aB\": \"x/y\"\n}")
    let error = await #expect(throws: BodyEncodingError.self) {
      try await connection(.curl, .jsonEncoding).post("inspect", body: .encodable(["a": [Double.nan]] as JSONValue))
    }
    #expect(error?.path == "a.0")
  }

  // MARK: forms

  @Test(arguments: TestedAdapter.allCases)
  func `a value is sent as a form if the content type is a form's`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .jsonEncoding, .formEncoding)
    let seen = try await Inspected(
      connection.post("inspect", body: .encodable(["a b": "c+d&e", "list": [1, 2]] as JSONValue)) {
        $0.headers[.contentType] = MediaType.form.description
      })
    #expect(seen.bodyText == "a%20b=c%2Bd%26e&list[]=1&list[]=2")
    #expect(seen.values("Content-Type") == ["application/x-www-form-urlencoded"])
    // Without JSONEncoding a value becomes a form.
    let alone = try await Inspected(self.connection(tested, .formEncoding).post("inspect", body: .encodable(Model())))
    #expect(alone.bodyText == "name=Ada&tags[]=a&tags[]=b")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a form with files is streamed with its length and boundary`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .jsonEncoding, .multipart)
    let file = try TemporaryFile(pattern(5_000_000))
    var form = MultipartForm()
    form.append(name: "title", value: "Grüße")
    try form.append(name: "file", file: file.path, filename: "a.bin")
    let body = form.body
    let echo = try await connection.post("echo", body: .multipart(form)) {
      // A type of the caller's could not have the boundary.
      $0.headers[.contentType] = "multipart/form-data"
    }
    #expect(echo.headers[.contentType] == form.contentType.description)
    #expect(try await echo.body.collect() == body.collect())
    let seen = try await Inspected(connection.post("inspect", body: .multipart(form)))
    #expect(seen.framing == "length" && Int64(seen.bodyLength) == body.length)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a value with a file becomes a multipart form`(tested: TestedAdapter) async throws {
    struct Photo: Encodable, Sendable { let title = "t", file: FormFile }
    let file = try TemporaryFile(Data("contents".utf8))
    let connection = try connection(tested, .jsonEncoding, .multipart)
    let seen = try await Inspected(
      connection.post("inspect", body: .encodable(Photo(file: FormFile(file.path, filename: "p.txt")))) {
        $0.headers[.contentType] = "multipart/form-data"
      })
    #expect(seen.bodyText?.contains("name=\"file\"; filename=\"p.txt\"\r\nContent-Type: text/plain\r\n\r\ncontents\r\n") == true)
    // Nothing but a form has a place for it.
    await #expect(throws: BodyEncodingError.self) {
      try await connection.post("inspect", body: .encodable(Photo(file: FormFile(file.path))))
    }
  }

  // MARK: queries

  @Test(arguments: TestedAdapter.allCases)
  func `RK-09: an empty query leaves the URL unchanged`(tested: TestedAdapter) async throws {
    struct Nothing: Encodable {}
    let connection = try connection(tested)
    let seen = try await Inspected(
      connection.get("inspect") { $0.query = try QueryEncoder().encode(Nothing()) })
    #expect(seen.target == "/inspect" && seen.method == "GET" && seen.bodyLength == 0)
  }
}

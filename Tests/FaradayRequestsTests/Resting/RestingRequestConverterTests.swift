import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

/// The conversion of a request before it is sent.
@Suite struct RestingRequestConverterTests {
  private func convert<Input, Output>(
    _ request: RestingRequest<Input, Output>, _ configuration: RestingRequestConverter.Configuration = .init(),
    base: String = "http://localhost/", headers: HTTPFields = [:]
  ) throws -> Request {
    var connection = try Connection(base, adapter: MockAdapter())
    connection.headers = headers
    return try RestingRequestConverter(configuration).request(for: request, on: connection)
  }

  private func get(_ path: String, _ variables: [String: any ParameterValue] = [:]) -> RestingRequest<Void, Void> {
    RestingRequest(endpoint: Endpoint(.get, path, encoding: .query), variables: variables)
  }

  private func send<Input: Encodable & Sendable>(
    _ input: Input, _ encoding: RequestEncoding, headers: HTTPFields = [:]
  ) -> RestingRequest<Input, Void> {
    RestingRequest(endpoint: Endpoint(.post, "/users?token=hidden", encoding: encoding), body: input, headers: headers)
  }

  @Test func `an input is by default in the query of GET, HEAD and DELETE, and JSON for other methods`() throws {
    for method in [HTTPRequest.Method.get, .head, .delete, .post, .put, .patch] {
      let request = try convert(RestingRequest(endpoint: Endpoint<[String: Int], Void>(method, "/users"), body: ["a": 1]))
      let isQuery = [.get, .head, .delete].contains(method)
      #expect(request.url.absoluteString == "http://localhost/users" + (isQuery ? "?a=1" : ""))
      #expect(request.body.data == Data((isQuery ? "" : #"{"a":1}"#).utf8))
      let empty = try convert(RestingRequest(endpoint: Endpoint<Void, [Int]>(method, "/users/{id}"), variables: ["id": 42]))
      #expect(empty.url.absoluteString == "http://localhost/users/42" && empty.body.isEmpty)
    }
  }

  // MARK: Errors

  @Test(arguments: [
    ("/users/{id}/{none}", PathTemplate.Problem.missing("none"), "has no value for {none}"),
    ("/users/{id", .unclosed, "has a { without }"),
    ("/users/{}", .invalidName(""), "has braces around text that is not a variable name"),
    ("/users/{nothing}", .empty("nothing"), "is empty"), ("/users/{up}", .dotSegment("up"), "makes a `.` or `..` segment"),
  ])
  func `an invalid path is an error that names the variable, the template and the request`(
    path: String, reason: PathTemplate.Problem, text: String
  ) throws {
    let request = get(path + "?token=hidden", path.contains("{id}") ? ["id": 1] : ["nothing": "", "up": ".."])
    let error = #expect(throws: InvalidValueError.self) {
      try convert(request, .init(contextPath: "/v1"), base: "http://ada:pw@localhost/api?key=hidden")
    }
    #expect(
      error?.kind == .path(reason) && error?.request?.method == .get && error?.request?.url == "http://localhost/api?key=[secret]"
    )
    #expect(error?.value == "/v1\(path)?token=[secret]")
    let description = error.map { "\($0)" } ?? ""
    #expect(description.hasPrefix("GET http://localhost/api?key=[secret]: the ") && description.contains(text))
    #expect(
      description.contains("/v1\(path.prefix { $0 != "{" })") && !description.contains("hidden") && !description.contains("pw"))
  }

  @Test(arguments: [RequestEncoding.json, .query, .formURLEncoded, .multipartFormData])
  func `an input that cannot be encoded names the field, the type and the request`(encoding: RequestEncoding) throws {
    let error = #expect(throws: BodyEncodingError.self) { try convert(send(Measure(), encoding)) }
    #expect(error?.type == "Measure" && error?.path == "values.a.1")
    #expect(
      error.map { "\($0)" }?.hasPrefix(
        "POST http://localhost/users?token=[secret]: cannot encode Measure as the \(encoding == .query ? "query" : "body"), at")
        == true)
  }

  @Test func `an error that the input throws is the underlying error in each encoding`() throws {
    struct Mine: Error {}
    struct Refusing: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw Mine() }
    }
    for encoding in [RequestEncoding.json, .query, .formURLEncoded, .multipartFormData] {
      let error = #expect(throws: BodyEncodingError.self) { try convert(send(Refusing(), encoding)) }
      #expect(error?.underlying is Mine)
    }
  }

  @Test func `a missing file is an error that names the path, the field and the request`() throws {
    let missing = FormFile("/nowhere/at/all")
    let alone = #expect(throws: BodyEncodingError.self) { try convert(send(missing, .file)) }
    let description = alone.map { "\($0)" } ?? ""
    #expect(description.hasPrefix("POST http://localhost/users?token=[secret]: cannot encode FormFile as the body: "))
    #expect(description.contains("cannot read /nowhere/at/all"))
    let form = #expect(throws: BodyEncodingError.self) { try convert(send(Portrait(file: missing), .multipartFormData)) }
    #expect(form?.path == "file" && form.map { "\($0)".contains("cannot read /nowhere/at/all") } == true)
  }

  @Test func `a file can be the input of file and form encodings only`() throws {
    #expect(throws: BodyEncodingError.self) { try convert(send(User(name: "Ada"), .file)) }
    let file = try TemporaryFile(Data("x".utf8))
    for encoding in [RequestEncoding.json, .query, .formURLEncoded, .multipartFormData] {
      #expect(throws: BodyEncodingError.self) { try convert(send(FormFile(file.path), encoding)) }
    }
  }

  @Test func `a provider's error is thrown unchanged`() throws {
    struct Locked: Error {}
    let headers = RestingHeaderProvider()
    headers.set(name: "X-Key") { throw Locked() }
    #expect(throws: Locked.self) { try convert(get("/"), .init(headerProvider: headers)) }
    let variables = RestingPathVariableProvider()
    variables.set(name: "id") { throw Locked() }
    #expect(throws: Locked.self) { try convert(get("/"), .init(pathVariableProvider: variables)) }
  }

  // MARK: bodies

  @Test func `RK-09: a query without items does not change the URL`() throws {
    let request = try convert(get("/"))
    #expect(request.url.absoluteString == "http://localhost/" && request.method == .get && request.body.isEmpty)
    #expect(request.headers.map(\.name) == [.userAgent])
  }

  @Test func `RK-10: no input as JSON is an empty object`() throws {
    let request = try convert(RestingRequest(endpoint: Endpoint<Void, Void>(.post, "/", encoding: .json)))
    #expect(request.method == .post && request.headers[.contentType] == "application/json")
    #expect(request.body.data == Data("{}".utf8))
  }

  @Test func `each encoding sets its Content-Type unless the request has one`() async throws {
    let json = try convert(send(User(name: "Ada"), .json))
    #expect(json.headers[.contentType] == "application/json" && json.body.data == Data(#"{"age":36,"name":"Ada"}"#.utf8))
    let form = try convert(send(User(name: "Ada"), .formURLEncoded))
    #expect(form.headers[.contentType] == "application/x-www-form-urlencoded")
    #expect(form.body.data == Data("name=Ada&age=36".utf8))
    let own = try convert(send(User(name: "Ada"), .json, headers: [.contentType: "application/vnd.api+json"]))
    #expect(own.headers[values: .contentType] == ["application/vnd.api+json"])
    let file = try TemporaryFile(Data("x".utf8))
    for (named, type) in [
      (FormFile(file.path), "application/octet-stream"), (FormFile(file.path, filename: "a.png"), "image/png"),
      (FormFile(file.path, filename: "a.png", type: .text), MediaType.text.description),
    ] {
      let request = try convert(send(named, .file))
      #expect(request.headers[.contentType] == type && request.body.file?.path == file.path)
    }
  }

  @Test func `RK-23: the multipart encoder has strategies for names, dates and bytes`() async throws {
    struct Model: Encodable, Sendable { let createdAt = Date(timeIntervalSince1970: 1), rawData = Data("ab".utf8) }
    var strategies = FormStrategies()
    strategies.keys = .convertToSnakeCase
    strategies.date = .secondsSince1970
    strategies.data = .base64
    let request = try convert(send(Model(), .multipartFormData), .init(multipartEncoder: MultipartFormEncoder(strategies)))
    let text = try await request.body.utf8Text()
    #expect(text.contains("name=\"created_at\"\r\n\r\n1\r\n") && text.contains("name=\"raw_data\"\r\n\r\nYWI=\r\n"))
  }

  @Test func `a model's query items are appended to those of the path`() throws {
    let endpoint = Endpoint<User, Void>(.get, "/users?sort=name+age", encoding: .query)
    let request = try convert(
      RestingRequest(endpoint: endpoint, body: User(name: "a&b")), base: "http://localhost/v2?key=1")
    #expect(request.url.absoluteString == "http://localhost/v2/users?key=1&sort=name+age&name=a%26b&age=36")
    #expect(request.body.isEmpty && request.headers[.contentType] == nil)
  }

  // MARK: paths

  @Test func `RK-12: a path variable is replaced by its value`() throws {
    #expect(try convert(get("/{id}", ["id": 42])).url.absoluteString == "http://localhost/42")
    #expect(try convert(get("/a/{x}/b", ["x": "../c?d"])).url.absoluteString == "http://localhost/a/..%2Fc%3Fd/b")
  }

  @Test func `RK-13, RK-14: the request's path variables override the provider's`() throws {
    let variables = RestingPathVariableProvider()
    variables.set(name: "id", value: 1)
    let configuration = RestingRequestConverter.Configuration(pathVariableProvider: variables)
    #expect(try convert(get("/{id}"), configuration).url.absoluteString == "http://localhost/1")
    #expect(try convert(get("/{id}", ["id": 2]), configuration).url.absoluteString == "http://localhost/2")
  }

  @Test(arguments: [
    ("http://h/v2", "", "/users", "http://h/v2/users"), ("http://h/v2/", "", "users", "http://h/v2/users"),
    ("http://h/v2", "/posts", "", "http://h/v2/posts"), ("http://h", "posts", "?a=1", "http://h/posts?a=1"),
    ("http://h", "/posts/", "/1", "http://h/posts/1"), ("http://h", "posts", "1", "http://h/posts/1"),
    ("http://h", "/v{version}", "x", "http://h/v3/x"), ("http://h/v2", "", "", "http://h/v2"),
    ("http://h/v2", "", "//other/x", "http://h/v2//other/x"),
    ("http://h/v2", "", "/http://other/x", "http://h/v2/http://other/x"),
  ])
  func `base URL, context path and path are joined with one slash each`(
    base: String, context: String, path: String, url: String
  ) throws {
    let request = try convert(get(path, context.contains("{") ? ["version": 3] : [:]), .init(contextPath: context), base: base)
    #expect(request.url.absoluteString == url)
  }

  // MARK: header fields

  @Test func `RK-11, RK-15, RK-16: the request's fields override the provider's, whatever their case`() throws {
    let provider = RestingHeaderProvider()
    provider.set(name: "FROM", value: "provider")
    provider.set(name: "Accept-Language", value: "cy")
    let configuration = RestingRequestConverter.Configuration(headerProvider: provider)
    var request = get("/")
    let provided = try convert(request, configuration).headers
    #expect(provided[.from] == "provider" && provided[.acceptLanguage] == "cy")
    request.headers = [.from: "request", .from: "twice"]
    let own = try convert(request, configuration, headers: [.acceptLanguage: "en", .cookie: "a=1"]).headers
    #expect(own[values: .from] == ["request", "twice"])
    #expect(own[values: .acceptLanguage] == ["cy"] && own[.cookie] == "a=1")
  }

  @Test func `a custom converter can change the default converter's request`() async throws {
    struct Signing: RequestConverter {
      let usual = RestingRequestConverter()
      func request<Input, Output>(
        for wanted: RestingRequest<Input, Output>, on connection: Connection
      ) throws -> Request {
        var request = try usual.request(for: wanted, on: connection)
        try request.headers.set(name: "X-Signature", value: "of \(request.path)")
        return request
      }
    }
    let mock = MockAdapter()
    try mock.stub(.get, path: "/v2/users")
    let client = try RestingClient("http://host/v2", adapter: mock, converter: Signing())
    _ = try await client.perform(get("/users"))
    #expect(try mock.recorded.first?.request.headers[#require(HTTPField.Name("X-Signature"))] == "of /v2/users")
  }

  @Test(arguments: [
    ("/bothunter2/{id}", "/bot[secret]/{id}"), ("/x/{id}?\u{301}&token=hunter2", "/x/{id}?\u{301}&token=[secret]"),
  ])
  func `the error of an invalid path shows no secret`(path: String, shown: String) throws {
    var connection = try Connection("http://host/", adapter: MockAdapter())
    connection.secrets.insert(path: "/bot{token}/")
    let error = #expect(throws: InvalidValueError.self) {
      try RestingRequestConverter().request(
        for: RestingRequest(endpoint: Endpoint<Void, Void>(.get, path, encoding: .query)), on: connection)
    }
    #expect(error?.value == shown)
  }
}

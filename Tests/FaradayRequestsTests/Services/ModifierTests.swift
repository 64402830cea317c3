import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ModifierTests {
  private let example = Example("https://host", NoNetwork())

  // MARK: failures

  @Test(arguments: [("bad name", "x"), ("", "x"), ("X-A", "line\r\nbreak"), ("X-A", "nul\0")])
  func `an invalid header fails the loading`(name: String, value: String) async throws {
    let mock = MockAdapter()
    let resource = Example(mock).server.get("a").header(name, value).header("X-Later", "fine")
    #expect(await #expect(throws: InvalidValueError.self) { try await resource.load() }?.kind == .header)
    #expect(await #expect(throws: InvalidValueError.self) { try await resource.headers([name: value]).load() }?.kind == .header)
    #expect(mock.recorded.isEmpty)
  }

  @Test func `a query that cannot be encoded is an error that names the member and the request`() async throws {
    let mock = MockAdapter()
    let resource = Example(mock).server.get("a").query(["ratio": ["of": Double.nan]]).query(["fine": 1])
    let error = await #expect(throws: BodyEncodingError.self) { try await resource.load() }
    #expect(error?.path == "ratio.of" && error?.type == "Dictionary<String, Dictionary<String, Double>>")
    #expect(
      error?.description.hasPrefix(
        "GET http://host/a: cannot encode Dictionary<String, Dictionary<String, Double>> as the query, at `ratio.of`: ") == true)
    struct Card: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "card 4111"))
      }
    }
    let quoting = await #expect(throws: BodyEncodingError.self) {
      try await Example(mock).server.get("a").query(["card": Card()]).load()
    }
    #expect(quoting?.description.hasSuffix("as the query, at `card`: this Card cannot be encoded") == true)
    #expect(mock.recorded.isEmpty)
  }

  @Test func `the first error of a modifier wins, and custom modifiers can fail a resource`() async throws {
    let mock = MockAdapter()
    let resource = Example(mock).server.get("a").failing(with: Failed(name: "first"))
    await #expect(throws: Failed(name: "first")) { try await resource.failing(with: Failed(name: "second")).load() }
    await #expect(throws: Failed(name: "first")) { try await resource.header("bad name", "x").load() }
    #expect(mock.recorded.isEmpty)
  }

  // MARK: authorization

  @Test(arguments: TestedAdapter.allCases)
  func `SW-04: wrong credentials are an error with the response, and later credentials replace earlier ones`(
    tested: TestedAdapter
  ) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).server.get("basic-auth/ada/secret")
    let wrong = resource.authorized(with: .basic(user: "ada", password: "secret"))
      .authorized(with: .basic(user: "ada", password: "wrong"))
    let error = await #expect(throws: StatusError.self) { try await wrong.load() }
    #expect(error?.response.status == .unauthorized)
    #expect(try await wrong.authorized(with: .basic(user: "ada", password: "secret")).load().status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-03: correct credentials are accepted`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let response = try await example.server.get("basic-auth/ada/secret").authorized(with: .basic(user: "ada", password: "secret"))
      .load()
    #expect(response.status == .ok)
    let seen = try await example.inspect().authorized(with: .bearer("token")).inspected()
    #expect(seen.values("Authorization") == ["Bearer token"])
  }

  // MARK: headers

  @Test(arguments: TestedAdapter.allCases)
  func `SW-06: a header is sent exactly as set, with and without a body`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let seen = try await example.inspect().header("X-A", "first").header("x-a", "a value").header("X-A", nil).inspected()
    #expect(seen.values("X-A") == ["a value"])
    let posted = try await example.server.post("inspect").header("X-A", "a value").inspected()
    #expect(posted.values("X-A") == ["a value"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-07: headers of a dictionary are sent exactly as set`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let headers = ["X-A": "1", "X-B": "2"]
    let seen = try await Example(server, tested).inspect().header("X-B", "before").headers(headers)
      .headers(["X-A": nil]).headers([.acceptLanguage: "cy"]).inspected()
    #expect(seen.values("X-A") == ["1"] && seen.values("X-B") == ["2"] && seen.values("Accept-Language") == ["cy"])
  }

  // MARK: query

  @Test(arguments: TestedAdapter.allCases)
  func `SW-01, SW-08: a query with one item is sent`(tested: TestedAdapter) async throws {
    let resource = Example("https://httpbin.org", NoNetwork()).server.get("get").query(["user": "John"])
    #expect(try resource.request().url.absoluteString == "https://httpbin.org/get?user=John")
    let server = try LocalServer()
    #expect(try await Example(server, tested).inspect().query(["user": "John"]).inspected().target == "/inspect?user=John")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-09: queries are appended in the order of the calls`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let seen = try await Example(server, tested).inspect().query(["user": "John"]).query(["age": 36]).inspected()
    #expect(seen.target == "/inspect?user=John&age=36")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-10: names are sorted, and lists joined`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let seen = try await Example(server, tested).inspect()
      .query(["param": "value", "query": "param", "array": ["1", "2", "3"]]).inspected()
    #expect(seen.target == "/inspect?array=1,2,3&param=value&query=param")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-11: the query of the path is kept unchanged`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let seen = try await Example(server, tested).server.get("inspect?hello=world&count=0").inspected()
    #expect(seen.target == "/inspect?hello=world&count=0")
  }

  @Test func `a query is made of any value, of items, or in another style`() throws {
    struct Search: Encodable {
      var text = "a+b & c"
      var isExact = true
      var tags = ["x", "y"]
    }
    let target = { (resource: NetworkResource) in try resource.request().url.absoluteString }
    let resource = example.server.get("a")
    #expect(try target(resource.query(Search())) == "https://host/a?isExact=1&tags=x,y&text=a%2Bb%20%26%20c")
    #expect(
      try target(resource.query(Search(), strategies: FormStrategies()))
        == "https://host/a?text=a%2Bb%20%26%20c&isExact=true&tags%5B%5D=x&tags%5B%5D=y")
    #expect(try target(resource.query(items: ["z": "1", "a": nil, "z": "2"])) == "https://host/a?z=1&a&z=2")
    #expect(try target(resource.query(items: ["z": "1"]).query(items: ["b": "2"])) == "https://host/a?z=1&b=2")
    #expect(try target(resource.query(["on": true, "at": ["x": 1]])) == "https://host/a?at%5Bx%5D=1&on=1")
  }

  // MARK: the others

  @Test func `SW-30: ten thousand modifiers can be chained`() throws {
    var resource = example.server.post("a")
    for number in 0..<10_000 {
      resource = resource.header("X-\(number % 10)", "\(number)")
      if number % 10 == 0 { resource = resource.tag("\(number % 3)") }
      if number % 100 == 0 { resource = resource.query(["q": number]) }
    }
    let request = try resource.request()
    #expect(request.headers.map(\.value).sorted() == (9_990..<10_000).map(String.init))
    #expect(request.options.tags == ["0", "1", "2"])
    #expect(request.query.values("q") == (0..<100).map { "\($0 * 100)" })
  }

  @Test func `a modifier returns a copy and does not change the resource`() throws {
    let resource = example.server.post("a")
    _ = resource.header("X-A", "1").query(["a": 1]).tag("t").json("text").failing(with: Failed()).timeout(.seconds(1))
    let request = try resource.request()
    #expect(request.headers.isEmpty && request.query.items.isEmpty && request.body.isEmpty)
    #expect(request.options.tags.isEmpty && request.options.timeouts.total == nil)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a timeout fails the loading`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).server.get("stall").timeout(.milliseconds(50))
    let error = await #expect(throws: TransportError.self) { try await resource.load() }
    #expect(error?.code == .totalTimeout)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `options such as onChunk can be set for one resource`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let lengths = Log<Int>()
    let resource = Example(server, tested).server.get("bytes/100000").configured { options in
      options.onChunk = { bytes in
        lengths.append(bytes.byteCount)
        return .continue
      }
    }
    #expect(try await resource.load().body.isEmpty)
    #expect(lengths.elements.reduce(0, +) == 100_000)
  }

  @Test func `priority and tags are options of the request`() throws {
    let request = try example.server.post("x").priority(.high).tag("t").json([1]).request()
    #expect(request.options.priority == .high && request.options.tags == ["t"])
    #expect(try example.server.get("x").request().options.priority == .normal)
  }

  @Test func `the description shows no secrets`() {
    let resource = Example("https://ada:secret@host", NoNetwork()).server.get("a?token=secret").tag("t").printDetails()
    #expect(resource.description == "GET https://host/a")
    let credentials = resource.authorized(with: .bearer("secret")).header("X-Key", "secret")
    let service = Example(
      "https://ada:secret@host/?token=secret", ServiceNetwork(Connection(headers: ["Cookie": "secret"], adapter: MockAdapter())))
    let body = service.server.post().authorized(with: .bearer("secret")).json(["password": "secret"])
    for value: Any in [credentials, body, service.server, service.network] {
      #expect(!Shown.all(value).replacing("[secret]", with: "").contains("secret"), "\(Shown.all(value))")
    }
    #expect(resource.hasTag("t") && !resource.hasTag("u"))
  }
}

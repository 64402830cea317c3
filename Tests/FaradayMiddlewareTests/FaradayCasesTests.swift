import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// The claims of Faraday for Swift. Its chunk completions are the chunk callback and the body sequence here.
@Suite struct FaradayCasesTests {
  // MARK: header fields

  @Test func `FA-01: a header field can be set and read by name`() throws {
    var headers = HTTPFields()
    headers[.contentLength] = "0"
    #expect(headers[try #require(HTTPField.Name("content-length"))] == "0")
  }

  @Test func `FA-02: accepting no type leaves an empty Accept`() {
    var headers = HTTPFields()
    headers.accepted = []
    #expect(headers[.accept] == "" && headers.accepted == [])
  }

  @Test func `FA-03: accepting a type adds it to Accept`() {
    var headers = HTTPFields()
    headers.accept("application/json")
    #expect(headers[.accept] == "application/json")
  }

  @Test func `FA-04: accepting a type twice adds it once`() {
    var headers = HTTPFields()
    headers.accept("application/json", "text/plain")
    headers.accept("application/json")
    #expect(headers[.accept] == "application/json, text/plain")
  }

  @Test func `FA-05: all header fields can be iterated`() throws {
    var headers: HTTPFields = [.accept: "a", .contentType: "b"]
    try headers.append(name: "Accept", value: "c")
    #expect(headers.map { "\($0.name): \($0.value)" } == ["Accept: a", "Content-Type: b", "Accept: c"])
  }

  // FA-06 and FA-07 are in AuthorizationTests.

  @Test func `FA-08: accepted types keep their parameters`() {
    var headers = HTTPFields()
    headers.accepted = ["application/hal+json; q=1.0", "text/plain"]
    #expect(headers[.accept] == "application/hal+json; q=1.0, text/plain")
    #expect(headers.accepted == ["application/hal+json; q=1.0", "text/plain"])
  }

  @Test func `FA-09: a content type is compared without its parameters`() {
    let headers: HTTPFields = [.contentType: "application/json; charset=UTF-8"]
    #expect(headers.contentType == .json && headers.contentType?["charset"] == "UTF-8")
  }

  // MARK: URLs

  private let offline = Connection(url: URL(string: "http://localhost:9292/api/"), adapter: MockAdapter(isStrict: false))

  // A request's path is the absolute one of its URL. The relative one that FA-10 to FA-13 read back beside it is not kept, and a
  // path that is set takes the place of the whole: a base is joined once, where the request is made.

  @Test(arguments: [".", ""])
  func `FA-10: a dot as the path resolves to the base URL, whose path has one component`(path: String) throws {
    let request = try offline.request(.get, path)
    #expect(request.url.absoluteString == "http://localhost:9292/api/" && request.path == "/api/")
    #expect(request.pathComponents == ["api"])
  }

  @Test func `FA-11: a path is appended to the base URL`() throws {
    #expect(try offline.request(.get, "path/to").path == "/api/path/to")
  }

  @Test func `FA-12: a path is appended to a base URL with a path, and replaces an empty one`() throws {
    var request = try offline.request(.get, ".")
    request.path += "path/to"
    #expect(request.url.absoluteString == "http://localhost:9292/api/path/to")
    request.path = "path/to"
    #expect(request.url.absoluteString == "http://localhost:9292/path/to" && request.path == "/path/to")
  }

  @Test func `FA-13: path components can be set and read, and form the URL's path`() throws {
    var request = try offline.request(.get, ".")
    request.pathComponents = ["api", "path", "to"]
    #expect(request.pathComponents == ["api", "path", "to"])
    #expect(request.url.absoluteString == "http://localhost:9292/api/path/to")
    request.pathComponents = ["path", "to"]
    #expect(request.pathComponents == ["path", "to"] && request.path == "/path/to")
  }

  @Test func `FA-14: a request without a base URL fails, whatever its path is`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = Connection(adapter: mock)
    #expect(throws: TransportError.self) { try connection.request(.get) }
    for path in ["path", "/path", "path/to?a=1"] {
      let request = try connection.request(.get, path) { $0.path = "/other" }
      #expect(request.url.scheme == nil && request.url.host() == nil)
      let error = await #expect(throws: TransportError.self) { try await connection.send(request) }
      #expect(error?.code == .invalidURL && error?.phase == .building && error?.message == "the URL is not absolute")
    }
    #expect(mock.recorded.isEmpty)
  }

  // MARK: exchanges

  @Test func `FA-15: middleware and the logger work without an adapter's response`() async throws {
    let mock = MockAdapter()
    let seen = Log<Int>()
    let log = CapturedLog()
    let connection = try Connection(
      "http://h/", adapter: mock,
      middleware: [
        .closure { request, next in
          let response = try await next(request)
          seen.append(response.status.code)
          return response
        },
        ExchangeLogger(log.logger()),
        .closure { request, _ in Response(status: .created, body: "by hand", url: request.url) },
      ])
    let response = try await connection.get("made")
    #expect(seen.elements == [201] && mock.recorded.isEmpty)
    #expect(try await response.body.utf8Text() == "by hand" && response.url.absoluteString == "http://h/made")
    #expect(log.text.contains("201") && log.text.contains("http://h/made"))
  }

  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func api(_ tested: TestedAdapter) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: [.jsonEncoding, .jsonDecoding])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `FA-16: a GET returns a status and decoded JSON`(tested: TestedAdapter) async throws {
    let connection = try api(tested)
    let response = try await connection.get("inspect")
    #expect(try await response.json()["method"] == "GET" && response.status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `FA-17: three requests run one after the other`(tested: TestedAdapter) async throws {
    let connection = try api(tested)
    for index in 0..<3 {
      let response = try await connection.get("inspect?\(index)")
      #expect(try await response.json()["query"]?.string == "\(index)")
    }
    #expect(server.requestCount == 3)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `FA-18: a POST is edited in place, and its value is sent as JSON`(tested: TestedAdapter) async throws {
    let connection = try api(tested)
    let body: JSONValue = ["key": "value", "list": [1, 2]]
    let echo = try await connection.post("echo", body: .encodable(body)) { $0.query.set(name: "hello", values: ["world"]) }
    #expect(try await echo.json() == body && echo.url.query() == "hello=world")
  }

  @Test(arguments: TestedAdapter.allCases, [TestedDelivery.streamed, .callback])
  func `FA-19: chunks arrive one by one, and the third one cancels the transfer`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let connection = try api(tested)
    let path = "drip?count=1000000&interval=5&size=40"
    let count = Mutex(0)
    if delivery == .callback {
      await #expect(throws: CancellationError.self) {
        try await connection.get(path) {
          $0.options.onChunk = { _ in
            count.withLock { count in
              count += 1
              return count == 3 ? .cancel : .continue
            }
          }
        }
      }
    } else {
      let response = try await connection.get(path) { $0.options.delivery = .streamed }
      #expect(response.status == .ok)
      for try await _ in response.body
      where count.withLock({
        $0 += 1
        return $0 == 3
      }) { break }
    }
    #expect(count.withLock { $0 } == 3)
    await until { server.openConnectionCount == 0 }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `FA-20: a cancelled transfer fails with a cancellation`(tested: TestedAdapter) async throws {
    let connection = try api(tested)
    let hasTen = Gate()
    let bytes = Mutex(0)
    let task = Task {
      try await connection.get("drip?count=100000&interval=1&size=40") {
        $0.options.onChunk = { piece in
          if bytes.withLock({
            $0 += piece.byteCount
            return $0 >= 400
          }) {
            hasTen.open()
          }
          return .continue
        }
      }
    }
    #expect(await hasTen.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `FA-21: a dependent task runs after a response that arrives in time`(tested: TestedAdapter) async throws {
    let connection = try api(tested)
    let clock = ManualClock()
    let order = Log<String>()
    let response = connection.promise.send(.get, "inspect").tap { _ in order.append("response") }
    let timely = try await response.timeout(.seconds(60), clock: clock).map { response in
      order.append("after")
      return response
    }.value
    #expect(order.elements == ["response", "after"])
    #expect(try await timely.json()["method"] == "GET" && timely.status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `FA-21: a dependent task does not run after a response that arrives too late`(tested: TestedAdapter) async throws {
    let connection = try api(tested)
    let clock = ManualClock()
    let order = Log<String>()
    let late = connection.promise.send(.get, "stall").timeout(.seconds(60), clock: clock).map { _ in order.append("after") }
    await clock.sleepers(1)
    clock.advance(by: .seconds(60))
    let error = await #expect(throws: TimeoutError.self) { try await late.value }
    #expect(error?.limit == .seconds(60) && order.elements.isEmpty)
    // No request waits for it.
    await until { server.openConnectionCount == 0 }
  }

  @Test(arguments: ["[]", "{}", "false", "0", "\"string\"", "null"])
  func `FA-22: JSON fragments can be read and written`(text: String) throws {
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
  }
}

@_spi(Adapters) import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The middleware that add header fields: ``UserAgent``, ``DefaultHeaders``, ``RequestID``.
@Suite struct HeaderMiddlewareTests {
  private let mock = MockAdapter()

  init() {
    mock.stub { _ in
      true
    } respond: {
      Response(status: .ok, url: $0.url)
    }
  }

  /// The fields that were sent, each as a line.
  private func sent(
    _ middleware: any Middleware..., userAgent: String? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> [String] {
    var connection = try Connection("http://host/", adapter: mock, middleware: middleware)
    connection.userAgent = userAgent
    _ = try await connection.get(edit: edit)
    return mock.recorded.last?.request.headers.map { "\($0.name): \($0.value)" } ?? []
  }

  // MARK: UserAgent

  @Test func `an invalid user agent fails before anything is sent`() async throws {
    #expect(await #expect(throws: InvalidValueError.self) { try await sent(.userAgent("a\r\nX-Evil: 1")) }?.kind == .header)
    #expect(mock.recorded.isEmpty)
  }

  @Test func `the request's own user agent takes precedence, even an empty one`() async throws {
    #expect(try await sent(.userAgent("me/1")) == ["User-Agent: me/1"])
    #expect(try await sent(.userAgent("me/1")) { $0.headers[.userAgent] = "own" } == ["User-Agent: own"])
    #expect(try await sent(.userAgent("me/1")) { $0.headers[.userAgent] = "" } == ["User-Agent: "])
  }

  @Test func `the middleware's user agent replaces the default, and a request can omit it`() async throws {
    let standard = Connection.standardUserAgent
    let name = "User-Agent: \(standard)"
    #expect(try await sent(userAgent: standard) == [name])
    #expect(try await sent(.userAgent("me/1"), userAgent: standard) == ["User-Agent: me/1"])
    #expect(try await sent(.defaultHeaders([.userAgent: "me/1"]), userAgent: standard) == ["User-Agent: me/1"])
    #expect(try await sent(.defaultHeaders([.accept: "a/b"]), userAgent: standard) == [name, "Accept: a/b"])
    #expect(try await sent(.userAgent("me/1"), userAgent: "own") == ["User-Agent: own"])
  }

  // MARK: DefaultHeaders

  @Test func `default headers with repeated fields are added if the request has no field of that name`() async throws {
    let fields: HTTPFields = [.acceptLanguage: "cy", .acceptLanguage: "en", .from: "a@b"]
    #expect(try await sent(.defaultHeaders(fields)) == ["Accept-Language: cy", "Accept-Language: en", "From: a@b"])
    let own = try await sent(.defaultHeaders(fields)) { $0.headers[.acceptLanguage] = "de" }
    #expect(own == ["Accept-Language: de", "From: a@b"])
  }

  @Test func `an error of the default headers' closure fails the request before anything is sent`() async throws {
    struct Locked: Error {}
    await #expect(throws: Locked.self) { try await sent(.defaultHeaders { _ in throw Locked() }) }
    #expect(mock.recorded.isEmpty)
  }

  @Test func `RK-11, RK-15, RK-16: fields of request and provider are sent, and the request's take precedence`() async throws {
    let provider = DefaultHeaders { _ in [.from: "provider", .acceptLanguage: "cy"] }
    let fields = try await sent(provider) { $0.headers[.from] = "request" }
    #expect(fields == ["From: request", "Accept-Language: cy"])
  }

  @Test func `RK-23: the closure of default headers is called for each request`() async throws {
    let count = Log<Int>()
    let counting = DefaultHeaders { request in
      await Task.yield()
      count.append(1)
      return count.elements.count == 2 ? [:] : [.from: "\(count.elements.count)"]
    }
    #expect(try await sent(counting) == ["From: 1"])
    #expect(try await sent(counting) == [])
    #expect(try await sent(counting) == ["From: 3"])
  }

  @Test func `a cross-origin request gets no secret default headers`() async throws {
    let key = try #require(HTTPField.Name("X-Own"))
    let fields: HTTPFields = [.authorization: "Basic x", .cookie: "a=1", key: "k", .acceptLanguage: "cy"]
    let foreign = try await sent(.defaultHeaders(fields)) {
      $0.becomeCrossOrigin()
      $0.markSecret(key.rawName)
    }
    #expect(foreign == ["Accept-Language: cy"])
    #expect(try await sent(.defaultHeaders(fields)).count == 4)
  }

  // MARK: RequestID

  @Test func `every request has a unique identifier, and the response repeats it`() async throws {
    let connection = try Connection("http://host/", adapter: mock, middleware: [.requestID])
    var ids: Set<String> = []
    for _ in 0..<3 {
      let response = try await connection.get()
      let request = try #require(mock.recorded.last?.request)
      let id = try #require(response.requestID)
      #expect(request.options.requestID == id)
      #expect(request.headers[try #require(HTTPField.Name("x-request-id"))] == id)
      #expect(UUID(uuidString: id) != nil)
      ids.insert(id)
    }
    #expect(ids.count == 3)
  }

  @Test func `an existing identifier is kept, and an invalid one is an error`() async throws {
    let id = RequestID(header: "X-Trace") { "made" }
    #expect(try await sent(id) == ["X-Trace: made"])
    #expect(try await sent(id) { try $0.headers.set(name: "x-trace", value: "own") } == ["x-trace: own"])
    #expect(try await sent(id) { $0.options.requestID = "chosen" } == ["X-Trace: chosen"])
    let count = mock.recorded.count
    #expect(
      await #expect(throws: InvalidValueError.self) { try await sent(id) { $0.options.requestID = "a\nb" } }?.kind == .header)
    #expect(await #expect(throws: InvalidValueError.self) { try await sent(.requestID(header: "no token")) }?.kind == .header)
    #expect(mock.recorded.count == count)
  }

  @Test func `the identifier is the same for all attempts above Retry and differs below it`() async throws {
    let failing = MockAdapter()
    try failing.stub(.get, path: "/", status: .serviceUnavailable, headers: [.retryAfter: "0"])
    var policy = Retry.Policy()
    policy.initialDelay = .zero
    for (middleware, count) in [([.requestID, .retry(policy)], 1), ([.retry(policy), .requestID], 3)] as [([any Middleware], Int)]
    {
      let before = failing.recorded.count
      _ = try await Connection("http://host/", adapter: failing, middleware: middleware).get()
      let ids = failing.recorded.dropFirst(before).map { $0.request.options.requestID }
      #expect(ids.count == 3 && Set(ids).count == count)
    }
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `all default headers reach the server`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try LocalServer()
    let connection = try Connection(
      server.url + "/", adapter: tested.adapter,
      middleware: [.userAgent("me/1"), .defaultHeaders([.acceptLanguage: "cy"]), .requestID])
    let (response, text) = try await delivery.get("inspect", over: connection)
    for value in ["me/1", "cy", try #require(response.requestID)] { #expect(text.contains("\"\(value)\"")) }
  }
}

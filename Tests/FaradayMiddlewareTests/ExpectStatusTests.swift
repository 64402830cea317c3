import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ExpectStatusTests {
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func connection(_ tested: TestedAdapter, _ middleware: any Middleware...) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: middleware)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `an unexpected response is an error that has it whole, and the caller's callbacks see none of it`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let seen = Log<String>()
    let connection = try connection(tested, .expectStatus)
    var request = try connection.request(.get, "status/404")
    request.options.onHead = { seen.append("\($0.status.code)") }
    request.options.onDownloadProgress = { _ in seen.append("progress") }
    if delivery == .callback {
      request.options.onChunk = { _ in
        seen.append("piece")
        return .continue
      }
    }
    if delivery == .streamed { request.options.delivery = .streamed }
    let error = try await #require(throws: UnexpectedStatus.self) { try await connection.run(request) }
    #expect(error.status == .notFound && error.method == .get && error.url == server.url + "/status/404")
    #expect(error.response.headers[.contentType] != nil)
    #expect(try await error.response.body.text() == "status 404\n")
    #expect(!error.isBodyCut)
    #expect(delivery == .streamed || seen.elements.isEmpty)
    #expect(!seen.elements.contains("404") && !seen.elements.contains("piece"))
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `an expected response is the caller's`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let (response, text) = try await delivery.get("hello", over: connection(tested, .expectStatus))
    #expect(response.status == .ok && text == "Hello, world!")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `of a body that the callback was to get the error keeps no more than the limit`(tested: TestedAdapter) async throws {
    for (limit, size, kept) in [(10, 100, 10), (0, 100, 0), (64 << 10, 1 << 20, 64 << 10), (100_000, 1 << 20, 100_000)] {
      let connection = try connection(tested, .expectStatus(400..<500, bodyLimit: limit))
      let error = try await #require(throws: UnexpectedStatus.self) {
        try await connection.get("bytes/\(size)") { $0.options.onChunk = { _ in .continue } }
      }
      let bytes = try await error.response.body.collect()
      #expect(bytes.count == kept && error.isBodyCut)
      #expect(bytes.enumerated().allSatisfy { LocalServer.patternByte(at: $0.offset) == $0.element })
    }
    #expect(try await connection(tested).get("hello").status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an unexpected body that is larger than the largest one is cut there`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .expectStatus(400..<500))
    let error = try await #require(throws: UnexpectedStatus.self) {
      try await connection.get("bytes/100000") { $0.options.maximumBodySize = 1000 }
    }
    #expect(error.status == .ok && error.isBodyCut && error.response.body.length ?? .max < 100_000)
  }

  @Test func `ranges, sets and closures say what is expected`() async throws {
    let mock = MockAdapter()
    mock.stub { _ in
      true
    } respond: {
      Response(status: .init(code: Int($0.url.lastPathComponent) ?? 0), url: $0.url)
    }
    func expected(_ middleware: any Middleware) async throws -> [Int] {
      var expected: [Int] = []
      for code in [199, 200, 204, 299, 300, 304, 399, 400, 404, 500] {
        do {
          _ = try await Connection("http://host/\(code)", adapter: mock, middleware: [middleware]).get()
          expected.append(code)
        } catch is UnexpectedStatus {}
      }
      return expected
    }
    #expect(try await expected(.expectStatus) == [200, 204, 299])
    #expect(try await expected(.expectStatus(300...399)) == [300, 304, 399])
    #expect(try await expected(.expectStatus(..<200)) == [199])
    #expect(try await expected(.expectStatus([200, 404])) == [200, 404])
    #expect(try await expected(.expectStatus { $0.code >= 400 }) == [400, 404, 500])
  }

  @Test func `above redirects it judges the last response, below them each`() async throws {
    let above = try connection(.curl, .expectStatus, .redirects())
    #expect(try await above.get("redirect/2").status == .ok)
    let below = try connection(.curl, .redirects(), .expectStatus)
    let error = await #expect(throws: UnexpectedStatus.self) { try await below.get("redirect/2") }
    #expect(error?.status == .found)
  }

  @Test func `a refusal behind a redirect to another origin says that it was sent without credentials`() async throws {
    let mock = MockAdapter()
    mock.stub {
      $0.url.host() == "host"
    } respond: {
      Response(status: .found, headers: [.location: "http://away/"], url: $0.url)
    }
    mock.stub { Response(status: .unauthorized, url: $0.url) }
    let connection = try Connection(
      "http://host/", adapter: mock, middleware: [.expectStatus, .redirects(), .authorization(.bearer("hidden"))])
    let error = try await #require(throws: UnexpectedStatus.self) { try await connection.get(headers: ["Authorization": "own"]) }
    #expect(
      "\(error)" == "GET http://host/: unexpected status 401 (sent without the connection's header fields and credentials: a "
        + "redirect led to another origin)")
  }

  @Test func `what the transport throws goes through`() async throws {
    let error = await #expect(throws: TransportError.self) { try await connection(.curl, .expectStatus).get("reset") }
    #expect(error?.code == .connectionClosed || error?.code == .receiveFailed)
  }

  @Test func `one whose body breaks off is an error of the transport, as its body is the caller's`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nten bytes.")
    }
    let connection = try Connection(server.url, adapter: TestedAdapter.curl.adapter, middleware: [.expectStatus])
    let error = await #expect(throws: TransportError.self) { try await connection.get("/") }
    #expect(error?.code == .truncatedResponse && error?.partialResponse?.status == .notFound)
    #expect(error?.partialResponse?.body.data == Data("ten bytes.".utf8))
  }

  @Test func `a response that was cut off is shown without the secret parts of its path`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .internalServerError, body: .data(Data(count: 200 << 10)), url: $0.url) }
    var connection = try Connection("http://host/", adapter: mock, middleware: [.expectStatus])
    connection.secrets.insert(path: "/bot{token}/")
    let error = await #expect(throws: UnexpectedStatus.self) {
      try await connection.get("bothunter2/x") { $0.options.onChunk = { _ in .continue } }
    }
    #expect(error?.isBodyCut == true)
    #expect(error.map { "\($0.response)" } == "500 http://host/bot[secret]/x (0 headers, 65536 bytes)")
  }
}

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
  func `an unexpected response is an error with the whole response, and callbacks see nothing of it`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let seen = Log<String>()
    let connection = try connection(tested, .statusValidation)
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
    let error = try await #require(throws: StatusError.self) { try await connection.send(request) }
    #expect(error.status == .notFound && error.method == .get && error.url == server.url + "/status/404")
    #expect(error.response.headers[.contentType] != nil)
    #expect(try await error.response.body.utf8Text() == "status 404\n")
    #expect(!error.isBodyCut)
    #expect(delivery == .streamed || seen.elements.isEmpty)
    #expect(!seen.elements.contains("404") && !seen.elements.contains("piece"))
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `an expected response reaches the caller`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let (response, text) = try await delivery.get("hello", over: connection(tested, .statusValidation))
    #expect(response.status == .ok && text == "Hello, world!")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the error keeps at most the limit of a body that was meant for the chunk callback`(tested: TestedAdapter) async throws {
    for (limit, size, kept) in [(10, 100, 10), (0, 100, 0), (64 << 10, 1 << 20, 64 << 10), (100_000, 1 << 20, 100_000)] {
      let connection = try connection(tested, .statusValidation(.codes(400..<500), bodyLimit: limit))
      let error = try await #require(throws: StatusError.self) {
        try await connection.get("bytes/\(size)") { $0.options.onChunk = { _ in .continue } }
      }
      let bytes = try await error.response.body.collect()
      #expect(bytes.count == kept && error.isBodyCut)
      #expect(bytes.enumerated().allSatisfy { LocalServer.patternByte(at: $0.offset) == $0.element })
    }
    #expect(try await connection(tested).get("hello").status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an unexpected body above maximumBodySize is truncated in the error`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .statusValidation(.codes(400..<500)))
    let error = try await #require(throws: StatusError.self) {
      try await connection.get("bytes/100000") { $0.options.maximumBodySize = 1000 }
    }
    #expect(error.status == .ok && error.isBodyCut && error.response.body.length ?? .max < 100_000)
  }

  @Test func `ranges, sets and closures define the expected statuses`() async throws {
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
        } catch is StatusError {}
      }
      return expected
    }
    #expect(try await expected(.statusValidation) == [200, 204, 299])
    #expect(try await expected(.statusValidation(.codes(300...399))) == [300, 304, 399])
    #expect(try await expected(.statusValidation(.codes(..<200))) == [199])
    #expect(try await expected(.statusValidation([200, 404])) == [200, 404])
    #expect(try await expected(.statusValidation(.where { $0.code >= 400 })) == [400, 404, 500])
  }

  @Test func `above redirects StatusValidation checks the last response, below them each`() async throws {
    let above = try connection(.curl, .statusValidation, .redirects())
    #expect(try await above.get("redirect/2").status == .ok)
    let below = try connection(.curl, .redirects(), .statusValidation)
    let error = await #expect(throws: StatusError.self) { try await below.get("redirect/2") }
    #expect(error?.status == .found)
  }

  @Test func `the error of a 401 after a cross-origin redirect says that no credentials were sent`() async throws {
    let mock = MockAdapter()
    mock.stub {
      $0.url.host() == "host"
    } respond: {
      Response(status: .found, headers: [.location: "http://away/"], url: $0.url)
    }
    mock.stub { Response(status: .unauthorized, url: $0.url) }
    let connection = try Connection(
      "http://host/", adapter: mock, middleware: [.statusValidation, .redirects(), .authorization(.bearer("hidden"))])
    let error = try await #require(throws: StatusError.self) { try await connection.get(headers: ["Authorization": "own"]) }
    #expect(
      "\(error)" == "GET http://host/: unexpected status 401 (sent without the connection's header fields and credentials: a "
        + "redirect led to another origin)")
  }

  @Test func `transport errors are passed on unchanged`() async throws {
    let error = await #expect(throws: TransportError.self) { try await connection(.curl, .statusValidation).get("reset") }
    #expect(error?.code == .connectionClosed || error?.code == .receiveFailed)
  }

  @Test func `a truncated unexpected body is a transport error`() async throws {
    let server = try MockServer(.text("ten bytes. And more.", status: .notFound).cut(after: 10))
    let connection = try Connection(server.url, adapter: TestedAdapter.curl.adapter, middleware: [.statusValidation])
    let error = await #expect(throws: TransportError.self) { try await connection.get("/") }
    #expect(error?.code == .truncatedResponse && error?.partialResponse?.status == .notFound)
    #expect(error?.partialResponse?.body.data == Data("ten bytes.".utf8))
  }

  @Test func `the URL of a truncated response is shown without the secrets of its path`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .internalServerError, body: .data(Data(count: 200 << 10)), url: $0.url) }
    var connection = try Connection("http://host/", adapter: mock, middleware: [.statusValidation])
    connection.secrets.insert(path: "/bot{token}/")
    let error = await #expect(throws: StatusError.self) {
      try await connection.get("bothunter2/x") { $0.options.onChunk = { _ in .continue } }
    }
    #expect(error?.isBodyCut == true)
    #expect(error.map { "\($0.response)" } == "500 http://host/bot[secret]/x (0 headers, 65536 bytes)")
  }
}

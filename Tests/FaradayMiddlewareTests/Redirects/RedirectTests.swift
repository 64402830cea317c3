import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@Suite struct RedirectTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  private func connection(_ tested: TestedAdapter, _ middleware: any Middleware...) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: middleware)
  }

  private func redirect(to url: String, status: Int = 302) -> String {
    var query: QueryParameters = ["status": "\(status)"]
    query.append(name: "url", value: url)
    return "redirect-to?\(query)"
  }

  private func reason(_ body: () async throws -> Void) async -> RedirectError.Reason? {
    do { try await body() } catch { return (error as? RedirectError)?.reason }
    return nil
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `too many redirects are an error with the last response`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let connection = try connection(tested, .redirects(limit: 3))
    let error = await #expect(throws: RedirectError.self) { try await delivery.get("redirect/4", over: connection) }
    #expect(error?.reason == .tooMany(limit: 3))
    #expect(error?.response.status == .found && error?.response.redirects.count == 3)
    #expect(try await delivery.get("redirect/3", over: connection).text == "arrived\n")
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `middleware below sees each hop, the response lists the hops, and callbacks see the last response`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let below = Log<String>()
    let connection = try connection(
      tested, .redirects(),
      .closure { request, next in
        below.append(request.url.path())
        return try await next(request)
      })
    let heads = Log<Int>()
    var request = try connection.request(.get, "redirect/2#part")
    request.options.onHead = { heads.append($0.status.code) }
    let (response, text) = try await delivery.send(request, over: connection)
    #expect(text == "arrived\n" && response.status == .ok)
    #expect(heads.elements == [200])
    #expect(below.elements == ["/redirect/2", "/redirect/1", "/redirect/0"])
    #expect(response.redirects.map { $0.url.path() } == ["/redirect/2", "/redirect/1"])
    #expect(response.redirects.map { $0.location.path() } == ["/redirect/1", "/redirect/0"])
    #expect(response.url.path() == "/redirect/0" && response.url.fragment() == "part")
    #expect(server.connectionCount <= 1 || tested == .urlSession, "a hop leaves its connection to the next")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a redirect loop is an error unless a cookie was set in between`(tested: TestedAdapter) async throws {
    let loop = try MockServer(.redirect(to: "/b"), .redirect(to: "/"))
    let looping = try Connection(loop.url, adapter: tested.adapter, middleware: [.redirects()])
    #expect(await reason { _ = try await looping.get("/") } == .loop)
    #expect(loop.recorded.count == 2)
    let once = try MockServer(.status(.found, headers: [.location: "/", .setCookie: "seen=1"]), .text("in"))
    let entering = try Connection(once.url, adapter: tested.adapter, middleware: [.redirects()])
    #expect(try await entering.get("/").body.utf8Text() == "in")
  }

  @Test(
    arguments: ["http://", "mailto:somebody", "file:///etc/passwd", "javascript:alert(1)", "http://[", "http:///path"],
    TestedAdapter.allCases)
  func `an invalid Location is an error with its response`(location: String, tested: TestedAdapter) async throws {
    // URLSession cannot read this one either, and keeps the response to itself.
    guard tested == .curl || location != "http://[" else { return }
    let connection = try connection(tested, .redirects())
    let path = redirect(to: location)
    let error = await #expect(throws: RedirectError.self) { try await connection.get(path) }
    #expect(error?.reason == .invalidLocation && error?.response.headers[.location] == location)
    #expect(server.requestCount == 1)
  }

  @Test func `a redirect status without Location, or with redirects disabled by the request, is a response`() async throws {
    let connection = try connection(.curl, .redirects())
    #expect(try await connection.get("status/302").status == .found)
    #expect(try await connection.get("status/304").status == .notModified)
    #expect(try await connection.get("redirect/2") { $0.options.redirectLimit = 0 }.status == .found)
    #expect(await reason { _ = try await connection.get("redirect/2") { $0.options.redirectLimit = 1 } } == .tooMany(limit: 1))
  }

  @Test func `a redirect of an asterisk-form request leads to a resource`() async throws {
    let mock = MockAdapter()
    try mock.stub(.options, path: "/", status: .seeOther, headers: [.location: "/there"])
    try mock.stub(.get, path: "/there")
    let connection = try Connection("http://h/", adapter: mock, middleware: [.redirects()])
    let response = try await connection.options { $0.options.requestTarget = .asterisk }
    #expect(response.status == .ok)
    #expect(mock.recorded.map(\.request.options.requestTarget) == [.asterisk, .origin])
  }

  @Test func `redirects from https to http can be forbidden`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .found, headers: [.location: "http://host/"])
    let connection = try Connection("https://host/", adapter: mock, middleware: [.redirects(allowsDowngrade: false)])
    #expect(await reason { _ = try await connection.get() } == .downgrade)
  }

  // MARK: methods and bodies

  @Test(
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
      (301, "PUT", "PUT"), (302, "PUT", "PUT"), (303, "PUT", "GET"), (307, "PUT", "PUT"), (303, "DELETE", "GET"),
      (302, "DELETE", "DELETE"), (301, "GET", "GET"), (303, "GET", "GET"),
    ], TestedAdapter.allCases)
  func `method and body follow the rules of each status`(
    rule: (status: Int, before: String, after: String), tested: TestedAdapter
  )
    async throws
  {
    let connection = try connection(tested, .redirects())
    let method = try #require(HTTPRequest.Method(rule.before))
    let hasBody = method != .get && method != .delete
    let path = redirect(to: "/inspect", status: rule.status)
    let response = try await connection.send(method, path, body: hasBody ? "content" : .empty) {
      if hasBody { $0.headers[.contentType] = "text/plain" }
    }
    let seen = try await Inspected(response)
    #expect(seen.method == rule.after)
    let keeps = hasBody && rule.before == rule.after
    #expect(seen.bodyText == (keeps ? "content" : ""))
    if hasBody { #expect(seen.values("Content-Type") == (keeps ? ["text/plain"] : [])) }
  }

  @Test(arguments: [
    "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length", "Transfer-Encoding", "Expect",
    "Idempotency-Key",
  ])
  func `a dropped body takes its content headers along, and a kept body keeps them`(name: String) async throws {
    let field = try #require(HTTPField.Name(name))
    // Not allowed together with a body of that length.
    let body: Body = name == "Transfer-Encoding" ? .stream(Pieces("content"), isReplayable: true) : "content"
    let value = [.contentLength: "7", .transferEncoding: "chunked", .expect: "100-continue"][field] ?? "text"
    for (status, keeps) in [(303, false), (302, false), (301, false), (307, true), (308, true)] {
      let mock = MockAdapter()
      try mock.stub(.post, path: "/", status: .init(code: status), headers: [.location: "/there"])
      try mock.stub(keeps ? .post : .get, path: "/there")
      let connection = try Connection("http://h/", adapter: mock, middleware: [.redirects()])
      _ = try await connection.post(body: body) {
        $0.headers[field] = value
        $0.headers[.accept] = "text/plain"
      }
      let last = try #require(mock.recorded.last?.request)
      #expect(last.headers[field] == (keeps ? value : nil), "\(status)")
      #expect(last.headers[.accept] == "text/plain" && last.body.isEmpty == !keeps)
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a form that redirects to its own URL with another method is not a loop`(tested: TestedAdapter) async throws {
    let server = try MockServer { $0.method == .post ? .redirect(to: "/", status: .seeOther) : .text("the form") }
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.redirects()])
    #expect(try await connection.post("/", body: "a=1").body.utf8Text() == "the form")
    #expect(server.recorded.count == 2)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a redirected HEAD stays HEAD`(tested: TestedAdapter) async throws {
    let below = Log<String>()
    let connection = try connection(
      tested, .redirects(),
      .closure { request, next in
        below.append(request.method.rawValue)
        return try await next(request)
      })
    _ = try await connection.head(redirect(to: "/hello", status: 303))
    #expect(below.elements == ["HEAD", "HEAD"])
  }

  @Test(arguments: [307, 308], TestedAdapter.allCases)
  func `a body that can be read once is an error, and a file or a replayable sequence is sent again`(
    status: Int, tested: TestedAdapter
  ) async throws {
    let connection = try connection(tested, .redirects())
    let path = redirect(to: "/echo", status: status)
    let once = Body.stream(Pieces("a", "b"))
    #expect(await reason { _ = try await connection.post(path, body: once) } == .bodyNotReplayable)
    let again = Body.stream(Pieces("a", "b"), length: 2, isReplayable: true)
    #expect(try await connection.post(path, body: again).body.utf8Text() == "ab")
    let file = try TemporaryFile(Data("file".utf8))
    #expect(try await connection.post(path, body: .file(file.path)).body.utf8Text() == "file")
  }

  @Test func `a long body of a redirect is not read to its end`() async throws {
    let server = try RawServer { connection in
      let head = try connection.readHead()
      guard head.hasPrefix("GET / ") else { return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere") }
      try connection.send("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 100000000\r\n\r\n")
      while true { try connection.send([UInt8](repeating: 0, count: 100_000)) }
    }
    let connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [.redirects()])
    for delivery in [TestedDelivery.streamed, .callback] {
      #expect(try await delivery.get("/", over: connection).text == "there")
    }
  }

  @Test(arguments: TestedAdapter.allCases, [false, true])
  func `maximumBodySize applies to the last response and not to redirects`(
    tested: TestedAdapter, watches: Bool
  ) async throws {
    let long = String(repeating: "x", count: 1000)
    let redirect = Response.text(long, status: .found, headers: [.location: "/there"])
    let server = try MockServer(redirect, .text("there"), redirect, .text(long))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.redirects()])
    let heads = Log<Int>()
    var request = try connection.request(.get, "/")
    request.options.maximumBodySize = 10
    if watches { request.options.onHead = { heads.append($0.status.code) } }
    let response = try await connection.send(request)
    #expect(try await response.body.utf8Text() == "there" && response.redirects.map(\.status.code) == [302])
    let error = await #expect(throws: TransportError.self) { try await connection.send(request) }
    #expect(error?.code == .bodyTooLarge && error?.partialResponse?.status == .ok)
    #expect(heads.elements == (watches ? [200, 200] : []) && server.recorded.count == 4)
  }

  @Test func `a streamed redirect body with a short length is read only up to that length`() async throws {
    let given = Log<Int>()
    let endless = AsyncStream {
      given.append(1)
      return Data(count: 32 << 10)
    }
    let connection = try Connection(
      "http://host/", adapter: MockAdapter(),
      middleware: [
        .redirects(),
        .closure { request, _ in
          guard request.url.path() == "/" else { return Response(status: .ok, url: request.url) }
          let headers: HTTPFields = [.location: "/there", .contentLength: "100"]
          return Response(status: .found, headers: headers, body: .stream(endless), url: request.url)
        },
      ])
    #expect(try await connection.get { $0.options.delivery = .streamed }.status == .ok)
    #expect(given.elements.count == 3)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `1xx responses of every hop are delivered`(tested: TestedAdapter) async throws {
    guard tested.adapter.capabilities.contains(.informational) else { return }
    let server = try MockServer(
      .redirect(to: "/there").informational(.earlyHints), .text("there").informational(.earlyHints))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.redirects()])
    let seen = Log<Int>()
    _ = try await connection.get("/") { $0.options.onInformational = { seen.append($0.status.code) } }
    #expect(seen.elements == [103, 103])
  }

  @Test func `headers that describe the body are dropped with it`() async throws {
    let mock = MockAdapter()
    mock.stub(times: 1) { Response(status: .seeOther, headers: [.location: "/y"], url: $0.url) }
    mock.stub { Response(status: .ok, url: $0.url) }
    _ = try await Connection("http://host/", adapter: mock, middleware: [.redirects()]).put("x", body: "abc") {
      for name in [
        "Content-Range", "Content-MD5", "Content-Digest", "Content-Disposition", "content-language", "Digest", "Repr-Digest",
        "Last-Modified", "Trailer", "Accept",
      ] {
        try $0.headers.set(name: name, value: "x")
      }
    }
    #expect(mock.recorded.last?.request.headers.map(\.name) == [.userAgent, .accept])
  }

  @Test(arguments: TestedAdapter.allCases) func `the test server sends a body with every redirect`(
    tested: TestedAdapter
  )
    async throws
  {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: tested.adapter)
    #expect(try await connection.get("redirect-to?url=/hello&status=304").status == .badRequest)
    #expect(try await connection.get("redirect-to?url=/hello&status=307").status == .temporaryRedirect)
  }

  @Test func `a URL that was requested before a cookie was set can be requested again`() async throws {
    let mock = MockAdapter()
    let answers: [HTTPFields] = [
      [.location: "/login"], [.location: "/", .setCookie: "seen=1"], [.location: "/login"], [.location: "/home"],
    ]
    for fields in answers { mock.stub(times: 1) { Response(status: .found, headers: fields, url: $0.url) } }
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection("https://host/", adapter: mock, middleware: [.redirects()])
    let response = try await connection.get()
    #expect(response.redirects.map { $0.location.path } == ["/login", "/", "/login", "/home"])
    // Without another cookie, the third visit of a URL is a loop.
    let looping = MockAdapter()
    let loop: [HTTPFields] = [[.location: "/a"], [.location: "/", .setCookie: "seen=1"], [.location: "/a"], [.location: "/"]]
    for fields in loop { looping.stub(times: 1) { Response(status: .found, headers: fields, url: $0.url) } }
    let other = try Connection("https://host/", adapter: looping, middleware: [.redirects()])
    #expect(await reason { _ = try await other.get() } == .loop)
  }
}

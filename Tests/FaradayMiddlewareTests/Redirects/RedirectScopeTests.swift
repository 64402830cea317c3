@_spi(Adapters) import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The options of ``Redirects`` about the kept parts of a request, and about loops.
@Suite struct RedirectScopeTests {
  /// Redirects with these statuses to these URLs in turn, and returns the requests that were sent.
  private func sent(
    _ request: Request, through redirects: Redirects, below: [any Middleware] = [], to urls: String..., status: Int = 307
  ) async throws -> [Request] {
    let mock = MockAdapter()
    for url in urls {
      mock.stub(times: 1) { Response(status: .init(code: status), headers: [.location: url], url: $0.url) }
    }
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection("http://a.test/", adapter: mock, middleware: [redirects] + below)
    _ = try await connection.send(request)
    return mock.recorded.map(\.request)
  }

  private func request(_ method: HTTPRequest.Method = .get, body: Body = .empty) throws -> Request {
    var request = try Request(method, "http://a.test/1", body: body)
    try request.headers.authorize(.bearer("secret"))
    request.headers[.cookie] = "id=1"
    try request.headers.set(name: "Host", value: "name.test")
    try request.headers.set(name: "X-Plain", value: "1")
    request.options.tls.clientCertificate = ClientCertificate(.file("certificate"))
    return request
  }

  /// The credentials in each request.
  private func credentials(_ requests: [Request]) -> [Bool?] {
    requests.map { request in
      let found = [
        request.headers[.authorization] == "Bearer secret", request.headers[.cookie] == "id=1",
        request.options.tls.clientCertificate != nil,
      ]
      return Set(found).count == 1 ? found[0] : nil
    }
  }

  @Test(arguments: [
    (Redirects.CredentialScope.untilCrossOrigin, [true, false, false, false]), (.firstOrigin, [true, false, true, false]),
    (.everyOrigin, [true, true, true, true]),
  ])
  func `credentials are sent to the origins of their scope`(_ scope: Redirects.CredentialScope, _ expected: [Bool]) async throws {
    let requests = try await sent(
      try request(), through: .redirects(credentials: scope), to: "http://b.test/2", "http://a.test/3", "http://b.test/4")
    #expect(credentials(requests) == expected)
    #expect(requests.map { $0.url.host() } == ["a.test", "b.test", "a.test", "b.test"])
    let plain = try #require(HTTPField.Name("X-Plain"))
    #expect(requests.allSatisfy { $0.headers[plain] == "1" })
  }

  @Test func `the Host header stays with its origin in every scope`() async throws {
    let host = try #require(HTTPField.Name("Host"))
    for (scope, back) in [(Redirects.CredentialScope.firstOrigin, "name.test"), (.everyOrigin, "name.test")] as [(_, String?)] {
      let requests = try await sent(
        try request(), through: .redirects(credentials: scope), to: "http://b.test/2", "http://a.test/3")
      #expect(requests.map { $0.headers[host] } == ["name.test", nil, back])
    }
  }

  @Test func `middleware below Redirects adds credentials again on return to the first origin`() async throws {
    for (scope, back) in [(Redirects.CredentialScope.firstOrigin, "Basic YTpi"), (.untilCrossOrigin, nil)] as [(_, String?)] {
      let requests = try await sent(
        try Request(.get, "http://a.test/1"), through: .redirects(credentials: scope),
        below: [.authorization(.basic(user: "a", password: "b"))], to: "http://b.test/2", "http://a.test/3")
      #expect(requests.map { $0.headers[.authorization] } == ["Basic YTpi", nil, back])
    }
  }

  @Test func `another scheme or port is another origin, from which no redirect returns credentials`() async throws {
    let requests = try await sent(
      try request(), through: .redirects(credentials: .firstOrigin), to: "http://a.test:81/2", "https://a.test/3",
      "http://a.test/4")
    #expect(credentials(requests) == [true, false, false, true])
  }

  @Test func `a redirect gives no credentials to a request that was cross-origin before`() async throws {
    var foreign = try Request(.get, "http://a.test/1")
    foreign.becomeCrossOrigin()
    let requests = try await sent(
      foreign, through: .redirects(credentials: .firstOrigin), below: [.authorization(.bearer("secret"))],
      to: "http://b.test/2", "http://a.test/3")
    #expect(requests.allSatisfy { $0.headers[.authorization] == nil })
  }

  @Test func `a redirect back uses the method, body and referrer of the previous hop`() async throws {
    let redirects = Redirects.redirects(sendsReferer: true, credentials: .firstOrigin)
    let kept = try await sent(
      try request(.post, body: "data"), through: redirects, to: "http://b.test/2", "http://a.test/3")
    #expect(kept.map(\.method) == [.post, .post, .post] && kept.last?.body.data == Data("data".utf8))
    #expect(kept.last?.headers[.referer] == "http://b.test/")
    let changed = try await sent(
      try request(.post, body: "data"), through: redirects, to: "http://b.test/2", "http://a.test/3", status: 302)
    #expect(changed.map(\.method) == [.post, .get, .get] && changed.last?.body.isEmpty == true)
    #expect(changed.last?.headers[.authorization] == "Bearer secret")
  }

  @Test(arguments: [301, 302, 303])
  func `method-preserving statuses send method and body again, and others do not`(_ status: Int) async throws {
    for kept in [301, 302, 303] {
      let requests = try await sent(
        try request(.post, body: "data"), through: .redirects(keepsMethod: [kept]), to: "http://a.test/2", status: status)
      #expect(requests.last?.method == (kept == status ? .post : .get))
      #expect(requests.last?.body.isEmpty == (kept != status))
    }
  }

  @Test func `an allowed loop is followed up to the limit`() async throws {
    let busy = MockAdapter()
    busy.stub(times: 3) { Response(status: .found, headers: [.location: "/1"], url: $0.url) }
    busy.stub { Response(status: .ok, url: $0.url) }
    let polling = try Connection("http://a.test/", adapter: busy, middleware: [.redirects(followsLoops: true)])
    #expect(try await polling.get("1").redirects.count == 3)
    let mock = MockAdapter()
    mock.stub { Response(status: .found, headers: [.location: "/1"], url: $0.url) }
    let endless = try Connection("http://a.test/", adapter: mock, middleware: [.redirects(limit: 4, followsLoops: true)])
    let error = await #expect(throws: RedirectError.self) { try await endless.get("1") }
    #expect(error?.reason == .tooMany(limit: 4) && mock.recorded.count == 5)
  }
}

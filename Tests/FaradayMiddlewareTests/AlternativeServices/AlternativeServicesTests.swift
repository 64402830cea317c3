import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayMiddleware

/// The middleware: which requests use an alternative, which responses it learns from, and failures.
@Suite struct AlternativeServicesTests {
  private let now = Now()
  private let store: AlternativeServiceStore
  private let mock = MockAdapter()
  private let url = "https://a.example/"
  private let field: HTTPFields = [.altSvc: "h2=\"b.example:8443\""]

  init() { store = AlternativeServiceStore { [now] in now.date } }

  private func answer(_ headers: HTTPFields = [:], times: Int = .max, status: HTTPResponse.Status = .ok) {
    mock.stub(times: times) { Response(status: status, headers: headers, url: $0.url, version: .http2) }
  }

  private func fail(_ code: TransportError.Code, phase: TransportError.Phase) {
    mock.stub(times: 1) { throw TransportError(code, phase: phase, method: $0.method, url: $0.url, message: "") }
  }

  private func connection(_ adapter: MockAdapter? = nil) -> Connection {
    Connection(adapter: adapter ?? mock, middleware: [.alternativeServices(store)])
  }

  /// The host of each request's `Alt-Used`; `origin` without one.
  private func places(_ mock: MockAdapter? = nil) -> [String] {
    (mock ?? self.mock).recorded.map(\.request).map { request in
      guard let place = request.headers[.altUsed] else {
        return request.options.network.connectTo.isEmpty ? "origin" : "not said"
      }
      return request.options.network.connectTo.count == 1 ? place : "not moved"
    }
  }

  private func learn(_ field: String) throws { store.receive(field, from: try #require(URL(string: url))) }

  private var known: [Int] { get throws { store.alternatives(for: try #require(URL(string: url))).map(\.port) } }

  @Test func `a host override of the request takes precedence over an alternative`() async throws {
    answer()
    try learn("h2=\"b.example:8443\"")
    _ = try await connection().get(url) {
      $0.options.network.hostOverrides = [HostOverride("a.example", addresses: ["192.0.2.1"])]
    }
    #expect(places() == ["origin"])
  }

  @Test func `an upgrade is sent to its origin`() async throws {
    answer()
    try learn("h2=\"b.example:8443\"")
    _ = try await connection().get(url) {
      $0.options.upgrade = Upgrade(to: "test")
      $0.options.delivery = .streamed
    }
    #expect(places() == ["origin"])
  }

  // MARK: Learning

  @Test func `later requests connect to the alternative and are unchanged otherwise`() async throws {
    answer(field)
    for _ in 0..<2 { _ = try await connection().get("https://A.example:443/path") { $0.headers[.accept] = "text/plain" } }
    _ = try await connection().get("https://a.example:444/")
    #expect(places() == ["origin", "b.example:8443", "origin"])
    let moved = try #require(mock.recorded.dropFirst().first?.request)
    #expect(moved.url.absoluteString == "https://A.example:443/path" && moved.headers[.accept] == "text/plain")
    #expect(
      moved.options.network.connectTo == [ConnectTo(host: "a.example", port: 443, toHost: "b.example", toPort: 8443)])
  }

  @Test func `responses from http, unverified servers or with a 421 store nothing`() async throws {
    answer(field, times: 1, status: .misdirectedRequest)
    answer(field)
    _ = try await connection().get(url)
    _ = try await connection().get("http://a.example/")
    _ = try await connection().get(url) { $0.options.tls.verifiesServer = false }
    #expect(store.known.isEmpty)
    _ = try await connection().get(url)
    #expect(try known == [8443])
  }

  @Test func `the response's Age shortens a lifetime`() async throws {
    answer([.altSvc: "h2=\":1\"; ma=60", .age: "50"])
    _ = try await connection().get(url)
    #expect(try known == [1])
    now.advance(by: 10)
    #expect(try known.isEmpty)
  }

  // MARK: Choosing

  @Test(arguments: [
    ("h3=\":1\", h2=\":2\", http%2F1.1=\":3\"", HTTPVersionPolicy.automatic, "a.example:1"),
    ("h3=\":1\", h2=\":2\", http%2F1.1=\":3\"", .http2, "a.example:2"),
    ("h2=\":2\", h3=\":1\"", .automatic, "a.example:2"), ("h2=\":2\", h3=\":1\"", .http3, "a.example:1"),
    ("h3=\":1\", h2=\":2\", http%2F1.1=\":3\"", .http1, "a.example:3"),
    ("http%2F1.1=\":3\", h2=\":2\"", .http2, "a.example:3"),
    ("h4=\":1\", x=\":2\"", .automatic, "origin"), ("h3=\":1\"", .http1, "origin"),
    ("h2=\":2\"", .http1, "origin"), ("http%2F1.1=\":3\"", .http1_0, "origin"),
    // The origin itself is preferred.
    ("h4=\":1\", h2=\":443\", h2=\":2\"", .automatic, "origin"), ("h2=\"[::1]:2\"", .automatic, "[::1]:2"),
  ])
  func `the first supported alternative is used`(field: String, version: HTTPVersionPolicy, expected: String)
    async throws
  {
    answer()
    try learn(field)
    _ = try await connection().get(url) { $0.options.httpVersion = version }
    #expect(places() == [expected])
  }

  @Test func `an HTTP/2 alternative needs an adapter with HTTP/2, and ALPN`() async throws {
    try learn("h2=\":2\", http%2F1.1=\":3\"")
    let mock = MockAdapter(capabilities: .all.subtracting(.http2))
    mock.stub { Response(status: .ok, url: $0.url) }
    _ = try await connection(mock).get(url)
    #expect(places(mock) == ["a.example:3"])
    answer()
    _ = try await connection().get(url) { $0.options.tls.negotiatesProtocol = false }
    #expect(places() == ["a.example:3"])
  }

  @Test func `an HTTP/3 alternative needs an adapter with HTTP/3, and ALPN`() async throws {
    try learn("h3=\":1\", h2=\":2\"")
    let mock = MockAdapter(capabilities: .all.subtracting(.http3))
    mock.stub { Response(status: .ok, url: $0.url) }
    _ = try await connection(mock).get(url)
    #expect(places(mock) == ["a.example:2"])
    answer()
    _ = try await connection().get(url) { $0.options.tls.negotiatesProtocol = false }
    #expect(places() == ["origin"])
  }

  @Test func `HTTP/3 at the origin itself needs no other address`() async throws {
    mock.stub { Response(status: .ok, headers: [.altSvc: "h3=\":443\""], url: $0.url, version: .http3) }
    for _ in 0..<3 { _ = try await connection().get(url) }
    let requests = mock.recorded.map(\.request)
    #expect(requests.map(\.options.httpVersion) == [.automatic, .http3, .http3])
    #expect(requests.map { $0.headers[.altUsed] } == [nil, "a.example:443", "a.example:443"])
    #expect(requests.allSatisfy { $0.options.network.connectTo.isEmpty })
  }

  @Test func `an HTTP/3 alternative that responded over TCP is not used for five minutes`() async throws {
    mock.stub { Response(status: .ok, headers: [.altSvc: "h3=\":443\""], url: $0.url, version: .http2) }
    for _ in 0..<3 { _ = try await connection().get(url) }
    now.advance(by: 300)
    for _ in 0..<2 { _ = try await connection().get(url) }
    #expect(mock.recorded.map(\.request.options.httpVersion) == [.automatic, .http3, .automatic, .http3, .automatic])
  }

  @Test func `an HTTP/2 alternative may respond with HTTP/1.1`() async throws {
    try learn("h2=\"b.example:8443\"")
    mock.stub { Response(status: .ok, url: $0.url, version: .http1_1) }
    for _ in 0..<2 { _ = try await connection().get(url) }
    #expect(places() == ["b.example:8443", "b.example:8443"])
  }

  @Test func `a request with trailers is sent to its origin`() async throws {
    try learn("h3=\":443\"")
    answer()
    _ = try await connection().post(url) {
      $0.body = .stream(Pieces([Data("a".utf8)]), isReplayable: true)
      $0.options.requestTrailers = { [:] }
    }
    #expect(mock.recorded.map(\.request.options.httpVersion) == [.automatic])
  }

  @Test func `the response of an error is learned from`() async throws {
    answer(field, times: 1, status: .serviceUnavailable)
    answer()
    let connection = Connection(adapter: mock, middleware: [.alternativeServices(store), .statusValidation])
    await #expect(throws: StatusError.self) { try await connection.get(url) }
    _ = try await connection.get(url)
    #expect(places() == ["origin", "b.example:8443"])
  }

  @Test func `a stored response with an older version does not reject an HTTP/3 alternative`() async throws {
    try learn("h3=\":443\"")
    mock.stub { Response(status: .ok, url: $0.url, version: .http3) }
    let stored = MiddlewareClosure { request, next in
      guard request.url.path() != "/stored" else { return Response(status: .ok, url: request.url, version: .http2) }
      return try await next(request)
    }
    let connection = Connection(adapter: mock, middleware: [.alternativeServices(store), stored])
    for path in ["stored", "b"] { _ = try await connection.get(url + path) }
    #expect(mock.recorded.map(\.request.options.httpVersion) == [.http3])
  }

  @Test func `a request that an alternative has received is not sent to the origin, if its redirect cannot connect`() async throws
  {
    try learn("h2=\"b.example:8443\"")
    try mock.stub(.post, path: "/", status: .seeOther, headers: [.location: "https://closed.example/"])
    mock.stub { throw TransportError(.connectionFailed, phase: .connecting, method: $0.method, url: $0.url, message: "") }
    let connection = Connection(adapter: mock, middleware: [.alternativeServices(store), .redirects()])
    await #expect(throws: TransportError.self) { try await connection.post(url, body: "a") }
    #expect(mock.recorded.map(\.request.method) == [.post, .get])
  }

  @Test func `an adapter without host overrides gets every request unchanged`() async throws {
    try learn("h2=\":2\"")
    let mock = MockAdapter(capabilities: .all.subtracting(.otherAddresses))
    mock.stub { Response(status: .ok, url: $0.url) }
    _ = try await connection(mock).get(url)
    #expect(places(mock) == ["origin"])
  }

  @Test func `requests with own addresses, without verification or with a body to be read once go to the origin`() async throws {
    answer()
    try learn("h2=\":2\"")
    let edits: [@Sendable (inout Request) throws -> Void] = [
      { $0.options.network.unixSocket = "/socket" }, { $0.options.proxy = .proxy(try Proxy("http://proxy.example")) },
      { $0.options.tls.verifiesServer = false },
      { $0.body = .stream(AsyncStream { $0.finish() }) },
    ]
    for edit in edits {
      var request = try Request(url)
      request.method = .put
      try edit(&request)
      _ = try await connection().send(request)
    }
    #expect(places() == Array(repeating: "origin", count: edits.count))
    let own = [ConnectTo(toHost: "c.example")]
    _ = try await connection().get(url) { $0.options.network.connectTo = own }
    let last = try #require(mock.recorded.last?.request)
    #expect(last.options.network.connectTo == own && last.headers[.altUsed] == nil)
  }

  // MARK: Failures

  @Test(arguments: [
    (TransportError.Code.nameNotFound, TransportError.Phase.resolving), (.connectionFailed, .connecting),
    (.addressForbidden, .connecting), (.connectTimeout, .connecting), (.tlsVerificationFailed, .tls),
  ])
  func `an alternative that refuses the connection is rejected, and the origin is used`(
    code: TransportError.Code, phase: TransportError.Phase
  ) async throws {
    try learn("h2=\"b.example:8443\", h2=\"c.example:1\"")
    fail(code, phase: phase)
    answer()
    var request = try Request(url)
    (request.method, request.body) = (.post, "body")
    #expect(try await connection().send(request).status == .ok)
    #expect(places() == ["b.example:8443", "origin"] && mock.recorded.map(\.body) == [Data("body".utf8), Data("body".utf8)])
    #expect(try known == [1])
  }

  @Test func `a rejected alternative that is advertised again is used after five minutes`() async throws {
    try learn("h2=\"b.example:8443\"")
    fail(.connectionFailed, phase: .connecting)
    answer(field)
    for _ in 0..<2 { _ = try await connection().get(url) }
    now.advance(by: 299)
    _ = try await connection().get(url)
    now.advance(by: 1)
    _ = try await connection().get(url)
    #expect(places() == ["b.example:8443", "origin", "origin", "origin", "b.example:8443"])
  }

  @Test(arguments: [
    (TransportError.Code.connectionClosed, TransportError.Phase.waiting), (.sendFailed, .sending), (.queueTimeout, .connecting),
    (.outOfDescriptors, .connecting), (.invalidCA, .tls), (.unsupported, .building),
  ])
  func `other failures reach the caller and do not reject the alternative`(
    code: TransportError.Code, phase: TransportError.Phase
  ) async throws {
    try learn("h2=\":2\"")
    fail(code, phase: phase)
    answer()
    let error = await #expect(throws: TransportError.self) { try await connection().get(url) }
    #expect(error?.code == code && places() == ["a.example:2"])
    #expect(try known == [2])
  }

  @Test func `after the total timeout the origin is not tried, but the next request uses it`() async throws {
    try learn("h2=\":2\"")
    fail(.totalTimeout, phase: .connecting)
    answer()
    await #expect(throws: TransportError.self) { try await connection().get(url) }
    _ = try await connection().get(url)
    #expect(places() == ["a.example:2", "origin"])
  }

  @Test func `an alternative that returns 421 is rejected, and the origin is used`() async throws {
    try learn("h2=\":2\"")
    answer([.altSvc: "h2=\":3\""], times: 1, status: .misdirectedRequest)
    answer()
    #expect(try await connection().get(url).status == .ok)
    #expect(places() == ["a.example:2", "origin"])
    #expect(try known.isEmpty)
  }

  @Test func `rejections are bounded, and cleared with the store or when the network changes`() throws {
    let store = AlternativeServiceStore(limit: 2) { [now] in now.date }
    let url = try #require(URL(string: url))
    func ports() -> [Int] {
      store.receive("h2=\":1\", h2=\":2\", h2=\":3\"", from: url)
      return store.alternatives(for: url).map(\.port)
    }
    _ = ports()
    for alternative in store.alternatives(for: url) {
      store.reject(alternative, for: url)
      now.advance(by: 1)
    }
    #expect(ports() == [1])
    store.networkChanged()
    #expect(ports() == [1, 2, 3])
    store.reject(store.alternatives(for: url)[0], for: url)
    #expect(ports() == [2, 3])
    store.removeAll()
    #expect(ports() == [1, 2, 3])
  }
}

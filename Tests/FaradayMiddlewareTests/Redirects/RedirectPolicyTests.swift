import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Which redirects are followed, and their Referer.
@Suite struct RedirectPolicyTests {
  private struct Mine: Error {}

  /// Each path leads to the next URL.
  private func connection(_ start: String, leadingTo urls: String..., through redirects: Redirects) throws -> (
    Connection, MockAdapter
  ) {
    let mock = MockAdapter()
    var paths = ["/"]
    for url in urls {
      try mock.stub(.get, path: paths[paths.count - 1], status: .found, headers: [.location: url], body: "moved")
      paths.append(try #require(URL(string: url)).path())
    }
    try mock.stub(.get, path: paths[paths.count - 1], body: "there")
    return (try Connection(start, adapter: mock, middleware: [redirects]), mock)
  }

  private func reason(_ body: () async throws -> Void) async -> RedirectError.Reason? {
    do { try await body() } catch { return (error as? RedirectError)?.reason }
    return nil
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a policy that stops delivers the redirect as the response, with its body and callbacks`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let server = try LocalServer()
    let policy: Redirects.Policy = { $0.newRequest.url.path() == "/redirect/1" ? .stop : .follow }
    let connection = try Connection(server.url + "/", adapter: tested.adapter, middleware: [.redirects(policy: policy)])
    let heads = Log<Int>()
    var request = try connection.request(.get, "redirect/3")
    request.options.onHead = { heads.append($0.status.code) }
    let (response, text) = try await delivery.send(request, over: connection)
    #expect(response.status == .found && text == "2 to go\n" && heads.elements == [302])
    #expect(response.redirects.map { $0.url.path() } == ["/redirect/3"] && response.url.path() == "/redirect/2")
    #expect(server.requestCount == 2)
  }

  @Test(arguments: TestedDelivery.allCases)
  func `the policy's error is thrown by the request, and nothing more is sent`(delivery: TestedDelivery) async throws {
    let (connection, mock) = try connection("http://h/", leadingTo: "/a", through: .redirects { _ in throw Mine() })
    await #expect(throws: Mine.self) { try await delivery.get("/", over: connection) }
    #expect(mock.recorded.count == 1)
  }

  @Test func `the policy is called once for each redirect with the request that would be sent`() async throws {
    let seen = Log<String>()
    let policy: Redirects.Policy = { attempt in
      let following = attempt.newRequest
      seen.append(
        "\(attempt.count) \(attempt.head.status.code) \(attempt.url) \(following.method) \(following.url) "
          + "\(following.headers[.authorization] ?? "-")")
      return .follow
    }
    let (connection, _) = try connection("http://h/", leadingTo: "/a", "http://other/b", through: .redirects(policy: policy))
    let response = try await connection.get { $0.headers[.authorization] = "mine" }
    #expect(try await response.body.utf8Text() == "there")
    #expect(seen.elements == ["0 302 http://h/ GET http://h/a mine", "1 302 http://h/a GET http://other/b -"])
  }

  @Test func `the policy is not called for redirects that the rules reject`() async throws {
    let policy: Redirects.Policy = { _ in throw Mine() }
    let (many, _) = try connection("http://h/", leadingTo: "/a", through: .redirects(limit: 0, policy: policy))
    #expect(try await many.get().status == .found)
    let (loop, _) = try connection("http://h/", leadingTo: "/", through: .redirects(policy: policy))
    #expect(await reason { _ = try await loop.get() } == .loop)
    let (nowhere, _) = try connection("http://h/", leadingTo: "ftp://h/", through: .redirects(policy: policy))
    #expect(await reason { _ = try await nowhere.get() } == .invalidLocation)
    let (down, _) = try connection(
      "https://h/", leadingTo: "http://h/a", through: .redirects(allowsDowngrade: false, policy: policy))
    #expect(await reason { _ = try await down.get() } == .downgrade)
  }

  @Test func `redirects can be restricted to https`() async throws {
    let (plain, _) = try connection("http://h/", leadingTo: "http://h/a", through: .redirects(httpsOnly: true))
    #expect(await reason { _ = try await plain.get() } == .insecure)
    let (down, _) = try connection("https://h/", leadingTo: "http://h/a", through: .redirects(httpsOnly: true))
    #expect(await reason { _ = try await down.get() } == .insecure)
    let (up, _) = try connection("http://h/", leadingTo: "https://h/a", "/b", through: .redirects(httpsOnly: true))
    #expect(try await up.get().url.absoluteString == "https://h/b")
  }

  private static let referers: [(start: String, targets: [String], referers: [String?])] = [
    ("http://user:password@h/?q=1#f", ["/a?b=2", "http://h/c"], ["http://h/?q=1", "http://h/a?b=2"]),
    ("https://h/?q=1", ["https://other:8443/a?b=2", "https://h/c"], ["https://h/", "https://other:8443/"]),
    ("https://h/?q=1", ["http://h/a"], [nil]), ("http://h/?q=1", ["https://h/a"], ["http://h/"]),
    ("HTTPS://h/", ["http://h/a", "/b"], [nil, "http://h/a"]),
  ]

  @Test(arguments: referers)
  func `a followed request has a Referer if requested`(start: String, targets: [String], referers: [String?]) async throws {
    let scopes = [Redirects.CredentialScope.untilCrossOrigin, .firstOrigin, .everyOrigin]
    for (sendsReferer, scope) in [true, false].flatMap({ sends in scopes.map { (sends, $0) } }) {
      let mock = MockAdapter()
      mock.stub { request in
        let index = mock.recorded.count - 1
        let headers: HTTPFields = index < targets.count ? [.location: targets[index]] : [:]
        return Response(status: index < targets.count ? .found : .ok, headers: headers, url: request.url)
      }
      let connection = Connection(adapter: mock, middleware: [.redirects(sendsReferer: sendsReferer, credentials: scope)])
      _ = try await connection.get(start)
      let sent = mock.recorded.map { $0.request.headers[.referer] }
      #expect(sent == [nil] + (sendsReferer ? referers : referers.map { _ in nil }))
    }
  }

  @Test func `the caller's Referer is sent only with the first request`() async throws {
    let (connection, mock) = try connection("http://h/", leadingTo: "/a", through: .redirects(sendsReferer: true))
    _ = try await connection.get { $0.headers[.referer] = "http://h/before" }
    #expect(mock.recorded.map { $0.request.headers[.referer] } == ["http://h/before", "http://h/"])
  }
}

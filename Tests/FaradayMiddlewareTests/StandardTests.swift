import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import Logging
import TestSupport
import Testing

/// The standard list as a whole, over each adapter and for each delivery.
@Suite(.watchdog) struct StandardTests {
  @Test func `the standard list has its order, and omits disabled middleware`() {
    let names = { (list: [any Middleware]) in list.map { "\(type(of: $0))" } }
    #expect(
      names(.standard) == ["JSONEncoding", "FormEncoding", "Multipart", "ContentDecoding", "JSONDecoding", "Redirects", "Retry"])
    #expect(
      names(Self.whole).dropFirst(6) == [
        "Redirects", "Cookies", "Authorization", "HTTPCache", "Coalescing", "Retry", "Hedging", "CircuitBreaker",
        "RateLimit", "ConcurrencyLimit", "AWSSignature", "ExchangeLogger",
      ])
  }

  private static var whole: [any Middleware] {
    .standard(
      compression: .compression, authorization: .authorization(.bearer("token")), cookies: CookieJar(),
      cache: .cache(policy: .alwaysRevalidate),
      coalescing: .coalescing,
      hedging: .hedging(afterPercentile: 0.95), circuitBreaker: .circuitBreaker, rateLimit: .rateLimit,
      concurrencyLimit: .concurrencyLimit(16),
      signature: .awsSignature(region: "a", service: "b", credentials: AWSCredentials(accessKey: "a", secretKey: "b")),
      logger: Logger(label: "test"))
  }

  private static func page(_ name: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    return try String(contentsOfFile: root + "/Sources/Faraday/Faraday.docc/" + name, encoding: .utf8)
  }

  @Test func `the picture of the stack shows the list in the order of the code`() throws {
    // A dot marks a middleware that is always in the list. `TokenRefresh` is a choice beside `Authorization`.
    let row = #/<circle class="(dot|ring)" cx="114"[^>]*/>\s*<text class="name"[^>]*>([^<]*)</text>/#
    let shown = try Self.page("Resources/stack.svg").matches(of: row).flatMap { match in
      match.2.components(separatedBy: ", ").map { (isAlways: match.1 == "dot", name: $0) }
    }
    #expect(shown.filter(\.isAlways).map(\.name) == [any Middleware].standard.map { "\(type(of: $0))" })
    #expect(shown.map(\.name).filter { $0 != "TokenRefresh" } == Self.whole.map { "\(type(of: $0))" })
  }

  @Test func `the resilience article shows the list in the order of the code`() throws {
    let article = try Self.page("Resilience.md")
    let block = try #require(article.split(separator: "```", omittingEmptySubsequences: false).dropFirst().first)
    // The right column: the names of the middleware, of which an article lists several for one place.
    let shown = block.split(separator: "\n").flatMap { line in
      line.dropFirst(50).split(separator: ",").map { $0.filter { $0 != " " } }
    }
    let positions = Self.whole.map { middleware in
      let name = "\(type(of: middleware))"
      return (name, shown.firstIndex(of: name))
    }
    #expect(positions.filter { $0.1 == nil }.map(\.0) == [])
    let found = positions.compactMap(\.1)
    #expect(found == found.sorted())
  }

  /// A login that sets a cookie and redirects, a server that is busy for a moment, and an answer in JSON.
  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a value is sent and a response decoded through the whole standard list`(tested: TestedAdapter, delivery: TestedDelivery)
    async throws
  {
    let server = try MockServer(
      .text("moved", status: .temporaryRedirect, headers: [.location: "/there", .setCookie: "session=1; Path=/"]),
      .text("busy", status: .serviceUnavailable, headers: [.retryAfter: "0"]), .json(["a": 1]))
    let connection = try Connection(
      server.url + "/", adapter: tested.adapter,
      middleware: .standard(authorization: .authorization(.bearer("token")), cookies: CookieJar()))
    var request = try connection.request(.put, "here", body: .encodable(["key": "value"] as JSONValue))
    let heads = Log<Int>()
    request.options.onHead = { heads.append($0.status.code) }
    let (response, text) = try await delivery.send(request, over: connection)
    #expect(response.status == .ok && text == #"{"a":1}"# && heads.elements == [200])
    if delivery == .buffered { #expect(try await response.json() == ["a": 1]) }
    #expect(response.redirects.count == 1 && response.retries == 1)
    #expect(server.recorded.map(\.line) == ["PUT /here", "PUT /there", "PUT /there"])
    #expect(server.recorded.map { $0.headers[.cookie] } == [nil, "session=1", "session=1"])
    for request in server.recorded {
      #expect(request.headers[.contentType] == "application/json" && request.headers[.authorization] == "Bearer token")
    }
  }

  @Test func `a retry that the budget refuses is logged`() async throws {
    let log = CapturedLog()
    let connection = try Connection(
      "http://host/", adapter: mock(.serviceUnavailable, headers: [.retryAfter: "0"]), middleware: .standard(logger: log.logger())
    )
    // At once, as each retry waits for its delay. The budget allows 160 of their 600 retries.
    let isRefused = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 1...300 { group.addTask { try await connection.get("a?token=hidden").isRetryRefused } }
      return try await group.reduce(false) { $0 || $1 }
    }
    #expect(isRefused)
    let line = try #require(log.lines.first { $0.contains("budget") })
    #expect(line.hasPrefix("warning not retried: the retry budget is used up (attempt ") && line.contains("503"))
    #expect(!log.text.contains("hidden"))
  }
}

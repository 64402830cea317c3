#if Observability
import Faraday
import FaradayCurl
import FaradayObservability
import FaradayTesting
import InMemoryTracing
import Metrics
import MetricsTestKit
import Synchronization
import Testing
import Tracing

/// The code of the article on observability.
enum ObservabilityExamples {
  static func connection(to url: String, over curl: any Adapter, token: String) throws -> Connection {
    let connection = try Connection(
      url, adapter: curl,
      middleware: [
        .countResends,
        .redirects(),
        .retry,
        .tokenRefresh(token: token) { _ in try await renewedToken() },
        .observability(),
      ])
    return connection
  }

  private static func renewedToken() async throws -> String { "new" }

  static func gauges(of curl: CurlAdapter) async throws {
    let gauges = AdapterGauges { curl.statistics }
    try await gauges.run(every: .seconds(15))
  }

  static func events() -> CurlAdapter {
    var configuration = CurlAdapter.Configuration()
    configuration.onEvent = { event in
      if event.phase == .end { print(event.exchange, event.time, event.connection?.isReused ?? false) }
    }
    let curl = CurlAdapter(configuration)
    return curl
  }
}

@Suite struct ObservabilityArticleTests {
  @Test func `the article's trace matches the stack`() async throws {
    let tracer = InMemoryTracer()
    let mock = MockAdapter()
    try mock.stub(.get, path: "/v2/people", status: .found, headers: [.location: "users"])
    try mock.stub(.get, path: "/v2/users", status: .serviceUnavailable, times: 1)
    mock.stub { request in
      let isNew = request.headers[.authorization] == "Bearer new"
      return Response(status: request.method == .post || isNew ? .ok : .unauthorized, url: request.url)
    }
    let observability = Observability(tracer: tracer)
    let login = try Connection("https://login.test/", adapter: mock, middleware: [observability])
    let connection = try Connection(
      "https://api.test/v2/", adapter: mock,
      middleware: [
        .countResends, .redirects(), Retry(Retry.Policy(initialDelay: .zero)),
        .tokenRefresh(token: "old") { _ in
          _ = try await login.post("token", body: "refresh")
          return "new"
        },
        observability,
      ])
    try await tracer.withSpan("show users") { _ in
      let response = try await connection.get("people")
      #expect(response.status == .ok)
    }
    let drawn = Self.drawing(of: tracer.finishedSpans)
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
    let article = try String(
      contentsOf: root.appendingPathComponent("Sources/Faraday/Faraday.docc/Observability.md"), encoding: .utf8)
    #expect(article.contains("```text\n\(drawn)```"), "\(drawn)")
  }

  /// The spans as a tree. The children of a span are in the order of their ends.
  static func drawing(of spans: [FinishedInMemorySpan], below parent: String? = nil, indent: String = "") -> String {
    let children = spans.filter { $0.parentSpanID == parent }
    return children.enumerated().map { index, span in
      let isLast = index == children.count - 1
      let branch = parent == nil ? "" : isLast ? "└─ " : "├─ "
      let deeper = parent == nil ? "" : indent + (isLast ? "   " : "│  ")
      return indent + branch + line(of: span) + "\n" + drawing(of: spans, below: span.spanID, indent: deeper)
    }.joined()
  }

  private static func line(of span: FinishedInMemorySpan) -> String {
    func text(_ name: String) -> String? {
      switch span.attributes.get(name) {
      case .string(let text): text
      case .int32(let number): "\(number)"
      case .int64(let number): "\(number)"
      default: nil
      }
    }
    let resend = text("http.request.resend_count").map { " resend_count=\($0)" } ?? ""
    let error = text("error.type").map { " error.type=\($0)" } ?? ""
    return [span.operationName, text("url.full"), text("http.response.status_code")].compactMap { $0 }.joined(separator: " ")
      + resend + error
  }
}
#endif

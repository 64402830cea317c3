#if Observability
@_spi(Adapters) import Faraday
import FaradayObservability
import FaradayTesting
import InMemoryTracing
import Metrics
import MetricsTestKit
import Testing
import Tracing

@Suite struct ObservabilityTests {
  private let tracer = InMemoryTracer()
  private let metrics = TestMetrics()
  private let mock = MockAdapter()

  private func connection(_ above: any Middleware...) throws -> Connection {
    try Connection(
      "https://api.test/v2/", adapter: mock, middleware: above + [.observability(tracer: tracer, metrics: metrics)])
  }

  private func attributes(_ index: Int = 0) throws -> [String: String] {
    let spans = tracer.finishedSpans
    try #require(spans.count > index)
    var found: [String: String] = [:]
    spans[index].attributes.forEach { name, value in
      switch value {
      case .string(let text): found[name] = text
      case .int32(let number): found[name] = "\(number)"
      case .int64(let number): found[name] = "\(number)"
      default: found[name] = "\(value)"
      }
    }
    return found
  }

  @Test func `the span of a failed request ends with the error's code and without secrets`() async throws {
    mock.stub { request in throw TransportError(.connectionFailed, building: request, "refused") }
    await #expect(throws: TransportError.self) { try await connection().get("users", query: ["token": "hidden", "page": 2]) }
    #expect(
      try attributes() == [
        "http.request.method": "GET", "url.full": "https://api.test/v2/users?token=[secret]&page=2", "server.address": "api.test",
        "server.port": "443", "error.type": "connectionFailed",
      ])
    let span = try #require(tracer.finishedSpans.first)
    #expect(span.status?.code == .error && span.status?.message?.contains("hidden") == false)
    let duration = try metrics.expectRecorder(
      "http.client.request.duration",
      [
        ("http.request.method", "GET"), ("server.address", "api.test"), ("server.port", "443"),
        ("http.response.status_code", ""), ("network.protocol.version", ""), ("error.type", "connectionFailed"),
        ("url.template", ""),
      ])
    #expect(duration.values.count == 1 && tracer.activeSpans.isEmpty)
  }

  @Test(arguments: [200, 204, 404, 500]) func `the span of a response has its status`(status: Int) async throws {
    try mock.stub(.post, path: "/v2/users", status: HTTPResponse.Status(code: status), body: "answer")
    _ = try await connection().post("users", body: "four")
    let isError = status >= 400
    let attributes = try attributes()
    #expect(attributes["http.response.status_code"] == "\(status)" && attributes["network.protocol.version"] == "1.1")
    #expect(attributes["error.type"] == (isError ? "\(status)" : nil))
    let span = try #require(tracer.finishedSpans.first)
    #expect(span.operationName == "POST" && span.kind == .client && (span.status?.code == .error) == isError)
    let dimensions =
      [
        ("http.request.method", "POST"), ("server.address", "api.test"), ("server.port", "443"),
        ("http.response.status_code", "\(status)"), ("network.protocol.version", "1.1"),
        ("error.type", isError ? "\(status)" : ""), ("url.template", ""),
      ]
    #expect(try metrics.expectRecorder("http.client.request.body.size", dimensions).values == [4])
    #expect(try metrics.expectRecorder("http.client.response.body.size", dimensions).values == [6])
  }

  @Test func `unknown methods share one name, and templates are used as names`() async throws {
    mock.stub { Response(status: .ok, url: $0.url) }
    let purge = try #require(HTTPRequest.Method("PURGE"))
    _ = try await connection().send(Request(purge, "https://api.test/x"))
    _ = try await connection().get("users/{id}/posts", variables: ["id": "7/8"])
    #expect(tracer.finishedSpans.map(\.operationName) == ["HTTP", "GET /v2/users/{id}/posts"])
    #expect(try attributes(0)["http.request.method"] == "_OTHER" && attributes(0)["http.request.method_original"] == "PURGE")
    #expect(try attributes(1)["url.template"] == "/v2/users/{id}/posts")
    // A redirect leads where the template does not.
    var request = try connection().request(.get, "users/{id}", variables: ["id": 7])
    for path in ["/v2/people/7", "/v1/users/7", "/any/v2/users/7"] {
      request.url = try #require(URL(string: "https://api.test" + path))
      _ = try await connection().send(request)
      #expect(tracer.finishedSpans.last?.operationName == "GET")
    }
  }

  @Test func `a template hides the secrets of the base path`() async throws {
    mock.stub { Response(status: .ok, url: $0.url) }
    var connection = try Connection(
      "https://api.test/bothunter2/", adapter: mock, middleware: [.observability(tracer: tracer, metrics: metrics)])
    connection.secrets.insert(path: "/bot{token}/")
    _ = try await connection.get("users/{id}", variables: ["id": 7])
    #expect(tracer.finishedSpans.map(\.operationName) == ["GET /bot[secret]/users/{id}"])
    #expect(try attributes()["url.template"] == "/bot[secret]/users/{id}" && !"\(metrics.recorders)".contains("hunter2"))
  }

  @Test func `the span's context is sent with the request, as a child of the caller's`() async throws {
    mock.stub { Response(status: .ok, url: $0.url) }
    try await tracer.withSpan("caller") { caller in
      _ = try await connection().get("users")
      let span = try #require(tracer.finishedSpans.first)
      #expect(span.parentSpanID == caller.spanID && span.traceID == caller.traceID)
      let fields = mock.recorded.first?.request.headers
      #expect(fields?["in-memory-trace-id"] == span.traceID && fields?["in-memory-span-id"] == span.spanID)
    }
  }

  /// A body of two pieces, or of one and an error.
  private struct Broken: Error {}
  private func body(fails: Bool = false) -> Body {
    let pieces = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data("first".utf8))
      if fails { continuation.finish(throwing: Broken()) } else { continuation.yield(Data("second".utf8)) }
      continuation.finish()
    }
    return .stream(pieces)
  }

  @Test func `the span of a streamed body ends when it is complete, failed or released`() async throws {
    mock.stub(times: 1) { Response(status: .ok, body: body(), url: $0.url) }
    mock.stub(times: 1) { Response(status: .ok, body: body(fails: true), url: $0.url) }
    mock.stub { Response(status: .ok, body: body(), url: $0.url) }
    let connection = try connection()
    func get() async throws -> Response { try await connection.get("users") { $0.options.delivery = .streamed } }

    var response: Response? = try await get()
    #expect(tracer.activeSpans.count == 1 && tracer.finishedSpans.isEmpty && metrics.recorders.isEmpty)
    _ = try await response?.body.collect(upTo: .max)
    #expect(tracer.finishedSpans.count == 1 && tracer.finishedSpans[0].status == nil)

    response = try await get()
    await #expect(throws: Broken.self) { _ = try await response?.body.collect(upTo: .max) }
    #expect(tracer.finishedSpans.count == 2 && tracer.finishedSpans[1].status?.code == .error)
    #expect(try attributes(1)["error.type"] == "Broken" && attributes(1)["http.response.status_code"] == "200")

    response = try await get()
    #expect(tracer.activeSpans.count == 1)
    response = nil
    #expect(tracer.finishedSpans.count == 3 && tracer.finishedSpans[2].status == nil && tracer.activeSpans.isEmpty)
  }

  @Test func `attempts are numbered across redirects and retries`() async throws {
    try mock.stub(.get, path: "/v2/old", status: .found, headers: [.location: "new"])
    try mock.stub(.get, path: "/v2/new", status: .serviceUnavailable, times: 1)
    try mock.stub(.get, path: "/v2/new")
    let retry = Retry(Retry.Policy(initialDelay: .zero))
    let connection = try connection(.countResends, .redirects(), retry)
    for _ in 0..<2 { _ = try await connection.get("old") }
    let counts = try (0..<5).map { try attributes($0)["http.request.resend_count"] }
    #expect(counts == [nil, "1", "2", nil, "1"])
  }

  @Test func `retries that the budget refuses are counted`() async throws {
    try mock.stub(.get, path: "/v2/busy", status: .serviceUnavailable)
    mock.stub { request in throw TransportError(.connectionFailed, building: request, "refused") }
    let retry = Retry(budget: RetryBudget(ratio: 0, reserve: 0))
    let connection = try connection(CountResends(metrics: metrics), retry)
    #expect(try await connection.get("busy").isRetryRefused)
    await #expect(throws: TransportError.self) { try await connection.get("down") }
    await #expect(throws: TransportError.self) { try await connection.post("down") { $0.options.isRetryable = false } }
    let counter = try metrics.expectCounter(
      "faraday.client.retries.refused",
      [("http.request.method", "GET"), ("server.address", "api.test"), ("server.port", "443")])
    #expect(counter.values == [1, 1])
  }

  @Test func `requests with numbered attempts can still share a response`() async throws {
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try connection(.countResends)
    for _ in 0..<2 { _ = try await connection.get("users") }
    let requests = mock.recorded.map { recorded in
      var request = recorded.request
      request.headers = [:]
      return request
    }
    let keys = requests.map { $0.sharingKey(ignoring: []) }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
  }

  @Test func `gauges show an adapter's connections and queue, and not origins that are gone`() throws {
    let statistics = Log<AdapterStatistics>()
    var now = AdapterStatistics()
    now.origins = ["https://a.test:443": .init(open: 3, idle: 1, opened: 9)]
    (now.active, now.queued) = (2, 5)
    statistics.append(now)
    let gauges = AdapterGauges(metrics: metrics) { statistics.elements.last ?? AdapterStatistics() }
    gauges.record()
    func open(_ state: String) throws -> Double? {
      try metrics.expectMeter(
        "http.client.open_connections",
        [("url.scheme", "https"), ("server.address", "a.test"), ("server.port", "443"), ("http.connection.state", state)]
      ).lastValue
    }
    #expect(try open("active") == 2 && open("idle") == 1)
    #expect(try metrics.expectMeter("http.client.active_requests").lastValue == 2)
    #expect(try metrics.expectMeter("http.client.queued_requests").lastValue == 5)
    statistics.append(AdapterStatistics())
    gauges.record()
    #expect(throws: (any Error).self) { try open("active") }
    #expect(throws: (any Error).self) { try open("idle") }
  }
}
#endif

import Configuration
import Faraday
import FaradayCurl
import FaradaySwiftTesting
import FaradayTesting
import Harness
import Logging
import Testing

@testable import JobService

/// The work of a job, without Redis and without processes.
@Suite struct PipelineTests {
  @Test func `a job calls the three upstreams`() async throws {
    let server = try MockServer(.text("a page"), .json(["label": "news"]), .status(.created))
    #expect(try await pipeline(server.url).run(job(server.url + "/page/1")) == "news")
    #expect(server.recorded.map(\.line) == ["GET /page/1", "POST /classify", "PUT /results/1"])
    #expect(server.recorded[1].text == #"{"text":"a page"}"#)
    // The token is for the archive only, and each attempt is part of a trace.
    #expect(server.recorded.map { $0.headers[.authorization] } == [nil, nil, "Bearer of-the-archive"])
    let traceparent = try #require(HTTPField.Name("traceparent"))
    #expect(server.recorded.allSatisfy { $0.headers[traceparent]?.hasPrefix("00-") == true })
    try server.verify()
  }

  @Test func `an upstream that fails once is asked again with the same key`() async throws {
    let server = try MockServer(
      .text("a page"), .status(.serviceUnavailable, headers: [.retryAfter: "0"]), .json(["label": "news"]),
      .status(.created).reset(after: nil), .status(.created))
    #expect(try await pipeline(server.url).run(job(server.url + "/page/1")) == "news")
    let keys = server.recorded.filter { $0.method == .post }.map { $0.headers[.idempotencyKey] }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    try server.verify()
  }

  @Test func `a page on this machine or in a private network is not fetched`() async throws {
    let server = try MockServer(respond: { _ in .text("a secret") })
    let port = server.url.split(separator: ":").last ?? ""
    let pipeline = try await pipeline(server.url, ["allow.private.addresses": false])
    for url in [server.url, "http://localhost:\(port)/", "http://[::ffff:127.0.0.1]:\(port)/", "http://169.254.169.254/"] {
      let error = await #expect(throws: TransportError.self) { try await pipeline.run(job(url)) }
      #expect(error?.code == .addressForbidden)
      if let error { #expect(Verdict(error, attempt: 1) == .failed(reason: "addressForbidden")) }
    }
    #expect(server.connectionCount == 0)
  }

  @Test func `without Redis a tenant's limit is counted in memory`() async throws {
    let server = try FakeUpstreams()
    let redis = Redis("unix:/nowhere", timeout: .seconds(1))
    let pipeline = try await pipeline(server.url, ["tenant.pages": 1, "tenant.interval": 3600.0], redis: redis)
    _ = try await pipeline.run(job(server.url + "/page/1"))
    let error = await #expect(throws: RefusedRequestError.self) { try await pipeline.run(job(server.url + "/page/2")) }
    #expect(error?.key == "a" && error?.reason == .rateLimited(.noWait))
    _ = try await pipeline.run(job(server.url + "/page/3", tenant: "b"))
    #expect(server.lines.filter { $0.hasPrefix("GET") } == ["GET /page/1", "GET /page/3"])
  }

  /// `FARADAY_CASSETTES=always` records again, from upstreams on port 8098.
  @Test(.cassette("job", over: CurlAdapter())) func `a job with recorded upstreams`() async throws {
    let pipeline = try await pipeline("http://127.0.0.1:8098", over: Cassette.current)
    #expect(try await pipeline.run(job("http://127.0.0.1:8098/page/1")) == "news")
  }

  private func pipeline(
    _ url: String, _ values: [AbsoluteConfigKey: ConfigValue] = [:], over adapter: any Adapter = CurlAdapter(),
    redis: Redis? = nil
  ) async throws -> Pipeline {
    var all: [AbsoluteConfigKey: ConfigValue] = [
      "classifier.url": ConfigValue(.string(url + "/"), isSecret: false),
      "archive.url": ConfigValue(.string(url + "/"), isSecret: false), "archive.token": "of-the-archive",
      "allow.private.addresses": true,
    ]
    all.merge(values) { $1 }
    let settings = try await Settings(ConfigReader(provider: InMemoryProvider(values: all)))
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return Pipeline(
      upstreams: try Upstreams(
        settings, over: adapter, redis: redis, metrics: PrometheusRegistry(), tracer: LoggingTracer(logger: logger),
        logger: logger))
  }

  private func job(_ url: String, tenant: String = "a") -> Job {
    Job(id: "1", tenant: tenant, url: url, state: .running, claims: 1, attempts: 1)
  }
}

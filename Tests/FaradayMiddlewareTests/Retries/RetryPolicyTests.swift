import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.watchdog) struct RetryPolicyTests: MockedRetries {
  let mock = MockAdapter()
  let clock = ManualClock()

  private func fail(_ code: TransportError.Code, while phase: TransportError.Phase, times: Int = 1) {
    stub(times: times) { request in
      throw TransportError(code, phase: phase, method: request.method, url: request.url, message: "")
    }
  }

  // MARK: how it is written

  @Test func `one policy value has the number of retries and the delays`() async throws {
    mock.stub { Response(status: .serviceUnavailable, url: $0.url) }
    let few = try connection(Retry.Policy(retries: 5, initialDelay: .seconds(1), maximumDelay: .seconds(3)))
    #expect(try await few.get().retries == 5)
    #expect(clock.slept == [.seconds(1), .seconds(2), .seconds(3), .seconds(3), .seconds(3)])
    let inline = try Connection(
      "http://host/", adapter: mock, middleware: [.retry(retries: 3, initialDelay: .zero, maximumDelay: .zero)])
    #expect(try await inline.get().retries == 3)
  }

  // MARK: a predicate of one's own

  @Test(arguments: [true, false])
  func `a Timeout below is retried if the policy allows it`(isRetried: Bool) async throws {
    mock.stub(times: 1) { _ in
      true
    } respond: { request in
      try await Task.sleep(for: .seconds(3600))
      return Response(status: .ok, url: request.url)
    }
    stub(times: 0) { Response(status: .ok, url: $0.url) }
    var policy = Retry.Policy()
    if isRetried { policy.shouldRetry = { $0.error is TimeoutError ? true : nil } }
    let limit = ManualClock()
    let connection = try Connection(
      "http://host/", adapter: mock, middleware: [retry(policy), .timeout(.seconds(5), clock: limit)])
    let task = Task { try await connection.get().retries }
    await limit.sleepers(1)
    limit.advance(by: .seconds(5))
    if isRetried {
      #expect(try await task.value == 1)
    } else {
      await #expect(throws: TimeoutError.self) { try await task.value }
    }
    #expect(clock.slept.count == (isRetried ? 1 : 0))
  }

  @Test(arguments: [true, false])
  func `a total timeout is retried if the policy names it`(isRetried: Bool) async throws {
    fail(.totalTimeout, while: .waiting)
    var policy = Retry.Policy()
    if isRetried { policy.errors.insert(.totalTimeout) }
    let connection = try connection(policy)
    if isRetried {
      #expect(try await connection.get().retries == 1)
    } else {
      await #expect(throws: TransportError.self) { try await connection.get() }
    }
  }

  @Test func `the predicate sees every status and error, and its decision is final`() async throws {
    stub(times: 4) { request in
      let status = request.url.path() == "/no" ? 503 : 500
      return Response(status: .init(code: status), headers: [.retryAfter: "7"], url: request.url)
    }
    let seen = Log<String>()
    var policy = Retry.Policy()
    policy.shouldRetry = { attempt in
      let status = attempt.head?.status.code ?? 0
      seen.append("\(attempt.number) \(attempt.request.path) \(status) \(attempt.retryAfter ?? .zero)")
      return attempt.request.path == "/no" ? false : status == 500 ? true : nil
    }
    let connection = try connection(policy)
    #expect(try await connection.get("no").status.code == 503)
    #expect(try await connection.get("yes").status.code == 500)
    #expect(try await connection.get("fine").retries == 0)
    // Asked only as long as there could be another attempt.
    let zero = Duration.zero
    #expect(
      seen.elements == [
        "1 /no 503 \(Duration.seconds(7))", "1 /yes 500 \(Duration.seconds(7))", "2 /yes 500 \(Duration.seconds(7))",
        "1 /fine 200 \(zero)",
      ])
  }

  @Test func `the predicate is called for errors of any type, except cancellations`() async throws {
    struct Mine: Error {}
    stub { _ in throw Mine() }
    var policy = Retry.Policy()
    policy.shouldRetry = { $0.error == nil ? nil : true }
    #expect(try await connection(policy).get().retries == 1)
    let cancelled = MockAdapter()
    cancelled.stub { _ in
      true
    } respond: { _ in
      throw CancellationError()
    }
    let connection = try Connection("http://host/", adapter: cancelled, middleware: [retry(policy)])
    await #expect(throws: CancellationError.self) { try await connection.get() }
    #expect(cancelled.recorded.count == 1)
  }

  @Test func `the predicate cannot retry what must not be sent twice`() async throws {
    stub(times: 3) { Response(status: .serviceUnavailable, url: $0.url) }
    var policy = Retry.Policy()
    policy.shouldRetry = { _ in true }
    let connection = try connection(policy)
    #expect(try await connection.post(body: "a").status == .serviceUnavailable)
    #expect(try await connection.get { $0.options.isRetryable = false }.status == .serviceUnavailable)
    #expect(try await connection.put(body: .stream(Pieces("once"))).status == .serviceUnavailable)
    #expect(mock.recorded.count == 3)
  }

  // MARK: a backoff and a hook of one's own

  @Test func `a custom backoff is used, and Retry-After is its minimum`() async throws {
    stub(times: 3) { request in
      Response(status: .serviceUnavailable, headers: request.url.path() == "/asked" ? [.retryAfter: "7"] : [:], url: request.url)
    }
    var policy = Retry.Policy()
    policy.retries = 3
    policy.backoff = { .seconds($0.number * 3) }
    let connection = try connection(policy)
    #expect(try await connection.get().retries == 3)
    #expect(clock.slept == [.seconds(3), .seconds(6), .seconds(9)])
    let asked = MockAdapter()
    for _ in 0..<3 { try asked.stub(.get, path: "/", status: .serviceUnavailable, headers: [.retryAfter: "7"], times: 1) }
    try asked.stub(.get, path: "/")
    let other = try Connection("http://host/", adapter: asked, middleware: [retry(policy)])
    #expect(try await other.get().retries == 3)
    #expect(clock.slept.suffix(3) == [.seconds(7), .seconds(7), .seconds(9)])
  }

  @Test func `the hook is called before the wait of each retry`() async throws {
    stub(times: 1) { Response(status: .badGateway, url: $0.url) }
    let told = Log<String>()
    var policy = Retry.Policy()
    policy.onRetry = { [clock] attempt, wait in
      told.append("\(attempt.number) \(attempt.head?.status.code ?? 0) \(wait) after \(clock.slept.count)")
    }
    _ = try await connection(policy).get()
    #expect(told.elements == ["1 502 \(Duration.milliseconds(500)) after 0"])
    _ = try await connection(policy).get()
    #expect(told.elements.count == 1)
  }

  // MARK: requests of which nothing was sent

  @Test(arguments: [
    (TransportError.Code.nameNotFound, TransportError.Phase.resolving), (.connectionFailed, .connecting),
    (.connectTimeout, .connecting), (.connectTimeout, .tls), (.connectionFailed, .tls), (.connectionClosed, .tls),
    (.proxyUnreachable, .connecting), (.proxyUnreachable, .resolving),
  ])
  func `a POST whose connection failed is retried without an idempotency key`(
    code: TransportError.Code, phase: TransportError.Phase
  ) async throws {
    fail(code, while: phase)
    #expect(try await connection().post(body: "a").retries == 1)
    #expect(mock.recorded.map(\.body) == [Data("a".utf8), Data("a".utf8)])
    #expect(mock.recorded.allSatisfy { $0.request.headers["Idempotency-Key"] == nil })
  }

  @Test(arguments: [
    (TransportError.Code.connectionClosed, TransportError.Phase.waiting), (.sendFailed, .sending),
    (.truncatedResponse, .receiving), (.connectionFailed, .building), (.tlsVerificationFailed, .tls), (.tlsFailed, .tls),
    (.proxyFailed, .connecting),
  ])
  func `a POST that may have been sent, or has a permanent error, is not retried`(
    code: TransportError.Code, phase: TransportError.Phase
  ) async throws {
    fail(code, while: phase)
    await #expect(throws: TransportError.self) { try await connection().post(body: "a") }
    #expect(mock.recorded.count == 1)
  }

  @Test func `a POST that a server has redirected is not retried, if the next connection fails`() async throws {
    try mock.stub(.post, path: "/", status: .seeOther, headers: [.location: "http://other/"])
    fail(.connectionFailed, while: .connecting, times: .max)
    let connection = try Connection("http://host/", adapter: mock, middleware: [retry(), .redirects()])
    await #expect(throws: TransportError.self) { try await connection.post(body: "a") }
    #expect(mock.recorded.map(\.request.method) == [.post, .get])
  }

  @Test func `a POST is retried if a request of a middleware below fails before it, and not after it`() async throws {
    mock.stub { Response(status: .ok, url: $0.url) }
    for isBefore in [true, false] {
      let closed = MockAdapter()
      closed.stub { throw TransportError(.connectionFailed, phase: .connecting, method: $0.method, url: $0.url, message: "") }
      let other = try Connection("http://other/", adapter: closed)
      let asking = MiddlewareClosure { request, next in
        if isBefore { _ = try await other.post() }
        let response = try await next(request)
        _ = try await other.post()
        return response
      }
      let connection = try Connection("http://host/", adapter: mock, middleware: [retry(), asking])
      await #expect(throws: TransportError.self) { try await connection.post(body: "a") }
      #expect(closed.recorded.count == (isBefore ? 3 : 1))
    }
    #expect(mock.recorded.count == 1)
  }

  @Test func `a retry that is cancelled during its wait takes nothing from the budget`() async throws {
    let clock = ManualClock()
    let budget = RetryBudget(ratio: 0, reserve: 1)
    for _ in 1...2 {
      mock.stub(times: 1) { Response(status: .serviceUnavailable, url: $0.url) }
      let retry = Retry(Retry.Policy(), budget: budget, clock: clock, random: { 1 })
      let connection = try Connection("http://host/", adapter: mock, middleware: [retry])
      let task = Task { try await connection.get() }
      await clock.sleepers(1)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(mock.recorded.count == 2)
  }

  @Test func `a POST with a failed connection is sent once if it opts out or its body can be read once`()
    async throws
  {
    fail(.connectionFailed, while: .connecting, times: 2)
    await #expect(throws: TransportError.self) { try await connection().post(body: "a") { $0.options.isRetryable = false } }
    await #expect(throws: TransportError.self) { try await connection().post(body: .stream(Pieces("once"))) }
    #expect(mock.recorded.count == 2)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a POST to a closed port is retried`(tested: TestedAdapter) async throws {
    let port = try RefusedPort()
    let connection = try Connection("http://127.0.0.1:\(port.port)/", adapter: tested.adapter, middleware: [retry()])
    let error = await #expect(throws: TransportError.self) { try await connection.post(body: "a") }
    #expect(error?.code == .connectionFailed && clock.slept.count == 2)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a POST whose TLS handshake was interrupted is retried`(tested: TestedAdapter) async throws {
    let server = try RawServer { connection in
      _ = try connection.readSome(upTo: 64 << 10)
      connection.halfClose()
      connection.waitForClose()
    }
    let connection = try Connection("https://127.0.0.1:\(server.port)/", adapter: tested.adapter, middleware: [retry()])
    let error = await #expect(throws: TransportError.self) { try await connection.post(body: "a") }
    #expect(error?.phase == .tls && server.connectionCount == 3)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a POST that a server read without responding is not retried`(tested: TestedAdapter) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      _ = try connection.read(exactly: 1)
      connection.close()
    }
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry()])
    await #expect(throws: TransportError.self) { try await connection.post(body: "a") }
    #expect(clock.slept.isEmpty && server.connectionCount == 1)
  }

  @Test func `an infinite delay is clamped to what a clock can count`() async throws {
    stub { Response(status: .serviceUnavailable, headers: [.retryAfter: "1"], url: $0.url) }
    let waits = Log<Duration>()
    var policy = Retry.Policy()
    policy.backoff = { _ in .seconds(Int64.max) }
    policy.onRetry = { waits.append($1) }
    _ = try await connection(policy).get()
    #expect(waits.elements == [.seconds(3_155_760_000)])
  }
}

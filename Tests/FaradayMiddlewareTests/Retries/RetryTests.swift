import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.watchdog) struct RetryTests {
  private let mock = MockAdapter()
  private let clock = ManualClock()

  private func connection(
    _ policy: Retry.Policy = Retry.Policy(), budget: RetryBudget = RetryBudget(), random: Double = 1
  ) throws -> Connection {
    // 1994-11-06 08:49:37 GMT.
    let retry = Retry(policy, budget: budget, clock: InstantClock(clock), random: { random }, now: { 784_111_777 })
    return try Connection("http://host/", adapter: mock, middleware: [retry])
  }

  private func stub(_ statuses: HTTPResponse.Status..., headers: HTTPFields = [:]) {
    for status in statuses {
      mock.stub(times: 1) {
        Response(status: status, headers: headers, url: $0.url)
      } respond: { _ in
      }
    }
  }

  @Test(arguments: [408, 429, 502, 503, 504])
  func `transient statuses are retried, and the last one is the response`(code: Int) async throws {
    let status = HTTPResponse.Status(code: code)
    stub(status, .ok)
    let response = try await connection().get()
    #expect(response.status == .ok && response.retries == 1)
    stub(status, status, status, .ok)
    let last = try await connection().get()
    #expect(last.status == status && last.retries == 2)
  }

  @Test(arguments: [200, 304, 400, 401, 404, 500, 501])
  func `other statuses are returned at once`(code: Int) async throws {
    stub(HTTPResponse.Status(code: code))
    let response = try await connection().get()
    #expect(response.status.code == code && response.retries == 0)
    #expect(clock.slept.isEmpty)
  }

  @Test func `transient errors are retried, other errors are thrown, and the last one is thrown`() async throws {
    let codes: [TransportError.Code] = [.connectionFailed, .truncatedResponse, .tlsVerificationFailed]
    for code in codes {
      mock.stub(times: 1) {
        throw TransportError(code, building: $0, "")
      } respond: { _ in
      }
    }
    let error = await #expect(throws: TransportError.self) { try await connection().get() }
    #expect(error?.code == .tlsVerificationFailed)
    #expect(mock.recorded.count == 3)
  }

  @Test(arguments: [TransportError.Code.outOfDescriptors, .queueFull, .queueTimeout])
  func `errors that report overload are not retried`(code: TransportError.Code) {
    #expect(!Retry.Policy().errors.contains(code))
  }

  @Test func `errors of middleware below are not treated as transport errors`() async throws {
    struct Mine: Error {}
    mock.stub { _ in
      throw Mine()
    } respond: { _ in
    }
    await #expect(throws: Mine.self) { try await connection().get() }
    #expect(mock.recorded.count == 1)
  }

  // MARK: refusals of the budget

  @Test func `a retry that the budget refuses is reported with its response, its error and a callback`() async throws {
    let refused = Log<String>()
    let policy = Retry.Policy(onBudgetExhausted: { refused.append("\($0)") })
    let empty = RetryBudget(ratio: 0, reserve: 0)
    stub(.serviceUnavailable)
    let response = try await connection(policy, budget: empty).get("a?token=hidden")
    #expect(response.status == .serviceUnavailable && response.isRetryRefused && response.retries == 0)
    mock.stub(times: 1) { throw TransportError(.connectionClosed, building: $0, "gone") }
    let error = await #expect(throws: TransportError.self) { try await connection(policy, budget: empty).get("b") }
    #expect(error?.isRetryRefused == true && (error as (any FaradayError)?)?.isRetryRefused == true)
    #expect(
      error?.description.hasSuffix("gone (connectionClosed while building; not retried: the retry budget is used up)") == true)
    #expect(refused.elements.count == 2 && refused.elements[0].hasPrefix("attempt 1, 503: GET http://host/a?token=[secret]"))
  }

  @Test func `a status error reports the refused budget above and below Retry`() async throws {
    let empty = RetryBudget(ratio: 0, reserve: 0)
    let retry = Retry(budget: empty, clock: InstantClock(clock))
    for middleware in [[.statusValidation, retry], [retry, .statusValidation]] as [[any Middleware]] {
      stub(.serviceUnavailable)
      let connection = try Connection("http://host/", adapter: mock, middleware: middleware)
      let error = await #expect(throws: StatusError.self) { try await connection.get() }
      #expect(error?.response.isRetryRefused == true)
      #expect(error?.description == "GET http://host/: unexpected status 503 (not retried: the retry budget is used up)")
    }
  }

  @Test func `an outcome that the budget did not refuse does not mention the budget`() async throws {
    let refused = Log<Bool>()
    let policy = Retry.Policy(retries: 1, onBudgetExhausted: { _ in refused.append(true) })
    stub(.serviceUnavailable, .serviceUnavailable, .notFound)
    for status in [HTTPResponse.Status.serviceUnavailable, .notFound] {
      let response = try await connection(policy).get()
      #expect(response.status == status && !response.isRetryRefused)
    }
    // An overdue retry, and a response that needs no retry.
    stub(.serviceUnavailable, .ok)
    let answered = try await connection(policy, budget: RetryBudget(ratio: 0, reserve: 1)).get()
    #expect(answered.retries == 1 && !answered.isRetryRefused && refused.elements.isEmpty)
  }

  @Test func `up to a hundred jobs that all fail once at program start are retried`() async throws {
    let seen = Log<String>()
    mock.stub { request in
      let path = request.url.path
      let isFirst = !seen.elements.contains(path)
      seen.append(path)
      return Response(status: isFirst ? .serviceUnavailable : .ok, url: request.url)
    }
    let connection = try connection(budget: RetryBudget(ratio: 0))
    var (good, refused) = (0, 0)
    for number in 1...120 {
      let response = try await connection.get("job/\(number)")
      if response.status == .ok { good += 1 } else if response.isRetryRefused { refused += 1 }
    }
    #expect(good == 100 && refused == 20)
  }

  // MARK: above a layer that makes errors of statuses

  @Test func `an unexpected status is retried like its response, and Retry-After is obeyed`() async throws {
    stub(.serviceUnavailable, .notFound, headers: [.retryAfter: "7"])
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection("http://host/", adapter: mock, middleware: [retry, .statusValidation])
    #expect(await #expect(throws: StatusError.self) { try await connection.get() }?.status == .notFound)
    #expect(mock.recorded.count == 2 && clock.slept == [.seconds(7)])
    stub(.serviceUnavailable, .ok)
    #expect(try await connection.get().retries == 1)
    stub(.serviceUnavailable)
    await #expect(throws: StatusError.self) { try await connection.post() }
    #expect(mock.recorded.count == 5)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `Retry above StatusValidation frees the connection of the failed attempt`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let server = try MockServer(
      .text("busy", status: .serviceUnavailable, headers: [.retryAfter: "0"]), .text("done"))
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection(server.url + "/", adapter: tested.adapter, middleware: [retry, .statusValidation])
    let (response, text) = try await delivery.get("a", over: connection)
    #expect(response.status == .ok && text == "done" && server.recorded.count == 2)
  }

  @Test func `the streamed body of an unexpected status is discarded before the retry`() async throws {
    let reads = Log<Int>()
    mock.stub(
      times: 1,
      respond: { request in
        let pieces = AsyncStream<Data>(unfolding: {
          reads.append(1)
          return nil
        })
        return Response(status: .serviceUnavailable, body: .stream(pieces), url: request.url)
      })
    stub(.ok)
    let checking = MiddlewareClosure { request, next in
      let response = try await next(request)
      guard response.status == .ok else { throw StatusError(response, to: request) }
      return response
    }
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection("http://host/", adapter: mock, middleware: [retry, checking])
    #expect(try await connection.get { $0.options.delivery = .streamed }.status == .ok)
    #expect(reads.elements.count == 1)
  }

  // MARK: which requests

  @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY", "POST", "PATCH", "CUSTOM"])
  func `only idempotent methods are retried`(name: String) async throws {
    stub(.serviceUnavailable, .ok)
    let method = try #require(HTTPRequest.Method(name))
    let response = try await connection().send(method)
    let isIdempotent = !["POST", "PATCH", "CUSTOM"].contains(name)
    #expect(response.status == (isIdempotent ? .ok : .serviceUnavailable))
    #expect(mock.recorded.allSatisfy { $0.request.headers["Idempotency-Key"] == nil })
  }

  @Test func `a repeatable POST has no idempotency key if the policy says so`() async throws {
    stub(.serviceUnavailable, .ok)
    let response = try await connection(Retry.Policy(sendsIdempotencyKey: false)).post(body: "a") {
      $0.options.isRetryable = true
    }
    #expect(response.status == .ok)
    #expect(mock.recorded.map { $0.request.headers["Idempotency-Key"] } == [nil, nil])
  }

  @Test func `a repeatable POST has one idempotency key for all attempts, its own if present`() async throws {
    stub(.serviceUnavailable, .serviceUnavailable, .ok)
    _ = try await connection().post(body: "a") { $0.options.isRetryable = true }
    let keys = mock.recorded.map { $0.request.headers[.idempotencyKey] }
    #expect(keys.count == 3 && Set(keys).count == 1 && keys[0]?.count == 36)
    stub(.serviceUnavailable, .ok)
    _ = try await connection().post(body: "a") {
      $0.options.isRetryable = true
      $0.headers[.idempotencyKey] = "mine"
    }
    #expect(mock.recorded.suffix(2).map { $0.request.headers[.idempotencyKey] } == ["mine", "mine"])
  }

  @Test func `a request that opts out, or whose body can be read once, is sent once`() async throws {
    stub(.serviceUnavailable)
    #expect(try await connection().get { $0.options.isRetryable = false }.status == .serviceUnavailable)
    stub(.serviceUnavailable)
    #expect(try await connection().put(body: .stream(Pieces("once"))).status == .serviceUnavailable)
    stub(.serviceUnavailable, .ok)
    let again = Body.stream(Pieces("again"), isReplayable: true)
    #expect(try await connection().put(body: again).status == .ok)
    #expect(mock.recorded.suffix(2).map(\.body) == [Data("again".utf8), Data("again".utf8)])
  }

  /// A body that breaks off.
  private struct Failing: AsyncSequence, Sendable {
    var behind: String? = nil
    let error: any Error

    init(behind: String? = nil, with error: any Error) { (self.behind, self.error) = (behind, error) }

    func makeAsyncIterator() -> Iterator { Iterator(piece: behind.map { Data($0.utf8) }, error: error) }

    struct Iterator: AsyncIteratorProtocol {
      var piece: Data?
      let error: any Error

      mutating func next() async throws -> Data? {
        guard let piece else { throw error }
        defer { self.piece = nil }
        return piece
      }
    }
  }

  @Test func `a truncated body is retried only if the caller gets it whole`() async throws {
    for delivery in TestedDelivery.allCases {
      let mock = MockAdapter()
      mock.stub { request in
        let error = TransportError(.truncatedResponse, building: request, "")
        return Response(status: .ok, body: .stream(Failing(behind: "piece", with: error)), url: request.url)
      }
      let connection = try Connection("http://h/", adapter: mock, middleware: [Retry(clock: InstantClock(clock))])
      await #expect(throws: TransportError.self) { _ = try await delivery.get("/", over: connection) }
      #expect(mock.recorded.count == (delivery == .buffered ? 3 : 1), "\(delivery)")
    }
  }

  @Test func `an exchange whose response a callback has seen is not retried`() async throws {
    mock.stub { request in
      Response(
        status: .ok, body: .stream(Failing(with: TransportError(.truncatedResponse, building: request, ""))), url: request.url)
    }
    await #expect(throws: TransportError.self) { try await connection().get { $0.options.onHead = { _ in } } }
    #expect(mock.recorded.count == 1)
  }

  @Test func `an exchange with reported download progress is not retried, and a retried one reports none`() async throws {
    mock.stub(times: 1) { request in
      Response(status: .serviceUnavailable, body: .stream(Pieces("later")), url: request.url)
    }
    mock.stub { request in
      let error = TransportError(.truncatedResponse, building: request, "")
      return Response(status: .ok, body: .stream(Failing(behind: "piece", with: error), length: 10), url: request.url)
    }
    let progress = Log<Int64>()
    await #expect(throws: TransportError.self) {
      try await connection().get { $0.options.onDownloadProgress = { progress.append($0.bytes) } }
    }
    #expect(progress.elements == [5] && mock.recorded.count == 2)
  }

  // MARK: when

  @Test func `delays double up to the maximum, each with random jitter`() async throws {
    var policy = Retry.Policy()
    policy.retries = 7
    policy.initialDelay = .seconds(1)
    policy.maximumDelay = .seconds(10)
    try mock.stub(.get, path: "/", status: .serviceUnavailable)
    _ = try await connection(policy).get()
    #expect(clock.slept == [1, 2, 4, 8, 10, 10, 10].map { .seconds($0) })
    _ = try await connection(policy, random: 0.25).get()
    #expect(clock.slept.suffix(7) == [0.25, 0.5, 1, 2, 2.5, 2.5, 2.5].map { .seconds($0) })
  }

  @Test(arguments: [
    ("7", 7), (" 7 ", 7), ("0", 0), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
    ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1984 08:49:37 GMT", 0),
  ])
  func `Retry-After is obeyed, and jitter never shortens it`(value: String, seconds: Int) async throws {
    stub(.serviceUnavailable, headers: [.retryAfter: value])
    stub(.ok)
    _ = try await connection(random: 0).get()
    #expect(clock.slept == [.seconds(seconds)])
    stub(.serviceUnavailable, headers: [.retryAfter: value])
    stub(.ok)
    _ = try await connection().get()
    #expect(clock.slept.last == .seconds(seconds) + .milliseconds(500))
  }

  @Test(arguments: [
    "soon", "-1", "1.5", "", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "٣", "1 2", "0x10",
  ])
  func `an invalid Retry-After is ignored`(value: String) async throws {
    stub(.serviceUnavailable, headers: [.retryAfter: value])
    stub(.ok)
    #expect(try await connection().get().status == .ok)
    #expect(clock.slept == [.milliseconds(500)])
  }

  @Test(arguments: ["315360000", "99999999999999999999999", "Mon, 06 Nov 2004 08:49:37 GMT", "61"])
  func `a Retry-After of ten years ends the retries`(value: String) async throws {
    stub(.serviceUnavailable, headers: [.retryAfter: value])
    #expect(try await connection().get().status == .serviceUnavailable)
    #expect(clock.slept.isEmpty)
  }

  @Test func `a cancelled delay ends at once`() async throws {
    try mock.stub(.get, path: "/", status: .serviceUnavailable)
    let connection = try Connection("http://host/", adapter: mock, middleware: [Retry(clock: clock)])
    let task = Task { try await connection.get() }
    await clock.sleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(mock.recorded.count == 1)
  }

  // MARK: how often

  @Test func `the retry budget is shared, and requests refill it`() async throws {
    try mock.stub(.get, path: "/", status: .serviceUnavailable)
    let connection = try connection(budget: RetryBudget(ratio: 0.5, reserve: 2))
    // Two retries use it up; then every second request earns one.
    for expected in [2, 0, 1, 0, 1] { #expect(try await connection.get().retries == expected) }
  }

  // MARK: over real adapters

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `callers see only the final attempt in every delivery`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try MockServer(
      .text("not yet", status: .serviceUnavailable), .failure(.connectionClosed), .text("now"))
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry])
    let heads = Log<Int>()
    var request = try connection.request(.get, "/")
    request.options.onHead = { heads.append($0.status.code) }
    let (response, text) = try await delivery.send(request, over: connection)
    #expect(response.status == .ok && text == "now")
    #expect(heads.elements == [200])
    // libcurl sends a GET again by itself whose kept connection has died.
    #expect(server.recorded.count == 3)
    #expect((1...2).contains(response.retries))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `progress never restarts`(tested: TestedAdapter) async throws {
    let server = try MockServer { _ in .text("helloworld").cut(after: 5) }
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry])
    let progress = Log<Int64>()
    await #expect(throws: TransportError.self) {
      try await connection.get { $0.options.onDownloadProgress = { progress.append($0.bytes) } }
    }
    #expect(progress.elements.filter { $0 > 0 } == [5])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a discarded body can exceed maximumBodySize`(tested: TestedAdapter) async throws {
    let busy = Response.text(String(repeating: "x", count: 1000), status: .serviceUnavailable)
    let server = try MockServer(busy, .text("now"), busy, busy, busy)
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry])
    let response = try await connection.get { $0.options.maximumBodySize = 10 }
    #expect(try await response.body.utf8Text() == "now" && response.retries == 1)
    // The last one is the caller's.
    let error = await #expect(throws: TransportError.self) { try await connection.get { $0.options.maximumBodySize = 10 } }
    #expect(error?.code == .bodyTooLarge && error?.partialResponse?.status == .serviceUnavailable)
    #expect(server.recorded.count == 5)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `the last response keeps its body even if it is not a success`(tested: TestedAdapter, delivery: TestedDelivery)
    async throws
  {
    let server = try MockServer { _ in .text("not today", status: .serviceUnavailable) }
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry])
    let (response, text) = try await delivery.get("/", over: connection)
    #expect(response.status == .serviceUnavailable && text == "not today" && server.recorded.count == 3)
  }

  @Test func `cookies of a retried response are sent with the next attempt`() async throws {
    stub(.serviceUnavailable, headers: [.setCookie: "pass=1"])
    stub(.ok)
    let retry = Retry(clock: InstantClock(clock), random: { 1 }, now: { 784_111_777 })
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cookies(), retry])
    _ = try await connection.get()
    #expect(mock.recorded.map { $0.request.headers[.cookie] } == [nil, "pass=1"])
  }

  @Test func `cookies of a status that becomes an error are stored`() async throws {
    stub(.forbidden, headers: [.setCookie: "challenge=1"])
    stub(.ok)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cookies(), .statusValidation])
    await #expect(throws: StatusError.self) { try await connection.get() }
    _ = try await connection.get()
    #expect(mock.recorded.map { $0.request.headers[.cookie] } == [nil, "challenge=1"])
  }
}

extension MockAdapter {
  /// Responds with the result of the first closure.
  fileprivate func stub(
    times: Int = .max, _ make: @escaping @Sendable (Request) throws -> Response, respond: (Response) -> Void
  ) {
    stub(times: times) { _ in
      true
    } respond: {
      try make($0)
    }
  }
}

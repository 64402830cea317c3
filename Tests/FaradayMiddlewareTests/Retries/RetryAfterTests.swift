import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Which properties of a discarded response affect the next attempt.
@Suite(.watchdog) struct RetryAfterTests: MockedRetries {
  let mock = MockAdapter()
  let clock = ManualClock()

  @Test func `a later attempt adds no more jitter to Retry-After than the first`() async throws {
    stub(times: 2) { Response(status: .serviceUnavailable, headers: [.retryAfter: "7"], url: $0.url) }
    _ = try await connection().get()
    #expect(clock.slept == [.milliseconds(7500), .milliseconds(7500)])
  }

  @Test func `Retry-After may have the longest accepted value`() async throws {
    stub { Response(status: .serviceUnavailable, headers: [.retryAfter: "60"], url: $0.url) }
    #expect(try await connection().get().retries == 1)
  }

  @Test func `a base delay above the maximum is clamped to it`() async throws {
    stub { Response(status: .serviceUnavailable, url: $0.url) }
    var policy = Retry.Policy()
    policy.initialDelay = .seconds(30)
    _ = try await connection(policy).get()
    #expect(clock.slept == [.seconds(20)])
  }

  @Test func `a response that is truncated after its head costs one retry of the budget`() async throws {
    stub { request in
      var error = TransportError(.truncatedResponse, building: request, "")
      error.partialResponse = Response(status: .serviceUnavailable, url: request.url)
      throw error
    }
    let retry = Retry(budget: RetryBudget(ratio: 0, reserve: 1), clock: InstantClock(clock))
    let connection = try Connection("http://host/", adapter: mock, middleware: [retry])
    #expect(try await connection.get { $0.options.onHead = { _ in } }.retries == 1)
  }

  @Test func `a response that callbacks could see costs one retry of the budget`() async throws {
    stub { Response(status: .serviceUnavailable, url: $0.url) }
    let retry = Retry(budget: RetryBudget(ratio: 0, reserve: 1), clock: InstantClock(clock))
    let connection = try Connection("http://host/", adapter: mock, middleware: [retry])
    #expect(try await connection.get { $0.options.onHead = { _ in } }.retries == 1)
  }

  // MARK: Discarded bodies

  /// Reports how many bytes of it were read.
  private struct Counted: AsyncSequence, Sendable {
    let read: Log<Int>
    func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    struct Iterator: AsyncIteratorProtocol {
      let read: Log<Int>
      mutating func next() async -> Data? {
        guard read.elements.count < 100 else { return nil }
        read.append(30 << 10)
        return Data(count: 30 << 10)
      }
    }
  }

  @Test(arguments: [(100, 3), (65536, 3), (65537, 0), (nil, 3)])
  func `at most 64 KiB of a discarded body are read, and nothing if its length is larger`(
    length: Int64?, pieces: Int
  ) async throws {
    let read = Log<Int>()
    stub { request in
      Response(status: .serviceUnavailable, body: .stream(Counted(read: read), length: length), url: request.url)
    }
    #expect(try await connection().get { $0.options.delivery = .streamed }.retries == 1)
    #expect(read.elements.count == pieces)
  }

  @Test func `a discarded body that was meant for the chunk callback is cancelled after 64 KiB`() async throws {
    let read = Log<Int>()
    stub { Response(status: .serviceUnavailable, body: .stream(Counted(read: read)), url: $0.url) }
    let response = try await connection().get {
      $0.options.onChunk = { _ in
        Issue.record("it saw a piece")
        return .continue
      }
    }
    #expect(response.retries == 1 && read.elements.count == 3)
  }

  @Test func `the connection of a discarded response is reused`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: TestedAdapter.curl.adapter, middleware: [retry()])
    let response = try await connection.get("/status/503") { $0.options.delivery = .streamed }
    #expect(response.retries == 2 && server.requestCount == 3 && server.connectionCount == 1)
  }

  @Test func `Retry-After of a truncated response is obeyed, and a too long one ends the retries`() async throws {
    mock.stub { _ in
      true
    } respond: { request in
      let text = request.url.path() == "/short" ? "7" : "61"
      throw TransportError(
        .truncatedResponse, phase: .receiving, method: request.method, url: request.url, message: "",
        partialResponse: Response(status: .serviceUnavailable, headers: [.retryAfter: text], url: request.url))
    }
    await #expect(throws: TransportError.self) { try await connection().get("short") }
    #expect(clock.slept == [.milliseconds(7500), .milliseconds(7500)])
    await #expect(throws: TransportError.self) { try await connection().get("long") }
    #expect(clock.slept.count == 2 && mock.recorded.count == 4)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `Retry-After of a truncated 503 is obeyed`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try MockServer(
      .text("later", status: .serviceUnavailable, headers: [.retryAfter: "7"]).cut(after: 3), .text("now"))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [retry()])
    let (response, text) = try await delivery.get("/", over: connection)
    #expect(response.status == .ok && text == "now" && response.retries == 1)
    #expect(clock.slept == [.milliseconds(7500)])
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.watchdog) struct TimeoutMiddlewareTests {
  private let clock = ManualClock()

  @Test func `a request that exceeds the limit is cancelled, and the error names the limit`() async throws {
    let mock = MockAdapter()
    let wasCancelled = Gate()
    mock.stub { _ in
      true
    } respond: { request in
      do { try await Task.sleep(for: .seconds(3600)) } catch {
        wasCancelled.open()
        throw error
      }
      return Response(status: .ok, url: request.url)
    }
    let connection = try Connection("http://u:p@host/", adapter: mock, middleware: [.timeout(.seconds(5), clock: clock)])
    let task = Task { try await connection.get("path?token=hidden") }
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error.map { "\($0)" } == "GET http://host/path?token=[secret]: timed out: not completed within 5.0 seconds")
    #expect(await wasCancelled.opened())
  }

  @Test func `attempts and the delays between them count together`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .serviceUnavailable)
    let retry = Retry(clock: clock, random: { 1 })
    let connection = try Connection("http://host/", adapter: mock, middleware: [.timeout(.seconds(1), clock: clock), retry])
    let task = Task { try await connection.get() }
    await clock.sleepers(2)
    clock.advance(by: .milliseconds(500))
    await clock.sleepers(2)
    clock.advance(by: .milliseconds(500))
    await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(mock.recorded.count == 2)
  }

  @Test func `errors from below and cancellations are passed on unchanged`() async throws {
    struct Mine: Error {}
    let mock = MockAdapter()
    mock.stub(.get, path: "/stall") { try await Task.sleep(for: .seconds(3600)) }
    mock.stub(.get, path: "/error") { throw Mine() }
    let connection = try Connection("http://host/", adapter: mock, middleware: [.timeout(.seconds(5), clock: clock)])
    await #expect(throws: Mine.self) { try await connection.get("error") }
    let task = Task { try await connection.get("stall") }
    await clock.sleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a limit of zero or less fails without sending the request`(limit: Duration) async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.timeout(limit, clock: clock)])
    let error = await #expect(throws: TimeoutError.self) { try await connection.get() }
    #expect(error?.limit == limit && mock.recorded.isEmpty)
  }

  @Test func `the largest limit never expires`() async throws {
    let mock = MockAdapter(isStrict: false)
    for limit in [Duration.seconds(Int64.max), .seconds(4_000_000_000)] {
      let connection = try Connection("http://host/", adapter: mock, middleware: [.timeout(limit)])
      #expect(try await connection.get().status == .notFound)
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a streamed body has the same deadline if it is included`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(
      server.url, adapter: tested.adapter, middleware: [.timeout(.seconds(5), includesStreams: true, clock: clock)])
    let response = try await connection.get("/stall/body") { $0.options.delivery = .streamed }
    #expect(response.body.length == 100)
    let clock = clock
    let task = Task { try await response.body.collect() }
    // The first piece may take one sleep, and the second one more.
    let mover = Task {
      await clock.sleepers(1)
      clock.advance(by: .seconds(5))
    }
    await #expect(throws: TimeoutError.self) { try await task.value }
    await mover.value
    // The connection is given up.
    await until { server.openConnectionCount == 0 }
  }

  @Test(arguments: TestedDelivery.allCases)
  func `a body that is streamed or delivered to a callback can exceed the limit`(delivery: TestedDelivery) async throws {
    let clock = clock
    let mock = mock { request, _ in
      let pieces = AsyncStream<Data> { continuation in
        continuation.yield(Data("one,".utf8))
        continuation.onTermination = { _ in }
        Task {
          // The limit ends between two chunks. Only a buffered body waits for it.
          if delivery == .buffered { await clock.sleepers(1) }
          clock.advance(by: .seconds(3600))
          continuation.yield(Data("two".utf8))
          if delivery != .buffered { continuation.finish() }
        }
      }
      return Response(status: .ok, body: .stream(pieces), url: request.url)
    }
    let connection = try Connection("https://host/", adapter: mock, middleware: [.timeout(.seconds(5), clock: clock)] + .standard)
    if delivery == .buffered {
      await #expect(throws: TimeoutError.self) { try await connection.get("feed") }
    } else {
      #expect(try await delivery.get("feed", over: connection).text == "one,two")
    }
    #expect(clock.asleep == 0)
  }

  @Test func `a streamed response without a head in time fails with an error that says so`() async throws {
    let held = HeldAdapter()
    let connection = try Connection("https://host/", adapter: held, middleware: [.timeout(.seconds(5), clock: clock)])
    let task = Task { try await connection.get { $0.options.delivery = .streamed } }
    await clock.sleepers(1)
    await held.held(0)
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.description == "GET https://host/: timed out: no response within 5.0 seconds" && held.cancelled == [0])
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a response in time is unchanged`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.timeout(.seconds(60))])
    let (response, text) = try await delivery.get("/bytes/3000", over: connection)
    #expect(response.status == .ok && text.utf8.count >= 3000)
  }
}

extension MockAdapter {
  fileprivate func stub(_ method: HTTPRequest.Method, path: String, _ work: @escaping @Sendable () async throws -> Void) {
    stub {
      $0.method == method && $0.url.path() == path
    } respond: { request in
      try await work()
      return Response(status: .ok, url: request.url)
    }
  }
}

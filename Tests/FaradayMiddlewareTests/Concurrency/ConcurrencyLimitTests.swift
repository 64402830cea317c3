import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct ConcurrencyLimitTests {
  private let clock = ManualClock()
  private let held = HeldAdapter()

  private func connection(_ limit: ConcurrencyLimit, _ adapter: (any Adapter)? = nil) throws -> Connection {
    try Connection("https://host/", adapter: adapter ?? held, middleware: [limit])
  }

  private func load(_ limit: ConcurrencyLimit, _ url: String = "https://host/") throws -> [Int] {
    let load = limit.load(of: try Request(url))
    return [load.inFlight, load.waiting]
  }

  @Test func `a request is rejected after the longest wait, and at once if the queue is full`() async throws {
    let limit = ConcurrencyLimit(1, maximumWait: .seconds(5), maximumWaiting: 1, clock: clock)
    let connection = try connection(limit)
    let first = Task { try await connection.get() }
    await held.held(0)
    let second = Task { try await connection.get() }
    await clock.sleepers(1)
    let full = try #require(await #expect(throws: RefusedRequestError.self) { try await connection.get("a?token=hidden") })
    #expect(full.reason == .concurrencyLimited(inFlight: 1, .queueFull(waiting: 1)) && full.isTransient && full.retryAfter == nil)
    #expect(full.description.contains("1 requests of https://host:443") && !full.description.contains("hidden"))
    clock.advance(by: .seconds(5))
    let late = await #expect(throws: RefusedRequestError.self) { try await second.value }
    #expect(late?.reason == .concurrencyLimited(inFlight: 1, .maximumWait(.seconds(5))))
    await held.answer(0)
    _ = try await first.value
    #expect(try load(limit) == [0, 0] && limit.keyCount == 0 && held.requests.count == 1)
  }

  @Test func `errors and cancellations free the slot, and a cancelled waiter takes none`() async throws {
    let limit = ConcurrencyLimit(1, clock: clock)
    let connection = try connection(limit)
    let first = Task { try await connection.get() }
    await held.held(0)
    let second = Task { try await connection.get() }
    let third = Task { try await connection.get() }
    await until { (try? load(limit)) == [1, 2] }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    await held.fail(0)
    await #expect(throws: TransportError.self) { try await first.value }
    await held.held(1)
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    #expect(try load(limit) == [0, 0] && held.requests.count == 2)
  }

  @Test func `slots are assigned by priority, and in order within one priority`() async throws {
    let limit = ConcurrencyLimit(1, clock: clock)
    let connection = try connection(limit)
    var tasks = [Task { try await connection.get("first") }]
    await held.held(0)
    for (index, (path, priority)) in [
      ("low", RequestPriority.low), ("a", .normal), ("b", .normal), ("high", .high), ("top", .init(rawValue: .max)),
    ].enumerated() {
      tasks.append(Task { try await connection.get(path) { $0.options.priority = priority } })
      await until { (try? load(limit)) == [1, index + 1] }
    }
    for number in 0...5 { await held.answer(number) }
    for task in tasks { _ = try await task.value }
    #expect(held.requests.map(\.url.lastPathComponent) == ["first", "top", "high", "a", "b", "low"] && held.mostHeld == 1)
  }

  @Test func `tags and custom keys are separate bulkheads`() async throws {
    let limit = ConcurrencyLimit(1, by: .tags, maximumWait: .zero, clock: clock)
    let connection = try connection(limit)
    let report = Task { try await connection.get { $0.options.tags = ["reports"] } }
    await held.held(0)
    #expect(
      await #expect(throws: RefusedRequestError.self) { try await connection.get { $0.options.tags = ["reports"] } }?
        .isConcurrencyLimited == true)
    let other = Task { try await connection.get() }
    await held.held(1)
    held.answerAll()
    _ = try await (report.value, other.value)
    let byMethod = ConcurrencyLimit(1, by: .key { $0.method.rawValue }, maximumWait: .zero)
    let error = await #expect(throws: RefusedRequestError.self) {
      try await Connection(
        "https://host/", adapter: mock { _, _ in try await self.connection(byMethod).get() }, middleware: [byMethod]
      )
      .get()
    }
    #expect(error?.key == "GET")
  }

  // MARK: bodies

  private func streaming(_ limit: ConcurrencyLimit, _ pieces: [String], failing: Bool = false) throws -> Connection {
    let body = AsyncThrowingStream<Data, any Error> { continuation in
      for piece in pieces { continuation.yield(Data(piece.utf8)) }
      continuation.finish(throwing: failing ? BrokenStore.Down() : nil)
    }
    return try connection(limit, mock { request, _ in Response(status: .ok, body: .stream(body), url: request.url) })
  }

  @Test func `a streamed body keeps the slot until it is read, fails or is released`() async throws {
    let limit = ConcurrencyLimit(1, maximumWait: .zero, clock: clock)
    let read = try await streaming(limit, ["a", "b"]).get { $0.options.delivery = .streamed }
    #expect(try load(limit) == [1, 0])
    var iterator = read.body.makeAsyncIterator()
    _ = try await iterator.next()
    _ = try await iterator.next()
    #expect(try load(limit) == [1, 0])
    #expect(try await iterator.next() == nil)
    // Though response and iterator are still there.
    #expect(try load(limit) == [0, 0])
    let failing = try await streaming(limit, ["a"], failing: true).get { $0.options.delivery = .streamed }
    await #expect(throws: BrokenStore.Down.self) { try await failing.body.collect() }
    #expect(try load(limit) == [0, 0])
    var dropped: Response? = try await streaming(limit, ["a"]).get { $0.options.delivery = .streamed }
    #expect(try load(limit) == [1, 0] && dropped != nil)
    dropped = nil
    #expect(try load(limit) == [0, 0])
    let half = try await streaming(limit, ["a", "b"]).get { $0.options.delivery = .streamed }
    for try await _ in half.body { break }
    #expect(try load(limit) == [0, 0])
    withExtendedLifetime((read, failing, half)) {}
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a body over a real connection keeps the slot until its end`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let limit = ConcurrencyLimit(1, maximumWait: .zero, clock: clock)
    let connection = try Connection(server.url + "/stall/body", adapter: tested.adapter, middleware: [limit])
    let half = try await connection.get { $0.options.delivery = .streamed }
    #expect(try load(limit, server.url) == [1, 0])
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get() }?.isConcurrencyLimited == true)
    for try await _ in half.body { break }
    #expect(try load(limit, server.url) == [0, 0])
    await until { server.openConnectionCount == 0 }
    var unread: Response? = try await connection.get { $0.options.delivery = .streamed }
    #expect(unread?.status == .ok)
    unread = nil
    // The engine's thread may not be done yet with handing it over.
    while try load(limit, server.url) != [0, 0] { await Task.yield() }
    withExtendedLifetime(half) {}
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `the slot is free when the delivery is complete`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let text = String(repeating: "text", count: 50_000)
    let server = try MockServer { _ in .text(text) }
    let limit = ConcurrencyLimit(1, maximumWait: .zero, clock: clock)
    let connection = try Connection(server.url + "/", adapter: tested.adapter, middleware: [limit])
    for _ in 1...3 {
      #expect(try await delivery.get("", over: connection).text == text)
      #expect(try load(limit, server.url) == [0, 0])
    }
  }

  // MARK: many

  @Test func `thousands of requests with cancellations never exceed the limit, and return all slots`() async throws {
    let limit = ConcurrencyLimit(7, clock: clock)
    let connection = try connection(limit)
    var random = SeededGenerator(seed: 42)
    let (ended, cancelled) = (Log<Bool>(), Log<Bool>())
    let tasks = (0..<3000).map { number in
      Task {
        do {
          _ = try await connection.get("\(number)") { $0.options.priority = .init(rawValue: number % 5) }
          ended.append(true)
        } catch is CancellationError { cancelled.append(true) }
      }
    }
    for task in tasks where Int.random(in: 0..<3, using: &random) == 0 { task.cancel() }
    await until {
      held.answerAll()
      return ended.elements.count + cancelled.elements.count == 3000
    }
    for task in tasks { try await task.value }
    #expect(held.mostHeld <= 7 && ended.elements.count >= 1900 && limit.keyCount == 0)
    #expect(held.requests.count >= ended.elements.count)
  }

  // MARK: adaptive

  @Test func `the limit grows by about one per round trip, and shrinks once per slow round trip`() {
    let adaptive = ConcurrencyLimit.Adaptive(initial: 4, maximum: 6, window: 10).checked
    var limit = AdaptedLimit(adaptive)
    var now = Duration.seconds(1)
    func answer(_ seconds: Int, inFlight: Int = 10, overloaded: Bool = false) {
      limit.record(now..<now + .seconds(seconds), inFlight: inFlight, isOverloaded: overloaded, adaptive)
    }
    for _ in 1...5 { answer(1) }
    #expect(limit.places == 5)
    for _ in 1...50 { answer(1) }
    #expect(limit.places == 6)
    // A limit that is not fully used learns nothing from fast responses.
    answer(1, inFlight: 1)
    now += .seconds(10)
    for _ in 1...6 { answer(3) }
    #expect(limit.places == 5)
    now += .seconds(10)
    answer(0, overloaded: true)
    #expect(limit.places == 4)
    // Permanent slowness becomes the baseline after a window or two.
    for _ in 1...20 {
      now += .seconds(10)
      answer(3)
    }
    let shrunk = limit.places
    for _ in 1...30 {
      now += .seconds(10)
      answer(3)
    }
    #expect(limit.places > shrunk)
  }

  @Test func `an overloaded server gets fewer requests`() async throws {
    let limit = ConcurrencyLimit(adaptive: .init(initial: 4, backoff: 0.5), clock: clock)
    let connection = try connection(limit, mock(.serviceUnavailable))
    let request = try Request("https://host/")
    for places in [2, 1, 1] {
      clock.advance(by: .seconds(1))
      _ = try await connection.get()
      #expect(limit.limit(of: request) == places)
    }
    // A rejection by a limit below is not a signal about the server.
    let below = ConcurrencyLimit(adaptive: .init(initial: 4, backoff: 0.5), clock: clock)
    let refused = try Connection(
      "https://host/", adapter: mock(.ok),
      middleware: [
        below,
        .closure { request, _ in
          throw RefusedRequestError(
            .concurrencyLimited(inFlight: 1, .queueFull(waiting: 0)), key: "", retryAfter: nil, request: RequestSummary(request))
        },
      ])
    #expect(await #expect(throws: RefusedRequestError.self) { try await refused.get() }?.isConcurrencyLimited == true)
    #expect(below.limit(of: request) == 4)
  }

  @Test func `errors of this side and responses that were not sent do not measure the latency`() async throws {
    let limit = ConcurrencyLimit(adaptive: .init(initial: 4, backoff: 0.5), clock: clock)
    let adapter = MockAdapter()
    adapter.stub {
      $0.url.path() == "/unreadable"
    } respond: {
      throw TransportError(.bodyUnreadable, building: $0, "")
    }
    adapter.stub { [clock] in
      clock.advance(by: .milliseconds(50))
      return Response(status: .ok, url: $0.url)
    }
    let answering = MiddlewareClosure { request, next in
      request.url.path() == "/stored" ? Response(status: .ok, url: request.url) : try await next(request)
    }
    let connection = try Connection("https://host/", adapter: adapter, middleware: [limit, answering])
    for _ in 1...3 {
      await #expect(throws: TransportError.self) { try await connection.get("unreadable") }
      _ = try await connection.get("stored")
      _ = try await connection.get("slow")
    }
    #expect(limit.limit(of: try Request("https://host/")) == 4)
  }

  @Test func `invalid parameters are clamped`() async throws {
    let odd = ConcurrencyLimit.Adaptive(initial: -5, minimum: .max, maximum: .min, tolerance: .nan, backoff: .infinity, window: 0)
    let connection = try connection(ConcurrencyLimit(adaptive: odd, maximumWaiting: -1, clock: clock), mock(.ok))
    for _ in 1...3 { _ = try await connection.get() }
    _ = try await self.connection(ConcurrencyLimit(-1, maximumWait: .seconds(Int64.min)), mock(.ok)).get()
  }
}

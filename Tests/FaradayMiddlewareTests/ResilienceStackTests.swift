import Faraday
import FaradayCache
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The members of the standard list together.
@Suite(.watchdog) struct ResilienceStackTests {
  private let clock = ManualClock()

  private func stack(
    _ adapter: any Adapter, limit: ConcurrencyLimit, breaker: CircuitBreaker, rate: RateLimit, hedging: Hedging
  ) throws -> Connection {
    try Connection(
      "https://host/", adapter: adapter,
      middleware: .standard(
        authorization: .tokenRefresh(token: "old") { _ in "new" }, coalescing: .coalescing,
        retry: Retry(clock: InstantClock(clock), random: { 0 }), hedging: hedging, circuitBreaker: breaker, rateLimit: rate,
        concurrencyLimit: limit))
  }

  /// The whole list over the adapter, with the parts that the tests inspect.
  private struct Whole {
    let coalescing = Coalescing()
    let budget = RetryBudget(ratio: 0, reserve: 5)
    let hedgeBudget = RetryBudget(ratio: 0, reserve: 5)
    let limit: ConcurrencyLimit
    let hedgeClock = ManualClock()
    let connection: Connection

    init(_ adapter: any Adapter, clock: ManualClock, user: String = "ada", retries: Int = 0) throws {
      limit = ConcurrencyLimit(2, maximumWait: .zero, clock: clock)
      let list: [any Middleware] = .standard(
        authorization: .authorization(.bearer(user)), cookies: CookieJar(), cache: .cache(policy: .alwaysRevalidate),
        coalescing: coalescing,
        retry: Retry(.init(retries: retries), budget: budget, clock: InstantClock(clock), random: { 0 }),
        hedging: Hedging(.init(.fixed(.seconds(1))), budget: hedgeBudget, clock: hedgeClock),
        circuitBreaker: CircuitBreaker(.init(failures: 3, jitter: 0), clock: clock),
        rateLimit: RateLimit(.init(4, per: .seconds(3600), maximumWait: .zero), clock: clock), concurrencyLimit: limit)
      connection = try Connection(
        "https://host/", adapter: adapter, middleware: [.requestID, .timeout(.seconds(30), clock: ManualClock())] + list)
    }

    /// Starts equal requests, and waits until one exchange serves all of them.
    func equalRequests(_ count: Int) async -> [Task<Response, any Error>] {
      let tasks = (1...count).map { _ in Task { [connection] in try await connection.get("a") } }
      await until { coalescing.waiterCount == count }
      return tasks
    }
  }

  @Test func `one shared exchange counts once in every limit`() async throws {
    let held = HeldAdapter()
    let whole = try Whole(held, clock: clock, retries: 1)
    // Five callers share one exchange: two attempts, both with 503.
    let tasks = await whole.equalRequests(5)
    await held.answer(0, .serviceUnavailable)
    await held.answer(1, .serviceUnavailable)
    for task in tasks {
      let response = try await task.value
      #expect(response.status == .serviceUnavailable && response.retries == 1 && response.requestID != nil)
    }
    #expect(held.requests.count == 2)
    // One token of the budget is gone. The circuit is closed with two failures of three, and two of four requests are left.
    #expect((1...5).filter { _ in whole.budget.withdraw() }.count == 4)
    let last = await whole.equalRequests(5)
    await held.answer(2)
    for task in last { #expect(try await task.value.status == .ok) }
    #expect(held.requests.count == 3 && held.mostHeld == 1 && whole.limit.keyCount == 0)
  }

  @Test func `a hedged attempt of a shared exchange is sent and serves all`() async throws {
    let held = HeldAdapter()
    let whole = try Whole(held, clock: clock)
    let tasks = await whole.equalRequests(5)
    await whole.hedgeClock.sleepers(1)
    whole.hedgeClock.advance(by: .seconds(1))
    await held.answer(1)
    for task in tasks { #expect(try await task.value.hedges == 1) }
    #expect(held.requests.count == 2 && held.cancelled == [0] && whole.limit.keyCount == 0)
    #expect((1...5).filter { _ in whole.hedgeBudget.withdraw() }.count == 4)
  }

  @Test func `a failing origin opens the circuit after the policy's number of exchanges`() async throws {
    let failing = mock(.badGateway)
    let whole = try Whole(failing, clock: clock)
    for _ in 1...3 { #expect(try await whole.connection.get("a").status == .badGateway) }
    #expect(await #expect(throws: RefusedRequestError.self) { try await whole.connection.get("a") }?.isCircuitOpen == true)
    #expect(failing.recorded.count == 3)
    #expect(Set(failing.recorded.map { $0.request.headers[.authorization] }) == ["Bearer ada"])
  }

  @Test func `all callers see a shared failure, and no circuit above the coalescing layer opens`() async throws {
    let held = HeldAdapter()
    let coalescing = Coalescing()
    let breaker = CircuitBreaker(.init(failures: 2, jitter: 0), clock: clock)
    let connection = try Connection("https://host/", adapter: held, middleware: [breaker, coalescing])
    let tasks = (1...5).map { _ in Task { try await connection.get("a") } }
    await until { coalescing.waiterCount == 5 }
    await held.answer(0, .serviceUnavailable)
    for task in tasks { #expect(try await task.value.status == .serviceUnavailable) }
    let second = Task { try await connection.get("a") }
    await held.answer(1, .serviceUnavailable)
    #expect(try await second.value.status == .serviceUnavailable)
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get("a") }?.isCircuitOpen == true)
  }

  @Test func `redirects, retries and a token refresh each take a slot, and all slots come back`() async throws {
    let answers = mock { request, number in
      let status: HTTPResponse.Status = [.found, .unauthorized, .serviceUnavailable, .ok][min(number, 3)]
      return Response(status: status, headers: number == 0 ? [.location: "/there"] : [:], url: request.url)
    }
    let limit = ConcurrencyLimit(1, maximumWait: .zero, clock: clock)
    let connection = try stack(
      answers, limit: limit, breaker: CircuitBreaker(clock: clock), rate: RateLimit(.init(100), clock: clock),
      hedging: Hedging(.init(.fixed(.seconds(60))), clock: ManualClock()))
    let response = try await connection.get("here")
    #expect(response.status == .ok && response.retries == 1 && response.redirects.count == 1)
    #expect(answers.recorded.map { $0.request.url.path } == ["/here", "/there", "/there", "/there"])
    #expect(
      answers.recorded.map { $0.request.headers[.authorization] } == ["Bearer old", "Bearer old", "Bearer new", "Bearer new"])
    #expect(limit.keyCount == 0)
  }

  @Test func `a circuit that opens between attempts ends the retries at once`() async throws {
    let failing = mock(.badGateway)
    let limit = ConcurrencyLimit(1, maximumWait: .zero, clock: clock)
    let connection = try stack(
      failing, limit: limit, breaker: CircuitBreaker(.init(failures: 2, jitter: 0), clock: clock),
      rate: RateLimit(.init(100), clock: clock), hedging: Hedging(.init(.fixed(.seconds(60))), clock: ManualClock()))
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get() }?.isCircuitOpen == true)
    #expect(failing.recorded.count == 2 && limit.keyCount == 0)
  }

  @Test func `a hedged attempt takes a slot, and the loser frees its slot`() async throws {
    let held = HeldAdapter()
    let hedgeClock = ManualClock()
    let limit = ConcurrencyLimit(2, maximumWait: .zero, clock: clock)
    let connection = try Connection(
      "https://host/", adapter: held,
      middleware: [Hedging(.init(.fixed(.seconds(1))), clock: hedgeClock), limit])
    let task = Task { try await connection.get() }
    await hedgeClock.sleepers(1)
    hedgeClock.advance(by: .seconds(1))
    await held.held(1)
    #expect(
      await #expect(throws: RefusedRequestError.self) { try await connection.get { $0.options.isHedged = false } }?
        .isConcurrencyLimited == true)
    await held.answer(1)
    _ = try await task.value
    #expect(limit.keyCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `users with equal concurrent requests get their own responses from a real server`(tested: TestedAdapter) async throws {
    let server = try MockServer { .text($0.headers[.authorization] ?? "nobody") }
    let coalescing = Coalescing()
    let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
      for number in 0..<60 {
        let user = "user\(number % 3)"
        group.addTask {
          let connection = try Connection(
            server.url, adapter: tested.adapter, middleware: [.authorization(.bearer(user)), coalescing])
          return (user, try await connection.get("/").body.utf8Text())
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 60 && answers.allSatisfy { $0.1 == "Bearer \($0.0)" })
  }
}

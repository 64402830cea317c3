import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The members of the stack together, in the order of the article.
@Suite struct ResilienceStackTests {
  private let clock = ManualClock()

  private func stack(
    _ adapter: any Adapter, limit: ConcurrencyLimit, breaker: CircuitBreaker, rate: RateLimit, hedging: Hedging
  ) throws -> Connection {
    try Connection(
      "https://host/", adapter: adapter,
      middleware: [
        .redirects(), Retry(clock: InstantClock(clock), random: { 0 }), hedging, breaker, limit, rate,
        .tokenRefresh(token: "old") { _ in "new" }, .coalescing,
      ])
  }

  @Test func `redirects, retries and a renewed token each take their turn, and all places come back`() async throws {
    let answers = mock { request, number in
      let status: HTTPResponse.Status = [.found, .serviceUnavailable, .unauthorized, .ok][min(number, 3)]
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
      answers.recorded.map { $0.request.headers[.authorization] } == ["Bearer old", "Bearer old", "Bearer old", "Bearer new"])
    #expect(limit.keyCount == 0)
  }

  @Test func `a circuit that opens between attempts ends the retries at once`() async throws {
    let failing = mock(.badGateway)
    let limit = ConcurrencyLimit(1, maximumWait: .zero, clock: clock)
    let connection = try stack(
      failing, limit: limit, breaker: CircuitBreaker(.init(failures: 2, jitter: 0), clock: clock),
      rate: RateLimit(.init(100), clock: clock), hedging: Hedging(.init(.fixed(.seconds(60))), clock: ManualClock()))
    await #expect(throws: CircuitOpen.self) { try await connection.get() }
    #expect(failing.recorded.count == 2 && limit.keyCount == 0)
  }

  @Test func `a second try takes a place, and the loser gives its back`() async throws {
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
    await #expect(throws: ConcurrencyLimitReached.self) { try await connection.get { $0.options.isHedged = false } }
    await held.answer(1)
    _ = try await task.value
    #expect(limit.keyCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `users who ask for the same at the same time get their own answers from a real server`(tested: TestedAdapter) async throws
  {
    let server = try AnsweringServer { head, _, _ in
      AnsweringServer.answer(200, body: head.firstMatch(of: /[Aa]uthorization: Bearer (\w+)/).map { String($0.1) } ?? "nobody")
    }
    let coalescing = Coalescing()
    let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
      for number in 0..<60 {
        let user = "user\(number % 3)"
        group.addTask {
          let connection = try Connection(
            server.url, adapter: tested.adapter, middleware: [.authorization(.bearer(user)), coalescing])
          return (user, try await connection.get("/").body.text())
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 60 && answers.allSatisfy { $0.0 == $0.1 })
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct RateLimitTests {
  private let clock = ManualClock()

  private func connection(
    _ policy: RateLimit.Policy, _ adapter: any Adapter, by key: LimitKey = .origin, outer: (any Middleware)? = nil
  ) throws -> Connection {
    let limit = RateLimit(policy, by: key, clock: clock, date: { Date(timeIntervalSince1970: 1_700_000_000) })
    return try Connection("https://host/", adapter: adapter, middleware: [outer, limit].compactMap { $0 })
  }

  @Test func `without waiting, a request over the rate is rejected with the time of the next token`() async throws {
    let mock = mock(.ok)
    let connection = try connection(RateLimit.Policy(2, per: .seconds(10), maximumWait: .zero), mock)
    for _ in 1...2 { _ = try await connection.get() }
    let error = try #require(await #expect(throws: RefusedRequestError.self) { try await connection.get("a?token=hidden") })
    #expect(
      error.reason == .rateLimited(.noWait) && error.retryAfter == .seconds(5) && error.key == "https://host:443"
        && error.isTransient)
    #expect(error.description.contains("again in 5.0 seconds") && !error.description.contains("hidden"))
    #expect(mock.recorded.count == 2)
    clock.advance(by: .seconds(5))
    _ = try await connection.get()
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get() }?.isRateLimited == true)
    _ = try await connection.get("https://other/")
  }

  @Test func `a request that must wait too long is rejected at once if first, and at its deadline if queued`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: .seconds(9)), mock(.ok))
    _ = try await connection.get()
    let error = await #expect(throws: RefusedRequestError.self) { try await connection.get() }
    #expect(error?.reason == .rateLimited(.maximumWait(.seconds(9))) && error?.retryAfter == .seconds(10) && clock.asleep == 0)
    clock.advance(by: .seconds(4))
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let second = Task { try await connection.get() }
    await clock.sleepers(2)
    clock.advance(by: .seconds(6))
    _ = try await first.value
    // It has its turn now, and three seconds left of its nine.
    let late = await #expect(throws: RefusedRequestError.self) { try await second.value }
    #expect(late?.reason == .rateLimited(.maximumWait(.seconds(9))))
  }

  @Test func `a queued request is rejected when its longest wait is over`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: .seconds(12)), mock(.ok))
    _ = try await connection.get()
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let second = Task { try await connection.get() }
    await clock.sleepers(2)
    clock.advance(by: .seconds(10))
    _ = try await first.value
    let late = await #expect(throws: RefusedRequestError.self) { try await second.value }
    #expect(late?.retryAfter == .seconds(10))
    // No request waits, and no token is lost.
    clock.advance(by: .seconds(10))
    _ = try await connection.get()
  }

  @Test func `the queue is bounded`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: nil, maximumWaiting: 1), mock(.ok))
    _ = try await connection.get()
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let others = (1...2).map { _ in Task { try await connection.get() } }
    let refused = await withTaskGroup(of: RefusedRequestError?.self) { group in
      for task in others {
        group.addTask {
          do { _ = try await task.value } catch { return (error as? RefusedRequestError).flatMap { $0.isRateLimited ? $0 : nil } }
          return nil
        }
      }
      // This request found no place in the queue. The other one waits.
      let error = await group.next() ?? nil
      first.cancel()
      for task in others { task.cancel() }
      return error
    }
    #expect(refused?.reason == .rateLimited(.queueFull(waiting: 1)) && refused?.retryAfter == .seconds(20))
  }

  @Test func `requests are sent at the rate after an initial burst`() async throws {
    let mock = mock(.ok)
    let limit = RateLimit(RateLimit.Policy(10, per: .seconds(1), burst: 3, maximumWait: nil), clock: InstantClock(clock))
    let connection = try Connection("https://host/", adapter: mock, middleware: [limit])
    for _ in 1...6 { _ = try await connection.get() }
    #expect(clock.slept == [.milliseconds(100), .milliseconds(100), .milliseconds(100)])
    clock.advance(by: .seconds(100))
    for _ in 1...4 { _ = try await connection.get() }
    #expect(clock.slept.count == 4)
  }

  @Test func `tokens go by priority and order, and a cancelled request takes none`() async throws {
    let mock = mock(.ok)
    let connection = try connection(RateLimit.Policy(1, per: .seconds(1), maximumWait: nil), mock)
    _ = try await connection.get("first")
    let sleeper = Task { try await connection.get("normal1") { $0.options.priority = .normal } }
    await clock.sleepers(1)
    var tasks = [sleeper]
    let waiting: [(String, RequestPriority)] = [
      ("low", .low), ("gone", .high), ("normal2", .normal), ("high1", .high), ("high2", .high),
    ]
    for (index, (path, priority)) in waiting.enumerated() {
      tasks.append(Task { try await connection.get(path) { $0.options.priority = priority } })
      // Each is in the queue before the next comes.
      await until { limitOf(connection)?.waitingCount == index + 1 }
    }
    tasks[2].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[2].value }
    for second in 1...5 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      await until { mock.recorded.count == 1 + second }
    }
    #expect(
      mock.recorded.map { $0.request.url.lastPathComponent } == ["first", "high1", "high2", "normal1", "normal2", "low"])
  }

  private func limitOf(_ connection: Connection) -> RateLimit? {
    connection.stack.middleware.lazy.compactMap { $0 as? RateLimit }.first
  }

  @Test func `the cancellation of the next request leaves its token to the following one`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: nil), mock(.ok))
    _ = try await connection.get()
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let second = Task { try await connection.get() }
    await until { limitOf(connection)?.waitingCount == 1 }
    clock.advance(by: .seconds(4))
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await clock.sleepers(1)
    #expect(clock.slept.last == .seconds(6))
    clock.advance(by: .seconds(6))
    #expect(try await second.value.status == .ok)
  }

  // MARK: the server's limits

  @Test func `a pause that the server requests applies to all requests, with any status`() async throws {
    let mock = mock { request, number in
      Response(
        status: number == 0 ? .tooManyRequests : .ok, headers: number == 0 ? [.retryAfter: "7"] : [:], url: request.url)
    }
    let connection = try connection(RateLimit.Policy(maximumWait: .zero), mock)
    #expect(try await connection.get().status == .tooManyRequests)
    let error = await #expect(throws: RefusedRequestError.self) { try await connection.get() }
    #expect(error?.retryAfter == .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await connection.get().status == .ok)
  }

  @Test func `the server's remaining quota counts requests without a response`() async throws {
    let held = HeldAdapter()
    let connection = try connection(RateLimit.Policy(maximumWait: .zero), held)
    let quota: HTTPFields = [HTTPField.Name("RateLimit")!: #""default";r=2;t=30"#]
    async let first = connection.get()
    await held.answer(0, headers: quota)
    _ = try await first
    async let second = connection.get()
    async let third = connection.get()
    await held.held(1)
    await held.held(2)
    #expect(await refusal(connection) != nil)
    // An answer that was overtaken gives nothing back.
    await held.answer(1, headers: quota)
    await held.answer(2, headers: quota)
    _ = try await (second, third)
    #expect(await refusal(connection)?.retryAfter == .seconds(30))
    clock.advance(by: .seconds(30))
    #expect(await refusal(connection) == nil)

    /// The error of a rejected request. A request that is sent is cancelled.
    func refusal(_ connection: Connection) async -> RefusedRequestError? {
      let ended = Log<RefusedRequestError?>()
      let before = held.requests.count
      let task = Task {
        do { _ = try await connection.get() } catch { ended.append(error as? RefusedRequestError) }
      }
      await until { !ended.elements.isEmpty || held.requests.count > before }
      task.cancel()
      await task.value
      return ended.elements.first ?? nil
    }
  }

  @Test func `a rejection in a status error is obeyed, up to the longest server delay`() async throws {
    let mock = mock(.serviceUnavailable, headers: [.retryAfter: "99999999999999999999999"])
    let policy = RateLimit.Policy(maximumWait: .zero, maximumServerDelay: .seconds(100))
    let limit = RateLimit(policy, clock: clock)
    let connection = try Connection("https://host/", adapter: mock, middleware: [limit, .statusValidation])
    await #expect(throws: StatusError.self) { try await connection.get() }
    #expect(await #expect(throws: RefusedRequestError.self) { try await connection.get() }?.retryAfter == .seconds(100))
    let deaf = try self.connection(RateLimit.Policy(maximumWait: .zero, obeysServer: false), mock)
    for _ in 1...2 { _ = try await deaf.get() }
  }

  @Test func `invalid parameters never trap`() async throws {
    let huge = Duration.seconds(Int64.max)
    for policy in [
      RateLimit.Policy(.max, per: huge, burst: .max, maximumWait: .zero - huge, maximumServerDelay: huge),
      RateLimit.Policy(-5, per: .zero - huge, burst: -1, maximumWait: huge, maximumWaiting: -1, maximumServerDelay: .zero - huge),
      RateLimit.Policy(.max, per: .nanoseconds(1), burst: .max, maximumWait: .zero),
    ] {
      let connection = try connection(policy, mock(.tooManyRequests, headers: [.retryAfter: "1"]))
      for _ in 1...3 {
        let ended = Log<Bool>()
        let task = Task {
          defer { ended.append(true) }
          return try await connection.get()
        }
        await until { clock.asleep > 0 || !ended.elements.isEmpty }
        task.cancel()
        _ = try? await task.value
      }
    }
  }

  // MARK: with others

  @Test func `each attempt of Retry takes a token, and a rejected one is not retried too early`() async throws {
    let answers = mock(.badGateway, .ok)
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let slow = try connection(RateLimit.Policy(1, per: .seconds(30), maximumWait: .zero), answers, outer: retry)
    #expect(await #expect(throws: RefusedRequestError.self) { try await slow.get() }?.isRateLimited == true)
    #expect(answers.recorded.count == 1)
    let told = Retry(
      Retry.Policy(shouldRetry: {
        ($0.error as? RefusedRequestError)?.isRateLimited == true || $0.head?.status.code == 502 ? true : nil
      }),
      clock: InstantClock(clock), random: { 0 })
    let patient = try connection(RateLimit.Policy(1, per: .seconds(30), maximumWait: .zero), mock(.badGateway, .ok), outer: told)
    let response = try await patient.get()
    #expect(response.status == .ok && response.retries == 2 && clock.slept.last == .seconds(30))
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a server's quota is obeyed over a real connection in all deliveries`(tested: TestedAdapter, delivery: TestedDelivery)
    async throws
  {
    let server = try MockServer()
    for left in [1, 0] {
      let quota = try HTTPFields(checking: ["RateLimit-Policy": "\"a\";q=2;w=60", "RateLimit": "\"a\";r=\(left)"])
      server.enqueue(.text("whole", headers: quota))
    }
    let limit = RateLimit(RateLimit.Policy(maximumWait: .zero), clock: clock)
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [limit])
    for _ in 1...2 { #expect(try await delivery.get("/", over: connection).text == "whole") }
    let error = await #expect(throws: RefusedRequestError.self) { try await delivery.get("/", over: connection) }
    #expect(error?.retryAfter == .seconds(60) && server.recorded.count == 2)
  }
}

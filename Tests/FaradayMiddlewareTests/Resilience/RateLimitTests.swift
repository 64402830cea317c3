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

  @Test func `without a wait, a request over the rate is refused, and told when to come back`() async throws {
    let mock = mock(.ok)
    let connection = try connection(RateLimit.Policy(2, per: .seconds(10), maximumWait: .zero), mock)
    for _ in 1...2 { _ = try await connection.get() }
    let error = try #require(await #expect(throws: RateLimited.self) { try await connection.get("a?token=hidden") })
    #expect(error.reason == .noWait && error.retryAfter == .seconds(5) && error.key == "https://host:443" && error.isTransient)
    #expect(error.description.contains("again in 5.0 seconds") && !error.description.contains("hidden"))
    #expect(mock.recorded.count == 2)
    clock.advance(by: .seconds(5))
    _ = try await connection.get()
    await #expect(throws: RateLimited.self) { try await connection.get() }
    _ = try await connection.get("https://other/")
  }

  @Test func `a longer wait than the longest is refused at once by the first, and at its time by one behind`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: .seconds(9)), mock(.ok))
    _ = try await connection.get()
    let error = await #expect(throws: RateLimited.self) { try await connection.get() }
    #expect(error?.reason == .maximumWait(.seconds(9)) && error?.retryAfter == .seconds(10) && clock.asleep == 0)
    clock.advance(by: .seconds(4))
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let second = Task { try await connection.get() }
    await clock.sleepers(2)
    clock.advance(by: .seconds(6))
    _ = try await first.value
    // It has its turn now, and three seconds left of its nine.
    let late = await #expect(throws: RateLimited.self) { try await second.value }
    #expect(late?.reason == .maximumWait(.seconds(9)))
  }

  @Test func `one that waits behind others is refused when its time is over`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: .seconds(12)), mock(.ok))
    _ = try await connection.get()
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let second = Task { try await connection.get() }
    await clock.sleepers(2)
    clock.advance(by: .seconds(10))
    _ = try await first.value
    let late = await #expect(throws: RateLimited.self) { try await second.value }
    #expect(late?.retryAfter == .seconds(10))
    // Nobody is left, and no token is lost.
    clock.advance(by: .seconds(10))
    _ = try await connection.get()
  }

  @Test func `the queue is bounded`() async throws {
    let connection = try connection(RateLimit.Policy(1, per: .seconds(10), maximumWait: nil, maximumWaiting: 1), mock(.ok))
    _ = try await connection.get()
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    let others = (1...2).map { _ in Task { try await connection.get() } }
    let refused = await withTaskGroup(of: RateLimited?.self) { group in
      for task in others {
        group.addTask {
          do { _ = try await task.value } catch { return error as? RateLimited }
          return nil
        }
      }
      // The one that found no place in the queue; the other waits.
      let error = await group.next() ?? nil
      first.cancel()
      for task in others { task.cancel() }
      return error
    }
    #expect(refused?.reason == .queueFull(waiting: 1) && refused?.retryAfter == .seconds(20))
  }

  @Test func `requests go at the rate, after a burst`() async throws {
    let mock = mock(.ok)
    let limit = RateLimit(RateLimit.Policy(10, per: .seconds(1), burst: 3, maximumWait: nil), clock: InstantClock(clock))
    let connection = try Connection("https://host/", adapter: mock, middleware: [limit])
    for _ in 1...6 { _ = try await connection.get() }
    #expect(clock.slept == [.milliseconds(100), .milliseconds(100), .milliseconds(100)])
    clock.advance(by: .seconds(100))
    for _ in 1...4 { _ = try await connection.get() }
    #expect(clock.slept.count == 4)
  }

  @Test func `the higher priority goes first, of equal ones the first, and who is cancelled takes nothing`() async throws {
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

  @Test func `cancelling the one whose turn it is leaves the token to the next`() async throws {
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

  @Test func `a server that asks for a pause gets it from all, in any status that says so`() async throws {
    let mock = mock { request, number in
      Response(
        status: number == 0 ? .tooManyRequests : .ok, headers: number == 0 ? [.retryAfter: "7"] : [:], url: request.url)
    }
    let connection = try connection(RateLimit.Policy(maximumWait: .zero), mock)
    #expect(try await connection.get().status == .tooManyRequests)
    let error = await #expect(throws: RateLimited.self) { try await connection.get() }
    #expect(error?.retryAfter == .seconds(7))
    clock.advance(by: .seconds(7))
    #expect(try await connection.get().status == .ok)
  }

  @Test func `what the server has left is counted down, also by what it has not answered yet`() async throws {
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

    /// What a request is refused with; one that is sent is cancelled.
    func refusal(_ connection: Connection) async -> RateLimited? {
      let ended = Log<RateLimited?>()
      let before = held.requests.count
      let task = Task {
        do { _ = try await connection.get() } catch { ended.append(error as? RateLimited) }
      }
      await until { !ended.elements.isEmpty || held.requests.count > before }
      task.cancel()
      await task.value
      return ended.elements.first ?? nil
    }
  }

  @Test func `a refusal that a status error carries is obeyed, and a server is obeyed no longer than the limit`() async throws {
    let mock = mock(.serviceUnavailable, headers: [.retryAfter: "99999999999999999999999"])
    let policy = RateLimit.Policy(maximumWait: .zero, maximumServerDelay: .seconds(100))
    let limit = RateLimit(policy, clock: clock)
    let connection = try Connection("https://host/", adapter: mock, middleware: [limit, .expectStatus])
    await #expect(throws: UnexpectedStatus.self) { try await connection.get() }
    #expect(await #expect(throws: RateLimited.self) { try await connection.get() }?.retryAfter == .seconds(100))
    let deaf = try self.connection(RateLimit.Policy(maximumWait: .zero, obeysServer: false), mock)
    for _ in 1...2 { _ = try await deaf.get() }
  }

  @Test func `values that make no sense trap nowhere`() async throws {
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

  @Test func `each attempt of a retry takes its turn, and a refusal is not retried before its time`() async throws {
    let answers = mock(.badGateway, .ok)
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    let slow = try connection(RateLimit.Policy(1, per: .seconds(30), maximumWait: .zero), answers, outer: retry)
    await #expect(throws: RateLimited.self) { try await slow.get() }
    #expect(answers.recorded.count == 1)
    let told = Retry(
      Retry.Policy(shouldRetry: { $0.error is RateLimited || $0.head?.status.code == 502 ? true : nil }),
      clock: InstantClock(clock), random: { 0 })
    let patient = try connection(RateLimit.Policy(1, per: .seconds(30), maximumWait: .zero), mock(.badGateway, .ok), outer: told)
    let response = try await patient.get()
    #expect(response.status == .ok && response.retries == 2 && clock.slept.last == .seconds(30))
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a server's quota is kept over a wire, in all deliveries`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try AnsweringServer { _, _, index in
      AnsweringServer.answer(200, "RateLimit-Policy: \"a\";q=2;w=60", "RateLimit: \"a\";r=\(1 - index)", body: "whole")
    }
    let limit = RateLimit(RateLimit.Policy(maximumWait: .zero), clock: clock)
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [limit])
    for _ in 1...2 { #expect(try await delivery.get("/", over: connection).text == "whole") }
    let error = await #expect(throws: RateLimited.self) { try await delivery.get("/", over: connection) }
    #expect(error?.retryAfter == .seconds(60) && server.requestCount == 2)
  }
}

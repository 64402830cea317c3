import Dispatch
import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct HedgingTests {
  private let clock = ManualClock()
  private let held = HeldAdapter()

  private func connection(
    _ policy: Hedging.Policy = Hedging.Policy(.fixed(.seconds(1))), budget: RetryBudget = RetryBudget(),
    _ adapter: (any Adapter)? = nil
  ) throws -> Connection {
    let hedging = Hedging(policy, budget: budget, clock: clock)
    return try Connection("https://host/", adapter: adapter ?? held, middleware: [hedging])
  }

  @Test func `a request that is unsafe, not replayable or opted out is sent once`() async throws {
    let connection = try connection()
    let once = AsyncStream<Data> { $0.finish() }
    let sends: [@Sendable () async throws -> Response] = [
      { try await connection.post() }, { try await connection.patch() }, { try await connection.put(body: .stream(once)) },
      { try await connection.get { $0.options.isHedged = false } },
      // A late loser could undo later changes of its sender.
      { try await connection.put(body: "x") }, { try await connection.delete() },
    ]
    for (number, send) in sends.enumerated() {
      let task = Task { try await send() }
      await held.answer(number)
      _ = try await task.value
    }
    #expect(held.requests.count == 6 && clock.slept.isEmpty)
    let post = Task { try await connection.post { $0.options.isHedged = true } }
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await held.answer(7)
    #expect(try await post.value.hedges == 1)
  }

  @Test func `the second attempt starts after the delay, the first head wins, and the loser is cancelled`() async throws {
    let connection = try connection()
    for (winner, loser) in [(1, 0), (2, 3)] {
      let task = Task { try await connection.get() }
      await held.held(min(winner, loser))
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      await held.held(max(winner, loser))
      await held.answer(winner, .notFound)
      let response = try await task.value
      #expect(response.status == .notFound && response.hedges == 1)
      #expect(held.cancelled.last == loser)
    }
    #expect(clock.asleep == 0)
  }

  @Test func `a response or a failure before the delay starts no second attempt`() async throws {
    let connection = try connection()
    let fast = Task { try await connection.get() }
    await clock.sleepers(1)
    await held.answer(0)
    #expect(try await fast.value.hedges == 0)
    let failing = Task { try await connection.get() }
    await clock.sleepers(1)
    await held.fail(1)
    await #expect(throws: TransportError.self) { try await failing.value }
    #expect(held.requests.count == 2 && clock.asleep == 0)
  }

  @Test func `one failure waits for the other attempt, and after two failures the first attempt's error is thrown`()
    async throws
  {
    let connection = try connection()
    let task = Task { try await connection.get() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await held.held(1)
    await held.fail(0)
    await held.answer(1)
    #expect(try await task.value.status == .ok)
    let both = Task { try await connection.get() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await held.held(3)
    await held.fail(3, .receiveFailed)
    await until { held.heldCount == 1 }
    await held.fail(2, .connectionClosed)
    #expect(await #expect(throws: TransportError.self) { try await both.value }?.code == .connectionClosed)
  }

  @Test func `cancelling the caller cancels all attempts`() async throws {
    let connection = try connection(Hedging.Policy(.fixed(.seconds(1)), attempts: 3))
    let task = Task { try await connection.get() }
    for _ in 1...2 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
    }
    await held.held(2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(held.cancelled.sorted() == [0, 1, 2] && clock.asleep == 0 && held.requests.count == 3)
  }

  @Test func `a shared budget limits the second attempts`() async throws {
    let connection = try connection(budget: RetryBudget(ratio: 0, reserve: 1))
    let first = Task { try await connection.get() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await held.answer(1)
    _ = try await first.value
    let second = Task { try await connection.get() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await held.answer(2)
    #expect(try await second.value.hedges == 0 && held.requests.count == 3)
  }

  @Test func `the percentile uses the latest responses once there are enough`() async throws {
    let connection = try connection(Hedging.Policy(.percentile(0.5, minimum: .milliseconds(1)), minimumSamples: 3))
    for (number, seconds) in [1, 9, 2].enumerated() {
      let task = Task { try await connection.get() }
      await held.held(number)
      #expect(clock.asleep == 0)
      clock.advance(by: .seconds(seconds))
      await held.answer(number)
      _ = try await task.value
    }
    let task = Task { try await connection.get() }
    await clock.sleepers(1)
    #expect(clock.slept == [.seconds(2)])
    await held.answer(3)
    _ = try await task.value
    var latencies = Latencies()
    #expect(latencies.percentile(0.5) == nil)
    for number in 1...1000 { latencies.add(.seconds(number)) }
    #expect(latencies.count == 100 && latencies.percentile(0) == .seconds(901) && latencies.percentile(1) == .seconds(1000))
    #expect(latencies.percentile(.nan) == .seconds(901) && latencies.percentile(0.95) == .seconds(995))
  }

  @Test func `a slow response that lost counts with its elapsed time`() async throws {
    let connection = try connection(Hedging.Policy(.percentile(1, minimum: .milliseconds(1)), minimumSamples: 3))
    for number in 0...2 {
      let task = Task { try await connection.get() }
      await held.held(number)
      clock.advance(by: .seconds(number + 1))
      await held.answer(number)
      _ = try await task.value
    }
    let task = Task { try await connection.get() }
    await clock.sleepers(1)
    await held.held(3)
    clock.advance(by: .seconds(3))
    await held.held(4)
    clock.advance(by: .seconds(1))
    await held.answer(4)
    #expect(try await task.value.hedges == 1)
    let next = Task { try await connection.get() }
    await clock.sleepers(1)
    // The latency of the winning second attempt does not count: delays would shrink until everything is sent twice.
    #expect(clock.slept == [.seconds(3), .seconds(4)])
    await held.answer(5)
    _ = try await next.value
  }

  @Test func `a budget shared with Retry gets one deposit per request and none per retry`() async throws {
    let budget = RetryBudget(ratio: 0.5, reserve: 1)
    let middleware: [any Middleware] = [
      Retry(budget: budget, clock: InstantClock(clock), random: { 0 }),
      Hedging(Hedging.Policy(.fixed(.seconds(60))), budget: budget, clock: ManualClock()),
    ]
    #expect(budget.withdraw())
    let good = try Connection("https://host/", adapter: mock(.ok), middleware: middleware)
    _ = try await good.get()
    #expect(!budget.withdraw())
    _ = try await good.get()
    #expect(budget.withdraw() && !budget.withdraw())
    for _ in 1...2 { _ = try await good.get() }
    #expect(try await Connection("https://host/", adapter: mock(.badGateway, .ok), middleware: middleware).get().retries == 1)
    _ = try await good.get()
    #expect(!budget.withdraw())
  }

  @Test func `invalid parameters never trap`() async throws {
    for policy in [
      Hedging.Policy(.fixed(.seconds(Int64.max)), attempts: .max), Hedging.Policy(.fixed(.seconds(Int64.min)), attempts: -1),
      Hedging.Policy(.percentile(.nan, minimum: .seconds(Int64.max)), attempts: 5, minimumSamples: -5),
    ] {
      let connection = try connection(policy, mock(.ok))
      for _ in 1...3 { #expect(try await connection.get().status == .ok) }
    }
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `one silent server does not delay the caller, and its connection is closed`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let (isAsked, isLeft) = (Gate(), Gate())
    let server = try RawServer { connection in
      let head = try connection.readHead()
      guard connection.index == 0 else {
        return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole")
      }
      _ = head
      isAsked.open()
      connection.waitForClose()
      isLeft.open()
    }
    defer { server.stop() }
    let hedging = Hedging(Hedging.Policy(.fixed(.seconds(1))), clock: clock)
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [hedging])
    let task = Task { try await delivery.get("/", over: connection) }
    await clock.sleepers(1)
    #expect(await isAsked.opened())
    clock.advance(by: .seconds(1))
    let (response, text) = try await task.value
    #expect(text == "whole" && response.hedges == 1)
    #expect(await isLeft.opened())
  }

  @Test func `the winner's time says nothing about a failed first attempt`() async throws {
    let connection = try connection(Hedging.Policy(.percentile(1, minimum: .milliseconds(1)), minimumSamples: 1))
    let first = Task { try await connection.get() }
    await held.held(0)
    clock.advance(by: .seconds(3))
    await held.answer(0)
    _ = try await first.value
    // The first attempt fails, and the second takes an hour. On one queue, the failure ends before the answer.
    let hedged = Task(executorPreference: OneQueue()) { try await connection.get() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    await held.held(2)
    await held.fail(1)
    await until { held.heldCount == 1 }
    clock.advance(by: .seconds(3600))
    await held.answer(2)
    #expect(try await hedged.value.hedges == 1)
    let next = Task { try await connection.get() }
    await clock.sleepers(1)
    #expect(clock.slept == [.seconds(3), .seconds(3)])
    await held.answer(3)
    _ = try await next.value
  }

  /// Runs the jobs of tasks one after the other, in the order in which they become ready.
  private final class OneQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test func `an unexpected status is also a response and ends the wait for the other attempt`() async throws {
    let hedging = Hedging(Hedging.Policy(.fixed(.seconds(1))), clock: clock)
    let connection = try Connection("https://host/", adapter: held, middleware: [hedging, .statusValidation])
    let task = Task { try await connection.get() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    await held.held(0)
    await held.answer(1, .notFound)
    #expect(await #expect(throws: StatusError.self) { try await task.value }?.status == .notFound)
    #expect(held.cancelled == [0])
  }

  @Test func `a second attempt is sent above a layer that coalesces requests`() async throws {
    let coalescing = Coalescing()
    let hedging = Hedging(Hedging.Policy(.fixed(.seconds(1))), clock: clock)
    let connection = try Connection("https://host/", adapter: held, middleware: [hedging, coalescing])
    let tasks = (1...3).map { _ in Task { try await connection.get() } }
    await until { coalescing.waiterCount == 3 && clock.asleep == 3 }
    clock.advance(by: .seconds(1))
    await until { coalescing.waiterCount == 6 }
    await held.answer(1)
    for task in tasks { #expect(try await task.value.hedges == 1) }
    #expect(held.requests.count == 2)
  }
}

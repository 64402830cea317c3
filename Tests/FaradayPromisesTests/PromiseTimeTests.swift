import FaradayCore
import FaradayPromises
import FaradayTesting
import Testing

@Suite struct PromiseTimeTests {
  @Test func `a promise that is not settled in time fails, and its work is cancelled`() async {
    let clock = ManualClock()
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(.seconds(5), clock: clock)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await #expect(throws: TimeoutError(.promise, limit: .seconds(5))) { try await limited.value }
    #expect(!resolver.fulfill(1))
  }

  @Test func `a promise that is settled in time has its outcome, and the timer ends`() async throws {
    let clock = ManualClock()
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(.seconds(5), clock: clock)
    await clock.sleepers(1)
    resolver.fulfill(1)
    #expect(clock.asleep == 0)
    #expect(try await limited.value == 1)
  }

  @Test func `a limit beyond the clock's range never expires`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(.seconds(Int64.max))
    // The timer has begun by then, or will not any more.
    try await Promise { 1 }.delay(.nanoseconds(1)).map { _ in }.value
    resolver.fulfill(1)
    #expect(try await limited.value == 1)
  }

  @Test func `cancelling a limited promise cancels its work`() {
    let (promise, resolver) = Promise<Int>.pending()
    promise.timeout(.seconds(3600)).cancel()
    #expect(!resolver.fulfill(1))
  }

  @Test func `a delayed outcome arrives after the delay`() async throws {
    let clock = ManualClock()
    let delayed = Promise(.success(1)).delay(.seconds(2), clock: clock)
    let failed = Promise<Int>(.failure(Wrong())).delay(.seconds(3), clock: clock)
    await clock.sleepers(2)
    clock.advance(by: .seconds(2))
    #expect(try await delayed.value == 1)
    #expect(failed.outcome == nil)
    clock.advance(by: .seconds(1))
    await #expect(throws: Wrong()) { try await failed.value }
  }

  @Test func `work is retried up to the limit`() async {
    let attempts = Log<Int>()
    let promise = Promise<Int>.retry(3) {
      attempts.append(0)
      throw Wrong("\(attempts.elements.count)")
    }
    await #expect(throws: Wrong("3")) { try await promise.value }
    #expect(attempts.elements.count == 3)
    let once = Promise<Int>.retry(0) {
      attempts.append(0)
      throw Wrong("once")
    }
    await #expect(throws: Wrong("once")) { try await once.value }
    #expect(attempts.elements.count == 4)
  }

  @Test func `retries wait between attempts, and the first value is the outcome`() async throws {
    let clock = ManualClock()
    let attempts = Log<Int>()
    let promise = Promise.retry(5, after: .seconds(1), clock: clock) {
      attempts.append(0)
      guard attempts.elements.count == 3 else { throw Wrong() }
      return "third"
    }
    for _ in 0..<2 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
    }
    #expect(try await promise.value == "third")
    #expect(clock.slept == [.seconds(1), .seconds(1)])
  }

  @Test func `a cancellation is not retried, and cancelling ends the wait`() async {
    let attempts = Log<Int>()
    let cancelled = Promise<Int>.retry(3) {
      attempts.append(0)
      throw CancellationError()
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(attempts.elements.count == 1)
    let clock = ManualClock()
    let waiting = Promise<Int>.retry(3, after: .seconds(1), clock: clock) { throw Wrong() }
    await clock.sleepers(1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}

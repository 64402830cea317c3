import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import Faraday
@testable import FaradayMiddleware

@Suite(.watchdog) struct CircuitBreakerTests {
  private let clock = ManualClock()

  private func breaker(
    _ policy: CircuitBreaker.Policy = CircuitBreaker.Policy(failures: 2, jitter: 0), random: Double = 0
  ) -> CircuitBreaker {
    CircuitBreaker(policy, clock: clock, random: { random })
  }

  private func connection(_ adapter: any Adapter, _ middleware: any Middleware...) throws -> Connection {
    try Connection("https://host/", adapter: adapter, middleware: middleware)
  }

  private func open(_ connection: Connection) async throws -> RefusedRequestError {
    try #require(await #expect(throws: RefusedRequestError.self) { try await connection.get("a?token=hidden") })
  }

  @Test func `after the threshold of failures nothing is sent, and the error has the reason and the time`() async throws {
    let mock = mock(.internalServerError, .serviceUnavailable)
    let connection = try connection(mock, breaker())
    for _ in 1...2 { _ = try await connection.get() }
    clock.advance(by: .seconds(2))
    let error = try await open(connection)
    #expect(mock.recorded.count == 2)
    #expect(error.retryAfter == .seconds(3) && error.key == "https://host:443" && error.isTransient && !error.isTimeout)
    #expect(error.circuitCause == "2 of 2 requests within 10.0 seconds failed, the last with 503")
    #expect(error.description.contains("again in 3.0 seconds") && !error.description.contains("hidden"))
    #expect(error.request?.method == .get)
    // Another origin has a circuit of its own.
    _ = try await connection.get("http://host/")
    #expect(mock.recorded.count == 3)
  }

  @Test func `a failed connection to the proxy does not count against the origin`() async throws {
    let mock = MockAdapter()
    mock.stub { throw TransportError(.proxyUnreachable, phase: .connecting, method: .get, url: $0.url, message: "") }
    let connection = try connection(mock, breaker())
    for _ in 1...4 { await #expect(throws: TransportError.self) { try await connection.get() } }
    #expect(mock.recorded.count == 4)
  }

  @Test func `one probe is sent at a time, and a successful one closes the circuit`() async throws {
    let held = HeldAdapter()
    let connection = try connection(held, breaker(CircuitBreaker.Policy(failures: 1, jitter: 0)))
    async let first = connection.get()
    await held.fail(0)
    _ = try? await first
    clock.advance(by: .seconds(5))
    async let probe = connection.get()
    await held.held(1)
    #expect(try await open(connection).retryAfter == .seconds(5))
    await held.answer(1)
    _ = try await probe
    async let one = connection.get()
    async let two = connection.get()
    await held.answer(2)
    await held.answer(3)
    _ = try await (one, two)
  }

  @Test func `each failed probe doubles the wait up to a limit, with jitter`() async throws {
    let policy = CircuitBreaker.Policy(failures: 1, delay: .seconds(4), growth: 3, maximumDelay: .seconds(20), jitter: 0.5)
    let mock = mock(.badGateway)
    let connection = try connection(mock, breaker(policy, random: 1))
    for delay in [6, 18, 30, 30] {
      _ = try await connection.get()
      #expect(try await open(connection).retryAfter == .seconds(delay))
      clock.advance(by: .seconds(delay))
    }
    #expect(mock.recorded.count == 4)
  }

  @Test func `several probes can be required to succeed`() async throws {
    let mock = mock(.badGateway, .ok, .ok, .badGateway)
    let connection = try connection(mock, breaker(CircuitBreaker.Policy(failures: 1, jitter: 0, probes: 3)))
    _ = try await connection.get()
    clock.advance(by: .seconds(5))
    for _ in 1...3 { _ = try await connection.get() }
    let error = try await open(connection)
    #expect(error.retryAfter == .seconds(10) && error.circuitCause == "a probe failed with 502")
  }

  @Test func `a cancelled request is not a failure, and a cancelled probe frees its place`() async throws {
    let held = HeldAdapter()
    let connection = try connection(held, breaker(CircuitBreaker.Policy(failures: 1, jitter: 0)))
    for number in 0...2 {
      let task = Task { try await connection.get() }
      await held.held(number)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    async let failing = connection.get()
    await held.fail(3)
    _ = try? await failing
    _ = try await open(connection)
    clock.advance(by: .seconds(5))
    let probe = Task { try await connection.get() }
    await held.held(4)
    _ = try await open(connection)
    probe.cancel()
    _ = try? await probe.value
    async let another = connection.get()
    await held.answer(5)
    #expect(try await another.status == .ok)
  }

  @Test func `a probe without a response expires and no longer counts`() async throws {
    let held = HeldAdapter()
    let connection = try connection(held, breaker(CircuitBreaker.Policy(failures: 1, jitter: 0)))
    async let first = connection.get()
    await held.fail(0)
    _ = try? await first
    clock.advance(by: .seconds(5))
    async let lost = connection.get()
    await held.held(1)
    clock.advance(by: .seconds(60))
    async let next = connection.get()
    await held.held(2)
    await held.answer(1)
    _ = try await lost
    _ = try await open(connection)
    await held.answer(2)
    _ = try await next
    async let closed = connection.get()
    await held.answer(3)
    _ = try await closed
  }

  @Test func `requests that were sent before the circuit opened neither close nor reopen it`() async throws {
    let held = HeldAdapter()
    let connection = try connection(held, breaker(CircuitBreaker.Policy(failures: 1, jitter: 0, probes: 2)))
    let slow = Task { try await connection.get() }
    await held.held(0)
    let broken = Task { try await connection.get() }
    await held.held(1)
    let failing = Task { try await connection.get() }
    await held.fail(2)
    _ = try? await failing.value
    clock.advance(by: .seconds(5))
    let first = Task { try await connection.get() }
    await held.held(3)
    await held.answer(0)
    _ = try await slow.value
    await held.fail(1)
    _ = try? await broken.value
    // Half-open still, with room for the second probe.
    let second = Task {
      do { return try await connection.get() } catch let error as RefusedRequestError where error.isCircuitOpen {
        Issue.record(error)
        throw error
      }
    }
    await held.held(4)
    _ = try await open(connection)
    await held.answer(3)
    _ = try await first.value
    await held.fail(4)
    _ = try? await second.value
    #expect(try await open(connection).retryAfter == .seconds(10))
  }

  @Test func `old failures and a small failure ratio do not open the circuit`() async throws {
    let old = try connection(mock(.badGateway), breaker(CircuitBreaker.Policy(failures: 3, window: .seconds(10))))
    for _ in 1...10 {
      _ = try await old.get()
      clock.advance(by: .seconds(5))
    }
    let share = mock(.badGateway, .ok, .ok, .badGateway, .badGateway)
    let policy = CircuitBreaker.Policy(failures: 2, ratio: 0.6, jitter: 0)
    let few = try connection(share, breaker(policy))
    for _ in 1...5 { _ = try await few.get() }
    #expect(try await open(few).circuitCause?.hasPrefix("3 of 5") == true)
  }

  /// Sends so many requests a second, so many seconds long. Returns how many were refused.
  private func refused(_ count: Int, perSecond rate: Int, over connection: Connection) async throws -> Int {
    var refused = 0
    for _ in 0..<count {
      do { _ = try await connection.get() } catch let error as RefusedRequestError where error.isCircuitOpen { refused += 1 }
      clock.advance(by: .seconds(1) / rate)
    }
    return refused
  }

  @Test(arguments: [1, 10, 1000])
  func `by default occasional failures never open the circuit`(rate: Int) async throws {
    let rare = mock { request, number in
      Response(status: number % 1000 == 999 ? .serviceUnavailable : .ok, url: request.url)
    }
    #expect(try await refused(20_000, perSecond: rate, over: connection(rare, CircuitBreaker(clock: clock))) == 0)
    // 600 jobs with 20 planned failures, as fast as they go.
    let planned = mock { request, number in Response(status: number % 30 == 0 ? .serviceUnavailable : .ok, url: request.url) }
    let jobs = try connection(planned, CircuitBreaker(clock: clock))
    for _ in 0..<600 { _ = try await jobs.get() }
  }

  @Test func `by default the tenth failure of a failing origin opens the circuit`() async throws {
    let down = mock { request, _ in throw TransportError(.connectionFailed, building: request, "") }
    let connection = try connection(down, CircuitBreaker(clock: clock))
    for _ in 1...10 { await #expect(throws: TransportError.self) { try await connection.get() } }
    #expect(
      try await open(connection).circuitCause == "10 of 10 requests within 10.0 seconds failed, the last with connectionFailed")
    #expect(down.recorded.count == 10)
  }

  @Test(arguments: [10, 100])
  func `by default an origin that fails after steady traffic is cut off within half the window`(rate: Int) async throws {
    let good = 20 * rate
    let falling = mock { request, number in Response(status: number < good ? .ok : .badGateway, url: request.url) }
    let connection = try connection(falling, CircuitBreaker(clock: clock))
    #expect(try await refused(good, perSecond: rate, over: connection) == 0)
    #expect(try await refused(6 * rate, perSecond: rate, over: connection) >= rate / 2)
    #expect((good...good + 11 * rate / 2).contains(falling.recorded.count))
  }

  @Test func `unsent requests do not count, and the policy decides what is a failure`() async throws {
    let answering = MiddlewareClosure { request, _ in Response(status: .badGateway, url: request.url) }
    let stored = try connection(mock(.ok), breaker(CircuitBreaker.Policy(failures: 1)), answering)
    for _ in 1...3 { #expect(try await stored.get().status == .badGateway) }
    let strict = CircuitBreaker.Policy(failures: 1) { result in (try? result.get())?.status == .badGateway }
    let decided = try connection(mock(.ok), breaker(strict), answering)
    _ = try await decided.get()
    _ = try await open(decided)
  }

  @Test func `the outcome of an expired probe is ignored`() {
    let policy = CircuitBreaker.Policy(failures: 1, jitter: 0, probeLifetime: .seconds(60))
    var circuit = Circuit()
    circuit.phase = .open(until: .zero)
    guard case .admitted(let stale) = circuit.admit(at: .seconds(1), policy),
      case .admitted(let replacement) = circuit.admit(at: .seconds(62), policy)
    else {
      Issue.record("not admitted")
      return
    }
    let before = circuit
    for outcome in [Circuit.Outcome.success, .failure("503"), .none] {
      circuit.record(outcome, of: stale, at: .seconds(63), policy) { 0 }
      #expect(circuit == before)
    }
    circuit.record(.success, of: replacement, at: .seconds(64), policy) { 0 }
    #expect(circuit.phase == .closed([]))
  }

  @Test func `failures that are not the server's do not count`() async throws {
    struct Mine: Error {}
    let codes: [TransportError.Code] = [.queueFull, .queueTimeout, .invalidHeader, .tlsVerificationFailed, .bodyTooLarge]
    let mock = mock { request, number in
      if number < codes.count { throw TransportError(codes[number], building: request, "") }
      throw Mine()
    }
    let connection = try connection(mock, breaker(CircuitBreaker.Policy(failures: 1)))
    for _ in 0...codes.count + 2 { await #expect(throws: (any Error).self) { try await connection.get() } }
    #expect(mock.recorded.count == codes.count + 3)
    // The caller can decide otherwise.
    let strict = CircuitBreaker.Policy(failures: 1) { result in (try? result.get())?.status.code == 404 ? true : nil }
    let missing = try self.connection(FaradayMiddlewareTests.mock(.notFound), breaker(strict))
    _ = try await missing.get()
    _ = try await open(missing)
  }

  @Test func `status errors and timeouts of middleware count as failures`() async throws {
    let breaker = breaker(CircuitBreaker.Policy(failures: 2, jitter: 0))
    let connection = try connection(mock(.badGateway), breaker, .statusValidation)
    for _ in 1...2 { await #expect(throws: StatusError.self) { try await connection.get() } }
    #expect(try await open(connection).circuitCause?.hasSuffix("502") == true)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `an unreachable server and a truncated body count as failures`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let port = try RefusedPort()
    let policy = CircuitBreaker.Policy(failures: 1)
    let refused = try Connection("http://127.0.0.1:\(port.port)/", adapter: tested.adapter, middleware: [breaker(policy)])
    await #expect(throws: TransportError.self) { try await delivery.get("", over: refused) }
    #expect(await #expect(throws: RefusedRequestError.self) { try await delivery.get("", over: refused) }?.isCircuitOpen == true)
    let server = try MockServer(.text("part and the rest").cut(after: 4))
    let cut = try Connection(server.url + "/", adapter: tested.adapter, middleware: [breaker(policy)])
    await #expect(throws: TransportError.self) { try await delivery.get("", over: cut) }
    #expect(await #expect(throws: RefusedRequestError.self) { try await delivery.get("", over: cut) }?.isCircuitOpen == true)
    #expect(server.connectionCount == 1)
    withExtendedLifetime(port) {}
  }

  @Test func `memory is bounded for any number of hosts`() {
    let states = CountedStates<Circuit>(
      nil, prefix: "", lifetime: .seconds(1), clock: clock, date: nil, onStoreError: nil)
    for number in 0..<10_000 { states.record("https://host\(number):443") { circuit, _ in circuit.openings = 1 } }
    #expect((500...1000).contains(states.keyCount))
  }

  @Test func `invalid parameters never trap`() async throws {
    let huge = Duration.seconds(Int64.max)
    for policy in [
      CircuitBreaker.Policy(
        failures: -1, ratio: .nan, window: .zero, delay: huge, growth: .nan, maximumDelay: huge, jitter: .infinity, probes: -5,
        probeLifetime: huge),
      CircuitBreaker.Policy(
        failures: .max, ratio: -.infinity, window: huge, delay: .zero - huge, growth: .infinity, jitter: .nan),
    ] {
      let connection = try connection(mock(.badGateway), breaker(policy, random: .nan))
      for _ in 1...5 {
        _ = try? await connection.get()
        clock.advance(by: .seconds(100))
      }
    }
  }

  // MARK: with others

  @Test func `Retry does not retry an open circuit, and waits for it if configured`() async throws {
    let answers = mock(.badGateway, .ok)
    let breaker = breaker(CircuitBreaker.Policy(failures: 1, jitter: 0))
    _ = try await connection(answers, breaker).get()
    let retry = Retry(clock: InstantClock(clock), random: { 0 })
    _ = try await open(connection(answers, retry, breaker))
    #expect(answers.recorded.count == 1 && clock.slept.isEmpty)
    let patient = Retry(
      Retry.Policy(shouldRetry: { ($0.error as? RefusedRequestError)?.isCircuitOpen == true ? true : nil }),
      clock: InstantClock(clock), random: { 0 })
    #expect(try await connection(answers, patient, breaker).get().status == .ok)
    #expect(clock.slept == [.seconds(5)])
    // A circuit that stays open longer than the longest Retry-After ends the retries.
    let long = self.breaker(CircuitBreaker.Policy(failures: 1, delay: .seconds(61), maximumDelay: .seconds(61), jitter: 0))
    let failing = mock(.badGateway)
    _ = try await connection(failing, long).get()
    _ = try await open(connection(failing, patient, long))
  }

  @Test func `attempts of Retry open the circuit, and only attempts spend the retry budget`() async throws {
    let failing = mock(.badGateway)
    let retry = Retry(budget: RetryBudget(ratio: 0, reserve: 3), clock: InstantClock(clock), random: { 0 })
    let connection = try connection(failing, retry, breaker(CircuitBreaker.Policy(failures: 2, jitter: 0)))
    _ = try await open(connection)
    for _ in 1...5 { _ = try await open(connection) }
    #expect(failing.recorded.count == 2)
  }

  private struct Signature: RequestTransformer {
    let count = Counter()

    final class Counter: Sendable {
      private let value = Mutex(0)
      func next() -> Int {
        value.withLock {
          $0 += 1
          return $0
        }
      }
    }

    func transformed(_ request: Request, capabilities: Capabilities) -> Request {
      var request = request
      request.headers[.authorization] = "signature \(count.next())"
      return request
    }
  }

  @Test func `an exchange counts even if each attempt is signed anew`() async throws {
    let mock = mock(.serviceUnavailable)
    let retry = Retry(Retry.Policy(retries: 1), clock: InstantClock(clock), random: { 0 })
    let connection = try connection(mock, breaker(), retry, Signature())
    for _ in 1...2 { _ = try await connection.get() }
    _ = try await open(connection)
    #expect(mock.recorded.count == 4)
  }
}

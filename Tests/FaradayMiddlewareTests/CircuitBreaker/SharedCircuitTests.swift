import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// A store that always fails.
struct BrokenStore: LimitStore {
  struct Down: Error {}
  func value(for key: String) async throws -> String? { throw Down() }
  func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool { throw Down() }
}

/// A store whose replacements take effect at once, and return when it is open.
final class SlowStore: LimitStore {
  let memory = InMemoryLimitStore()
  private let counted = Log<Bool>()
  private let opened = Log<Bool>()

  var replacements: Int { counted.elements.count }
  func open() { opened.append(true) }

  func value(for key: String) async throws -> String? { await memory.value(for: key) }

  func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool {
    let isReplaced = await memory.replace(old, with: new, for: key, lifetime: lifetime)
    counted.append(isReplaced)
    // A store that ignores cancellation.
    await Task { await until { !self.opened.elements.isEmpty } }.value
    return isReplaced
  }
}

@Suite(.watchdog) struct SharedCircuitTests {
  private func breaker(_ store: any LimitStore, onStoreError: (@Sendable (any Error) -> Void)? = nil) -> CircuitBreaker {
    CircuitBreaker(
      CircuitBreaker.Policy(failures: 2, jitter: 0), store: store, clock: ManualClock(),
      date: { Date(timeIntervalSince1970: 1_700_000_000) }, onStoreError: onStoreError)
  }

  private func send(_ breaker: CircuitBreaker, _ adapter: any Adapter) async throws -> Response {
    try await Connection("https://host/", adapter: adapter, middleware: [breaker]).get()
  }

  @Test func `two machines share their counts`() async throws {
    let store = InMemoryLimitStore()
    let failing = mock(.badGateway)
    _ = try await send(breaker(store), failing)
    _ = try await send(breaker(store), failing)
    #expect(await #expect(throws: RefusedRequestError.self) { try await send(breaker(store), failing) }?.isCircuitOpen == true)
    #expect(failing.recorded.count == 2)
  }

  @Test func `a failing store stops no request, and its error is reported`() async throws {
    let errors = Log<String>()
    let breaker = breaker(BrokenStore()) { errors.append("\($0)") }
    let failing = mock(.badGateway)
    for _ in 1...2 { _ = try await send(breaker, failing) }
    #expect(await #expect(throws: RefusedRequestError.self) { try await send(breaker, failing) }?.isCircuitOpen == true)
    #expect(errors.elements.count == 5 && errors.elements.allSatisfy { $0.contains("Down") })
  }

  @Test func `a request that is cancelled while the store takes its probe gives the probe back`() async throws {
    let store = SlowStore()
    _ = await store.memory.replace(nil, with: "1 o 1 1 0 2 2 502 0", for: "circuit:https://host:443", lifetime: .seconds(60))
    let breaker = breaker(store)
    let adapter = mock(.ok)
    let cancelled = Task { try await send(breaker, adapter) }
    await until { store.replacements == 1 }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    store.open()
    // The probe's place is free again as soon as the store has the change that gives it back.
    await until { store.replacements == 2 }
    #expect(try await send(breaker, adapter).status == .ok && adapter.recorded.count == 1)
  }

  @Test(arguments: [
    "", "x", "1", "1 o 1 1 1 1 1 503", "1 o 1 1 1 1 1 503 -5", "1 o -1 1 1 1 1 503 5", "1 c 1 1 1 1 1 - 1,2",
    "2 o 1 1 1 1 1 503 5",
    "1 h 0 0 0 0 0 - 99999999999999999999", "1 h 0 0 0 0 0 - 1 7", "1 c 0 0 0 0 0 - 9223372036854775807,9223372036854775807,1",
    "1 o 0 0 0 9223372036854775807 1 - 5",
  ])
  func `an invalid stored state is treated as missing`(text: String) {
    #expect(Circuit(text: text) == nil)
  }

  @Test func `a state survives the round trip through a store`() throws {
    var circuit = Circuit()
    (circuit.era, circuit.openings, circuit.lastProbe, circuit.failed, circuit.total, circuit.cause) = (7, 2, 3, 4, 5, "odd-code")
    let phases: [Circuit.Phase] = [
      .closed([]), .closed([.init(index: 4, failures: 1, total: 2), .init(index: 5, failures: 0, total: 1)]),
      .open(until: .nanoseconds(1_700_000_000_000_000_001)), .halfOpen([], successes: 2),
      .halfOpen([.init(number: 3, expires: .seconds(9)), .init(number: 4, expires: .seconds(10))], successes: 0),
    ]
    for phase in phases {
      circuit.phase = phase
      #expect(try #require(Circuit(text: circuit.text)) == circuit)
    }
    circuit.cause = "two words\n"
    #expect(try #require(Circuit(text: circuit.text)).cause == "twowords")
  }

  @Test func `a time written by a wrong clock holds no longer than the policy's`() {
    let policy = CircuitBreaker.Policy(maximumDelay: .seconds(60))
    var circuit = Circuit()
    circuit.phase = .open(until: .seconds(3_000_000_000))
    guard case .refused(let retryAfter, _) = circuit.admit(at: .seconds(10), policy) else { return #expect(Bool(false)) }
    #expect(retryAfter == .seconds(120))
    guard case .admitted = circuit.admit(at: .seconds(130), policy) else { return #expect(Bool(false)) }
  }
}

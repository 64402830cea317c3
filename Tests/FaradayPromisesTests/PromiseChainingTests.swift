import FaradayPromises
import FaradayTesting
import Synchronization
import Testing

@Suite struct PromiseChainingTests {
  @Test func `an error skips every step for values`() async {
    let calls = Log<String>()
    let promise = Promise<Int>(.failure(Wrong("first")))
      .map { _ in calls.append("map") }
      .then { _ in calls.append("then") }
      .flatMap { _ in
        calls.append("flatMap")
        return Promise(.success(1))
      }
      .tap { _ in calls.append("tap") }
    await #expect(throws: Wrong("first")) { try await promise.value }
    #expect(calls.elements == [])
  }

  @Test func `a step's error is the outcome of the following steps`() async {
    let one = Promise(.success(1))
    await #expect(throws: Wrong("map")) { try await one.map { _ in throw Wrong("map") }.value }
    await #expect(throws: Wrong("then")) { try await one.then { _ in throw Wrong("then") }.value }
    await #expect(throws: Wrong("flatMap")) {
      try await one.flatMap { _ -> Promise<Int> in throw Wrong("flatMap") }.value
    }
    await #expect(throws: Wrong("inner")) {
      try await one.flatMap { _ in Promise<Int>(.failure(Wrong("inner"))) }.value
    }
    await #expect(throws: Wrong("recover")) {
      try await Promise<Int>(.failure(Wrong())).recover { _ in throw Wrong("recover") }.value
    }
  }

  @Test func `values pass from step to step`() async throws {
    let seen = Log<Int>()
    let text = try await Promise { 1 }
      .map { $0 + 1 }
      .then { value in try await Promise { value * 10 }.value }
      .flatMap { value in Promise { value + 1 } }
      .tap { seen.append($0) }
      .recover { _ in 0 }
      .map { "\($0)" }
      .value
    #expect(text == "21")
    #expect(seen.elements == [21])
  }

  @Test func `recover turns an error into a value, and ignores cancellations`() async throws {
    let recovered = Promise<String>(.failure(Wrong("lost"))).recover { error in (error as? Wrong)?.text ?? "" }
    #expect(try await recovered.value == "lost")
    let calls = Log<Int>()
    let cancelled = Promise<Int>(.failure(CancellationError())).recover { _ in
      calls.append(1)
      return 1
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(calls.elements == [])
  }

  @Test func `ensure runs before waiting tasks, after a value, an error and a cancellation`() async {
    let calls = Log<String>()
    Promise(.success(1)).ensure { calls.append("ensure") }.onSuccess { _ in calls.append("value") }
    Promise<Int>(.failure(Wrong())).ensure { calls.append("ensure") }.onFailure { _ in calls.append("error") }
    let (promise, resolver) = Promise<Int>.pending()
    let ensured = promise.ensure { calls.append("ensure") }.onFailure { _ in calls.append("cancelled") }
    ensured.cancel()
    #expect(calls.elements == ["ensure", "value", "ensure", "error", "ensure", "cancelled"])
    #expect(!resolver.fulfill(1))
  }

  @Test func `cancelling the end of a chain cancels its beginning`() {
    let stopped = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.append("work") }
    let end = promise.map { $0 + 1 }.then { $0 + 1 }.flatMap { Promise(.success($0)) }.recover { _ in 0 }.tap { _ in }.ensure {}
    end.cancel()
    #expect(stopped.elements == ["work"])
    #expect(promise.outcome != nil)
  }

  @Test func `cancelling one branch keeps the other's work`() {
    let (promise, resolver) = Promise<Int>.pending()
    let left = promise.map { $0 + 1 }
    let right = promise.map { $0 + 2 }
    left.cancel()
    #expect(resolver.fulfill(1))
    #expect((try? right.outcome?.get()) == 3)
    #expect(throws: CancellationError.self) { try left.outcome?.get() }
  }

  @Test func `cancelling during a later step cancels that step`() async {
    let (began, ended) = (Gate(), Gate())
    let promise = Promise(.success(1)).then { _ in
      began.open()
      do { try await Task.sleep(for: .seconds(3600)) } catch { ended.open() }
    }
    #expect(await began.opened())
    promise.cancel()
    #expect(await ended.opened())
    let (inner, resolver) = Promise<Int>.pending()
    let outer = Promise(.success(1)).flatMap { _ in inner }
    outer.cancel()
    #expect(inner.outcome != nil)
    #expect(!resolver.fulfill(1))
  }

  @Test func `a promise made while its chain is cancelled is cancelled too`() {
    let outer = Mutex<Promise<Int>?>(nil)
    let (start, go) = Promise<Int>.pending()
    let (inner, resolver) = Promise<Int>.pending()
    let chained = start.flatMap { _ in
      outer.withLock { $0 }?.cancel()
      return inner
    }
    outer.withLock { $0 = chained }
    go.fulfill(0)
    #expect(!resolver.fulfill(1))
  }

  @Test func `ensure runs before the outcome is visible`() {
    let seen = Log<Bool>()
    let ensured = Mutex<Promise<Int>?>(nil)
    let (promise, resolver) = Promise<Int>.pending()
    let made = promise.ensure { seen.append(ensured.withLock { $0 }?.outcome == nil) }
    ensured.withLock { $0 = made }
    resolver.fulfill(1)
    #expect(seen.elements == [true])
    #expect((try? made.outcome?.get()) == 1)
  }

  @Test func `no step starts after a cancellation`() {
    let calls = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    let mapped = promise.map { _ in calls.append("map") }
    promise.onSuccess { _ in }
    mapped.cancel()
    resolver.fulfill(1)
    #expect(calls.elements == [])
  }

  @Test func `settling the beginning of a long chain does not overflow the stack`() async throws {
    let (first, resolver) = Promise<Int>.pending()
    var promise = first
    for _ in 0..<100_000 { promise = promise.map { $0 + 1 } }
    resolver.fulfill(0)
    #expect(try await promise.value == 100_000)
  }

  @Test func `a long loop of promises does not overflow the stack`() async throws {
    @Sendable func count(to end: Int, from number: Int = 0) -> Promise<Int> {
      Promise { number }.flatMap { $0 == end ? Promise(.success($0)) : count(to: end, from: $0 + 1) }
    }
    #expect(try await count(to: 20_000).value == 20_000)
  }

  @Test func `a long loop of settled promises does not overflow the stack`() throws {
    @Sendable func count(to end: Int, from number: Int = 0) -> Promise<Int> {
      Promise(.success(number)).flatMap { $0 == end ? Promise(.success($0)) : count(to: end, from: $0 + 1) }
    }
    // All of it has happened when the call returns, as with a short one.
    #expect(try count(to: 100_000).outcome?.get() == 100_000)
  }

  @Test func `a step cancelled while its start is deferred does not start`() {
    let calls = Log<Int>()
    let waited = Log<Int>()
    @Sendable func nest(_ depth: Int, _ innermost: @escaping @Sendable () -> Void) -> Promise<Int> {
      Promise(.success(depth)).flatMap { depth in
        if depth > 0 { return nest(depth - 1, innermost) }
        innermost()
        return Promise(.success(0))
      }
    }
    for depth in 0..<200 {
      let outer = nest(depth) {
        let promise = Promise(.success(depth)).flatMap { depth in
          calls.append(depth)
          return Promise(.success(depth))
        }
        guard promise.outcome == nil else { return }
        waited.append(depth)
        promise.cancel()
      }
      #expect(outer.outcome != nil)
    }
    #expect(!waited.elements.isEmpty)
    #expect(calls.elements == (0..<200).filter { !waited.elements.contains($0) })
  }

  @Test func `a long chain of settled promises does not overflow the stack`() async throws {
    var promise = Promise(.success(0))
    for _ in 0..<10_000 { promise = promise.map { $0 + 1 } }
    #expect(try await promise.value == 10_000)
  }
}

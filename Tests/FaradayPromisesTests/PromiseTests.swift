import Dispatch
import FaradayPromises
import FaradayTesting
import Synchronization
import Testing

struct Wrong: Error, Equatable {
  var text: String
  init(_ text: String = "wrong") { self.text = text }
}

@Suite struct PromiseTests {
  @Test func `an error thrown by the closure is the outcome`() async {
    let promise = Promise<Int> { throw Wrong() }
    await #expect(throws: Wrong()) { try await promise.value }
  }

  @Test func `an error thrown while the resolver is handed out is the outcome`() async {
    let promise = Promise<Int> { _ in throw Wrong() }
    #expect(throws: Wrong()) { try promise.outcome?.get() }
  }

  @Test func `a resolver that goes without a word leaves an error`() async {
    let promise = Promise<Int> { _ in }
    await #expect(throws: PromiseAbandoned()) { try await promise.value }
  }

  @Test func `the first outcome is the only one`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let seen = Log<Int>()
    promise.onSuccess { seen.append($0) }
    #expect(resolver.fulfill(1))
    #expect(!resolver.fulfill(2))
    #expect(!resolver.reject(Wrong()))
    promise.cancel()
    #expect(try await promise.value == 1)
    #expect(seen.elements == [1])
  }

  @Test func `of many who settle it at the same time one wins`() async throws {
    for _ in 0..<100 {
      let (promise, resolver) = Promise<Int>.pending()
      let calls = Log<Int>()
      promise.onComplete { _ in calls.append(0) }
      let winners = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<8 { group.addTask { number == 7 ? resolver.reject(Wrong()) : resolver.fulfill(number) } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
      #expect(calls.elements.count == 1)
    }
  }

  @Test func `the value of an asynchronous closure arrives`() async throws {
    #expect(try await Promise { "there" }.value == "there")
  }

  @Test func `callbacks are called in the order they were added, each kind for its outcome`() {
    let (promise, resolver) = Promise<Int>.pending()
    let calls = Log<String>()
    promise.onComplete { _ in calls.append("complete") }
      .onSuccess { calls.append("success \($0)") }
      .onFailure { _ in calls.append("failure") }
      .onComplete { _ in calls.append("complete again") }
    resolver.fulfill(3)
    #expect(calls.elements == ["complete", "success 3", "complete again"])
  }

  @Test func `a callback that comes late is called at once`() {
    let calls = Log<String>()
    Promise<Int>(.failure(Wrong("late"))).onFailure { calls.append("\($0)") }.onSuccess { _ in calls.append("success") }
    #expect(calls.elements == ["\(Wrong("late"))"])
  }

  @Test func `a callback may add another and settle other promises`() {
    let (promise, resolver) = Promise<Int>.pending()
    let calls = Log<Int>()
    promise.onSuccess { value in
      calls.append(value)
      promise.onSuccess { calls.append($0 + 1) }
    }
    resolver.fulfill(1)
    #expect(calls.elements == [1, 2])
  }

  @Test func `callbacks are called on the queue that is given`() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    let place = try await Promise<String?> { resolver in
      Promise(.success(1)).onSuccess(on: .queue(queue)) { _ in resolver.fulfill(DispatchQueue.getSpecific(key: key)) }
    }.value
    #expect(place == "callbacks")
    let failed = try await Promise<String?> { resolver in
      Promise<Int>(.failure(Wrong())).onComplete(on: .queue(queue)) { _ in resolver.fulfill(DispatchQueue.getSpecific(key: key)) }
    }.value
    #expect(failed == "callbacks")
  }

  @Test func `callbacks are called on the executor that is given`() async throws {
    let executor = NamedExecutor()
    let isThere = try await Promise<Bool> { resolver in
      Promise(.success(1)).onSuccess(on: .executor(executor)) { _ in resolver.fulfill(executor.isCurrent) }
    }.value
    #expect(isThere)
  }

  @Test func `a cancelled promise has a CancellationError and its task is cancelled`() async {
    let gate = Gate()
    let promise = Promise {
      do { try await Task.sleep(for: .seconds(3600)) } catch { gate.open() }
    }
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
    #expect(await gate.opened())
  }

  @Test func `cancelling stops what a resolver's promise stands for, also if that is said late`() {
    let stopped = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.append("work") }
    promise.cancel()
    promise.cancel()
    resolver.onCancel { stopped.append("late") }
    #expect(stopped.elements == ["work", "late"])
    #expect(!resolver.fulfill(1))
  }

  @Test func `what is done is not stopped`() {
    let stopped = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.append("work") }
    resolver.fulfill(1)
    promise.cancel()
    resolver.onCancel { stopped.append("late") }
    #expect(stopped.elements == [])
  }

  @Test func `a waiting task that is cancelled takes the work with it when nobody else waits`() async {
    let (promise, resolver) = Promise<Int>.pending()
    let stopped = Gate()
    resolver.onCancel { stopped.open() }
    let waiting = Task { try await promise.value }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(await stopped.opened())
    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  @Test func `a waiting task that is cancelled leaves the work to those who still wait`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let seen = Log<Int>()
    promise.onSuccess { seen.append($0) }
    let waiting = Task { try await promise.value }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(resolver.fulfill(4))
    #expect(seen.elements == [4])
  }

  @Test func `what goes with a callback may touch the promise`() {
    final class Screen: Sendable {
      let user: Promise<Int>
      init(_ user: Promise<Int>) { self.user = user }
      deinit { user.cancel() }
    }
    let (promise, resolver) = Promise<Int>.pending()
    promise.onSuccess { _ in }
    var screen: Screen? = Screen(promise)
    let shown = promise.map { [screen] value in
      withExtendedLifetime(screen) {}
      return value
    }
    resolver.onCancel { [screen] in withExtendedLifetime(screen) {} }
    screen = nil
    resolver.onCancel {}
    shown.cancel()
    #expect(!resolver.fulfill(1))
  }

  @Test func `whoever comes while the last one leaves has either the work or its end`() async {
    for _ in 0..<200 {
      let (promise, resolver) = Promise<Int>.pending()
      let leaving = promise.map { $0 }
      let calls = Log<Int>()
      await withTaskGroup(of: Void.self) { group in
        group.addTask { leaving.cancel() }
        group.addTask { promise.onComplete { _ in calls.append(1) } }
      }
      resolver.fulfill(1)
      #expect(calls.elements == [1])
    }
  }

  @Test func `work that nobody waits for goes on`() async {
    let gate = Gate()
    do { _ = Promise { gate.open() } }
    #expect(await gate.opened())
  }
}

/// An executor that knows whether its job is running.
final class NamedExecutor: TaskExecutor {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "executor")

  init() { queue.setSpecific(key: Self.key, value: true) }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) ?? false }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

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

  @Test func `an error thrown while the resolver is created is the outcome`() async {
    let promise = Promise<Int> { _ in throw Wrong() }
    #expect(throws: Wrong()) { try promise.outcome?.get() }
  }

  @Test func `a resolver released without an outcome is an error`() async {
    let promise = Promise<Int> { _ in }
    #expect(await #expect(throws: PromiseError.self) { try await promise.value }?.reason == .abandoned)
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

  @Test func `one of many concurrent outcomes wins`() async throws {
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

  @Test func `an asynchronous closure's value is the outcome`() async throws {
    #expect(try await Promise { "there" }.value == "there")
  }

  @Test func `callbacks run in order of addition, each for its kind of outcome`() {
    let (promise, resolver) = Promise<Int>.pending()
    let calls = Log<String>()
    promise.onComplete { _ in calls.append("complete") }
      .onSuccess { calls.append("success \($0)") }
      .onFailure { _ in calls.append("failure") }
      .onComplete { _ in calls.append("complete again") }
    resolver.fulfill(3)
    #expect(calls.elements == ["complete", "success 3", "complete again"])
  }

  @Test func `a late callback runs at once`() {
    let calls = Log<String>()
    Promise<Int>(.failure(Wrong("late"))).onFailure { calls.append("\($0)") }.onSuccess { _ in calls.append("success") }
    #expect(calls.elements == ["\(Wrong("late"))"])
  }

  @Test func `a callback can add callbacks and settle other promises`() {
    let (promise, resolver) = Promise<Int>.pending()
    let calls = Log<Int>()
    promise.onSuccess { value in
      calls.append(value)
      promise.onSuccess { calls.append($0 + 1) }
    }
    resolver.fulfill(1)
    #expect(calls.elements == [1, 2])
  }

  @Test func `callbacks run on the given queue`() async throws {
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

  @Test func `callbacks run on the given executor`() async throws {
    let executor = NamedExecutor()
    let isThere = try await Promise<Bool> { resolver in
      Promise(.success(1)).onSuccess(on: .executor(executor)) { _ in resolver.fulfill(executor.isCurrent) }
    }.value
    #expect(isThere)
  }

  @Test func `a cancelled promise has a CancellationError, and its task is cancelled`() async {
    let gate = Gate()
    let promise = Promise {
      do { try await Task.sleep(for: .seconds(3600)) } catch { gate.open() }
    }
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
    #expect(await gate.opened())
  }

  @Test func `cancelling calls the resolver's handler, even if it is set late`() {
    let stopped = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.append("work") }
    promise.cancel()
    promise.cancel()
    resolver.onCancel { stopped.append("late") }
    #expect(stopped.elements == ["work", "late"])
    #expect(!resolver.fulfill(1))
  }

  @Test func `a settled promise cannot be cancelled`() {
    let stopped = Log<String>()
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stopped.append("work") }
    resolver.fulfill(1)
    promise.cancel()
    resolver.onCancel { stopped.append("late") }
    #expect(stopped.elements == [])
  }

  @Test func `cancelling the last waiting task cancels the work`() async {
    let (promise, resolver) = Promise<Int>.pending()
    let stopped = Gate()
    resolver.onCancel { stopped.open() }
    let waiting = Task { try await promise.value }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(await stopped.opened())
    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  @Test func `cancelling one waiting task keeps the work for the others`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let seen = Log<Int>()
    promise.onSuccess { seen.append($0) }
    let waiting = Task { try await promise.value }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(resolver.fulfill(4))
    #expect(seen.elements == [4])
  }

  @Test func `the release of a callback can use the promise`() {
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

  @Test func `a consumer that arrives while the last one leaves gets the work or its end`() async {
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

  @Test func `work without a consumer continues`() async {
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

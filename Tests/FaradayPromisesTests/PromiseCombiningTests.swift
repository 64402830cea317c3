import FaradayPromises
import FaradayTesting
import Testing

@Suite struct PromiseCombiningTests {
  @Test func `all fails with the first error and cancels the others`() async {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let all = Promise.all(pending.map(\.promise))
    pending[1].resolver.reject(Wrong("second"))
    await #expect(throws: Wrong("second")) { try await all.value }
    #expect(!pending[0].resolver.fulfill(0))
    #expect(!pending[2].resolver.fulfill(0))
  }

  @Test func `all returns its values in the order of the list`() async throws {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let all = Promise.all(pending.map(\.promise))
    for index in [2, 0, 1] { pending[index].resolver.fulfill(index) }
    #expect(try await all.value == [0, 1, 2])
    #expect(try await Promise<Int>.all([]).value == [])
  }

  @Test func `one promise can be in a list twice`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let all = Promise.all([promise, promise])
    resolver.fulfill(7)
    #expect(try await all.value == [7, 7])
  }

  @Test func `optional values are values`() async throws {
    #expect(try await Promise.all([Promise<Int?>(.success(nil)), Promise(.success(1))]).value == [nil, 1])
  }

  @Test func `work that another consumer waits for is not cancelled`() async throws {
    let (kept, resolver) = Promise<Int>.pending()
    let seen = Log<Int>()
    kept.onSuccess { seen.append($0) }
    let all = Promise.all([kept, Promise(.failure(Wrong()))])
    await #expect(throws: Wrong()) { try await all.value }
    resolver.fulfill(5)
    #expect(seen.elements == [5])
  }

  @Test func `cancelling a combined promise cancels its parts`() {
    let pending = (0..<2).map { _ in Promise<Int>.pending() }
    Promise.all(pending.map(\.promise)).cancel()
    #expect(pending.allSatisfy { !$0.resolver.fulfill(1) })
    let others = (0..<2).map { _ in Promise<Int>.pending() }
    others[0].promise.zip(others[1].promise).cancel()
    #expect(others.allSatisfy { !$0.resolver.fulfill(1) })
  }

  @Test func `a race ends with the first outcome of any kind`() async throws {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let race = Promise.race(pending.map(\.promise))
    pending[2].resolver.reject(Wrong("fastest"))
    await #expect(throws: Wrong("fastest")) { try await race.value }
    #expect(!pending[0].resolver.fulfill(0))
    #expect(try await Promise.race([Promise(.success(1)), Promise<Int>.pending().promise]).value == 1)
    #expect(await #expect(throws: PromiseError.self) { try await Promise<Int>.race([]).value }?.reason == .noneFulfilled)
  }

  @Test func `any returns the first value, or all errors if there is none`() async throws {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let any = Promise.any(pending.map(\.promise))
    pending[0].resolver.reject(Wrong())
    pending[1].resolver.fulfill(1)
    #expect(try await any.value == 1)
    #expect(!pending[2].resolver.fulfill(2))

    let none = Promise.any([Promise<Int>(.failure(Wrong("one"))), Promise(.failure(Wrong("two")))])
    let error = await #expect(throws: PromiseError.self) { try await none.value }
    #expect(error?.errors.map { $0 as? Wrong } == [Wrong("one"), Wrong("two")])
    #expect(await #expect(throws: PromiseError.self) { try await Promise<Int>.any([]).value }?.reason == .noneFulfilled)
  }

  @Test func `values of different types can be combined`() async throws {
    let (text, resolver) = Promise<String>.pending()
    let zipped = Promise(.success(1)).zip(text, Promise { 2.5 })
    resolver.fulfill("two")
    let (one, two, three) = try await zipped.value
    #expect((one, two, three) == (1, "two", 2.5))
  }

  @Test func `the first error of a mixed combination ends the wait`() async {
    let (slow, resolver) = Promise<String>.pending()
    let zipped = slow.zip(Promise<Int>(.failure(Wrong("zip"))))
    await #expect(throws: Wrong("zip")) { _ = try await zipped.value }
    #expect(!resolver.fulfill("late"))
  }
}

import FaradayPromises
import FaradayTesting
import Testing

@Suite struct PromiseCombiningTests {
  @Test func `all fail with the first error, and the others are cancelled`() async {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let all = Promise.all(pending.map(\.promise))
    pending[1].resolver.reject(Wrong("second"))
    await #expect(throws: Wrong("second")) { try await all.value }
    #expect(!pending[0].resolver.fulfill(0))
    #expect(!pending[2].resolver.fulfill(0))
  }

  @Test func `all give their values in the order of the list`() async throws {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let all = Promise.all(pending.map(\.promise))
    for index in [2, 0, 1] { pending[index].resolver.fulfill(index) }
    #expect(try await all.value == [0, 1, 2])
    #expect(try await Promise<Int>.all([]).value == [])
  }

  @Test func `one promise may stand in a list twice`() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let all = Promise.all([promise, promise])
    resolver.fulfill(7)
    #expect(try await all.value == [7, 7])
  }

  @Test func `optional values are values`() async throws {
    #expect(try await Promise.all([Promise<Int?>(.success(nil)), Promise(.success(1))]).value == [nil, 1])
  }

  @Test func `what somebody else waits for is not cancelled`() async throws {
    let (kept, resolver) = Promise<Int>.pending()
    let seen = Log<Int>()
    kept.onSuccess { seen.append($0) }
    let all = Promise.all([kept, Promise(.failure(Wrong()))])
    await #expect(throws: Wrong()) { try await all.value }
    resolver.fulfill(5)
    #expect(seen.elements == [5])
  }

  @Test func `cancelling what was made of several cancels them`() {
    let pending = (0..<2).map { _ in Promise<Int>.pending() }
    Promise.all(pending.map(\.promise)).cancel()
    #expect(pending.allSatisfy { !$0.resolver.fulfill(1) })
    let others = (0..<2).map { _ in Promise<Int>.pending() }
    others[0].promise.zip(others[1].promise).cancel()
    #expect(others.allSatisfy { !$0.resolver.fulfill(1) })
  }

  @Test func `a race is over with the first outcome, whatever it is`() async throws {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let race = Promise.race(pending.map(\.promise))
    pending[2].resolver.reject(Wrong("fastest"))
    await #expect(throws: Wrong("fastest")) { try await race.value }
    #expect(!pending[0].resolver.fulfill(0))
    #expect(try await Promise.race([Promise(.success(1)), Promise<Int>.pending().promise]).value == 1)
    await #expect(throws: NoPromiseFulfilled.self) { try await Promise<Int>.race([]).value }
  }

  @Test func `any is the first value, and all the errors if there is none`() async throws {
    let pending = (0..<3).map { _ in Promise<Int>.pending() }
    let any = Promise.any(pending.map(\.promise))
    pending[0].resolver.reject(Wrong())
    pending[1].resolver.fulfill(1)
    #expect(try await any.value == 1)
    #expect(!pending[2].resolver.fulfill(2))

    let none = Promise.any([Promise<Int>(.failure(Wrong("one"))), Promise(.failure(Wrong("two")))])
    let error = await #expect(throws: NoPromiseFulfilled.self) { try await none.value }
    #expect(error?.errors.map { $0 as? Wrong } == [Wrong("one"), Wrong("two")])
    await #expect(throws: NoPromiseFulfilled.self) { try await Promise<Int>.any([]).value }
  }

  @Test func `values of different types come together`() async throws {
    let (text, resolver) = Promise<String>.pending()
    let zipped = Promise(.success(1)).zip(text, Promise { 2.5 })
    resolver.fulfill("two")
    let (one, two, three) = try await zipped.value
    #expect((one, two, three) == (1, "two", 2.5))
  }

  @Test func `of different ones the first error ends the waiting`() async {
    let (slow, resolver) = Promise<String>.pending()
    let zipped = slow.zip(Promise<Int>(.failure(Wrong("zip"))))
    await #expect(throws: Wrong("zip")) { _ = try await zipped.value }
    #expect(!resolver.fulfill("late"))
  }
}

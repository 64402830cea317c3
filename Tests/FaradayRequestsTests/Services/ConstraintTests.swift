import Faraday
import FaradayTesting
import TestSupport
import Testing

@Suite struct ConstraintTests {
  /// Loads so many resources, sees that nothing is sent while the constraints are held, and lets them go.
  private func statuses(
    of count: Int, over tested: TestedAdapter, held: [Held]
  ) async throws -> [Result<Int, any Error>] {
    let server = try LocalServer()
    let example = Example(server, tested, constraints: held)
    let outcomes = await withTaskGroup(of: Result<Int, any Error>.self) { group in
      for _ in 0..<count {
        group.addTask {
          do { return .success(try await example.server.get("hello").load().status.code) } catch { return .failure(error) }
        }
      }
      for constraint in held {
        await until { !constraint.begun.elements.isEmpty }
        #expect(server.requestCount == 0)
        constraint.mayEnd.open()
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(server.requestCount == outcomes.count { (try? $0.get()) != nil })
    return outcomes
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-27: a constraint's error is thrown unchanged`(tested: TestedAdapter) async throws {
    let held = Held(failingWith: Failed(name: "no login"))
    for outcome in try await statuses(of: 1, over: tested, held: [held]) {
      #expect(throws: Failed(name: "no login")) { try outcome.get() }
    }
  }

  @Test func `waiting for constraints is limited`() async throws {
    let mock = MockAdapter()
    let held = Held()
    let network = ServiceNetwork(Connection(adapter: mock), constraints: [held], within: .milliseconds(1))
    await #expect(throws: TimeoutError.self) { try await Example("http://host", network).server.get("a").load() }
    held.mayEnd.open()
    #expect(mock.recorded.isEmpty)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-23: a resource is loaded after its constraint is satisfied`(tested: TestedAdapter) async throws {
    let held = Held()
    #expect(try await statuses(of: 1, over: tested, held: [held]).map { try $0.get() } == [200])
    #expect(held.begun.elements == ["/hello"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-24: a resource is loaded after both constraints are satisfied`(tested: TestedAdapter) async throws {
    #expect(try await statuses(of: 1, over: tested, held: [Held(), Held()]).map { try $0.get() } == [200])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-25: eight resources and three constraints all complete`(tested: TestedAdapter) async throws {
    let held = [Held(), Held(), Held()]
    let outcomes = try await statuses(of: 8, over: tested, held: held)
    #expect(try outcomes.map { try $0.get() } == Array(repeating: 200, count: 8))
    #expect(held.map(\.begun.elements.count) == [1, 1, 1])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-26: a constraint is satisfied once for five waiting resources`(tested: TestedAdapter) async throws {
    let held = Held()
    let outcomes = try await statuses(of: 5, over: tested, held: [held])
    #expect(try outcomes.map { try $0.get() } == Array(repeating: 200, count: 5))
    #expect(held.begun.elements.count == 1)
  }

  @Test func `a resource can opt out of constraints, and constraints see its tags`() async throws {
    struct OnlyTagged: Constraint {
      let log: Log<Set<String>>
      func isSatisfied(for request: Request) async throws -> Bool {
        log.append(request.options.tags)
        return true
      }
      func satisfy(for request: Request) async throws {}
    }
    let held = Held()
    let log = Log<Set<String>>()
    let resource = Example(MockAdapter(), constraints: [OnlyTagged(log: log), held]).server.get("a").tags(["x", "y"])
    #expect(try await resource.canHaveConstraints(false).load().status == .ok)
    #expect(held.begun.elements.isEmpty && log.elements.isEmpty)
    held.mayEnd.open()
    #expect(try await resource.canHaveConstraints(false).canHaveConstraints(true).load().status == .ok)
    #expect(held.begun.elements == ["/a"] && log.elements.first == ["x", "y"])
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// Requests that are caused by checking a constraint.
@Suite(.watchdog) struct ConstraintLookTests {
  private let mock = MockAdapter()

  private func connection(_ constraint: any Constraint) throws -> Connection {
    mock.stub { _ in
      true
    } respond: {
      Response(status: .ok, url: $0.url)
    }
    return try Connection("http://host/", adapter: mock, middleware: [.constraints([constraint])])
  }

  @Test func `a constraint that was satisfied during another constraint's check is not satisfied again`() async throws {
    /// The check of its second request ends only after the first request has satisfied it.
    final class Slow: Constraint {
      let satisfied = Log<String>()
      let isLooking = Gate()
      let mayTell = Gate()
      private let looks = Mutex(0)

      func isSatisfied(for request: Request) async throws -> Bool {
        let isSatisfied = !satisfied.elements.isEmpty
        guard request.url.path() == "/second",
          looks.withLock({ looks in
            looks += 1
            return looks == 1
          })
        else { return isSatisfied }
        isLooking.open()
        #expect(await mayTell.opened())
        return isSatisfied
      }

      func satisfy(for request: Request) async throws { satisfied.append(request.url.path()) }
    }
    let slow = Slow()
    let connection = try connection(slow)
    let second = Task { try await connection.get("second").status.code }
    #expect(await slow.isLooking.opened())
    #expect(try await connection.get("first").status == .ok)
    slow.mayTell.open()
    #expect(try await second.value == 200)
    #expect(slow.satisfied.elements == ["/first"])
  }

  @Test
  func `a request without unsatisfied constraints does not wait for other requests`() async throws {
    struct Held: Constraint {
      let hasBegun = Gate()
      let mayEnd = Gate()

      func isSatisfied(for request: Request) async throws -> Bool { request.url.path() == "/free" }
      func satisfy(for request: Request) async throws {
        hasBegun.open()
        #expect(await mayEnd.opened())
      }
    }
    let held = Held()
    let connection = try connection(held)
    let other = Task { try await connection.get("held").status.code }
    #expect(await held.hasBegun.opened())
    #expect(try await connection.get("free").status == .ok)
    #expect(mock.recorded.map { $0.request.url.path() } == ["/free"])
    held.mayEnd.open()
    #expect(try await other.value == 200)
  }

  @Test func `the failure of one constraint fails the request without waiting for the others`() async throws {
    struct Failed: Error {}
    struct Satisfied: Constraint {
      let wasAsked: Gate
      func isSatisfied(for request: Request) async throws -> Bool {
        wasAsked.open()
        return true
      }
      func satisfy(for request: Request) async throws {}
    }
    struct Failing: Constraint {
      let mayFail: Gate
      func isSatisfied(for request: Request) async throws -> Bool {
        #expect(await mayFail.opened())
        throw Failed()
      }
      func satisfy(for request: Request) async throws {}
    }
    let gate = Gate()
    let both: [any Constraint] = [Failing(mayFail: gate), Satisfied(wasAsked: gate)]
    let connection = try Connection("http://host/", adapter: mock, middleware: [.constraints(both)])
    await #expect(throws: Failed.self) { try await connection.get() }
    #expect(mock.recorded.isEmpty)
  }

  @Test
  func `a request that checks a constraint passes the constraints`() async throws {
    /// Asks the server.
    final class Asking: Constraint {
      let connection = Mutex<Connection?>(nil)

      func isSatisfied(for request: Request) async throws -> Bool {
        try await connection.withLock { $0 }?.get("session").status == .ok
      }

      func satisfy(for request: Request) async throws { Issue.record("it was satisfied") }
    }
    let asking = Asking()
    let connection = try connection(asking)
    asking.connection.withLock { $0 = connection }
    defer { asking.connection.withLock { $0 = nil } }
    #expect(try await connection.get("page").status == .ok)
    #expect(mock.recorded.map { $0.request.url.path() } == ["/session", "/page"])
  }
}

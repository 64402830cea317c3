import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@Suite(.watchdog) struct ConstraintTests {
  private struct Failed: Error, Equatable {}

  /// Satisfied by work that the test lets go on.
  private final class Held: Constraint {
    let begun = Log<String>()
    let mayEnd = Gate()
    private let isDone = Mutex(false)
    private let error: Failed?

    init(failingWith error: Failed? = nil) { self.error = error }

    func isSatisfied(for request: Request) async throws -> Bool {
      request.url.path() == "/free" || isDone.withLock { $0 }
    }

    func satisfy(for request: Request) async throws {
      begun.append(request.url.path())
      #expect(await mayEnd.opened())
      if let error { throw error }
      isDone.withLock { $0 = true }
    }
  }

  /// Satisfied exactly when the test says so.
  private final class Working: Constraint {
    typealias Work = @Sendable (Request) async throws -> Void
    let begun = Log<String>()
    private let isDone = Mutex(false)
    private let work = Mutex<Work> { _ in }

    func does(_ work: @escaping Work) { self.work.withLock { $0 = work } }
    func forget() { isDone.withLock { $0 = false } }

    func isSatisfied(for request: Request) async throws -> Bool { isDone.withLock { $0 } }

    func satisfy(for request: Request) async throws {
      begun.append(request.url.path())
      try await work.withLock { $0 }(request)
      isDone.withLock { $0 = true }
    }
  }

  private let mock = MockAdapter()

  private var sent: [String] { mock.recorded.map { $0.request.url.path() } }

  private func connection(_ constraints: any Constraint..., within limit: Duration? = nil) throws -> Connection {
    mock.stub { _ in
      true
    } respond: {
      Response(status: .ok, url: $0.url)
    }
    return try Connection("http://host/", adapter: mock, middleware: [.constraints(constraints, within: limit)])
  }

  /// So many requests, when they are all being held, and then let go.
  private func statuses(of count: Int, over connection: Connection, by held: [Held]) async -> [Result<Int, any Error>] {
    await withTaskGroup(of: Result<Int, any Error>.self) { group in
      for _ in 0..<count {
        group.addTask {
          do { return .success(try await connection.get().status.code) } catch { return .failure(error) }
        }
      }
      for constraint in held {
        await until { !constraint.begun.elements.isEmpty }
        #expect(mock.recorded.isEmpty)
        constraint.mayEnd.open()
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `SW-23: a request is sent only when the constraint is satisfied`() async throws {
    let held = Held()
    let connection = try connection(held)
    let outcomes = await statuses(of: 1, over: connection, by: [held])
    #expect(try outcomes.map { try $0.get() } == [200])
    #expect(try await connection.get().status == .ok)
    #expect(held.begun.elements.count == 1)
  }

  @Test func `SW-24: two constraints are satisfied concurrently, both before the request is sent`() async throws {
    let first = Held()
    let second = Held()
    let connection = try connection(first, second)
    // The second is begun while the first is held.
    let task = Task { try await connection.get().status.code }
    await until { !first.begun.elements.isEmpty && !second.begun.elements.isEmpty }
    second.mayEnd.open()
    #expect(mock.recorded.isEmpty)
    first.mayEnd.open()
    #expect(try await task.value == 200)
  }

  @Test func `SW-25: eight requests and three constraints all complete`() async throws {
    let held = [Held(), Held(), Held()]
    let connection = try connection(held[0], held[1], held[2])
    let outcomes = await statuses(of: 8, over: connection, by: held)
    #expect(try outcomes.map { try $0.get() } == Array(repeating: 200, count: 8))
    #expect(held.map { $0.begun.elements.count } == [1, 1, 1])
  }

  @Test func `SW-26: one satisfaction serves five requests that wait for the constraint`() async throws {
    let held = Held()
    let connection = try connection(held)
    let outcomes = await statuses(of: 5, over: connection, by: [held])
    #expect(try outcomes.map { try $0.get() } == Array(repeating: 200, count: 5))
    #expect(held.begun.elements.count == 1)
  }

  @Test func `SW-27: all waiting requests fail with the constraint's error, and the next request tries again`() async throws {
    let held = Held(failingWith: Failed())
    let connection = try connection(held)
    let outcomes = await statuses(of: 3, over: connection, by: [held])
    for outcome in outcomes { #expect(throws: Failed()) { try outcome.get() } }
    let count = held.begun.elements.count
    await #expect(throws: Failed()) { try await connection.get() }
    #expect(held.begun.elements.count == count + 1 && mock.recorded.isEmpty)
  }

  @Test func `a request passes if it opts out or the constraint does not apply to it`() async throws {
    let held = Held()
    let connection = try connection(held)
    #expect(try await connection.get { $0.options.ignoresConstraints = true }.status == .ok)
    #expect(try await connection.get("free").status == .ok)
    #expect(held.begun.elements.isEmpty)
  }

  @Test func `a request that is sent to satisfy a constraint does not wait for that constraint`() async throws {
    let login = Working()
    let connection = try connection(login)
    login.does { _ in _ = try await connection.post("login") }
    defer { login.does { _ in } }
    _ = try await connection.get("page")
    #expect(sent == ["/login", "/page"])
  }

  @Test func `a task that outlives the call of satisfy waits for the constraint again`() async throws {
    let login = Working()
    let connection = try connection(login)
    let (hasBegun, mayGoOn) = (Gate(), Gate())
    let begun = Log<Task<Int, any Error>>()
    login.does { request in
      guard request.url.path() == "/page" else { return }
      begun.append(
        Task {
          #expect(try await connection.get("begun").status == .ok)
          hasBegun.open()
          #expect(await mayGoOn.opened())
          return try await connection.get("alive").status.code
        })
      #expect(await hasBegun.opened())
    }
    defer { login.does { _ in } }
    _ = try await connection.get("page")
    #expect(sent == ["/begun", "/page"] && login.begun.elements == ["/page"])
    login.forget()
    mayGoOn.open()
    #expect(try await begun.elements.first?.value == 200)
    #expect(login.begun.elements == ["/page", "/alive"])
  }

  @Test func `the exemption of satisfy ends also if satisfy throws`() async throws {
    let login = Working()
    let connection = try connection(login)
    let mayGoOn = Gate()
    let begun = Log<Task<Int, any Error>>()
    login.does { request in
      guard request.url.path() == "/page" else { return }
      begun.append(
        Task {
          #expect(await mayGoOn.opened())
          return try await connection.get("alive").status.code
        })
      throw Failed()
    }
    defer { login.does { _ in } }
    await #expect(throws: Failed()) { try await connection.get("page") }
    mayGoOn.open()
    #expect(try await begun.elements.first?.value == 200)
    #expect(login.begun.elements == ["/page", "/alive"])
  }

  @Test func `a request that is sent to satisfy a constraint waits for another connection's constraints`() async throws {
    let held = Held()
    held.mayEnd.open()
    let (login, other) = (Working(), try connection(held))
    login.does { _ in _ = try await other.get("token") }
    _ = try await connection(login).get("page")
    #expect(held.begun.elements == ["/token"] && sent == ["/token", "/page"])
  }

  @Test func `constraints of one or two connections can depend on each other's requests`() async throws {
    let (first, second, other) = (Working(), Working(), Working())
    let (firstBegan, secondBegan) = (Gate(), Gate())
    let home = try connection(first, second, within: .seconds(60))
    let away = try connection(other, within: .seconds(60))
    first.does { _ in
      firstBegan.open()
      #expect(await secondBegan.opened())
      _ = try await home.get("first")
    }
    second.does { _ in
      secondBegan.open()
      #expect(await firstBegan.opened())
      _ = try await away.get("second")
    }
    other.does { _ in _ = try await home.get("other") }
    defer { for working in [first, second, other] { working.does { _ in } } }
    #expect(try await home.get("page").status == .ok)
    #expect(sent.sorted() == ["/first", "/other", "/page", "/second"])
    #expect(other.begun.elements == ["/second"])
  }

  @Test func `the wait for a constraint times out`() async throws {
    let held = Held()
    let clock = ManualClock()
    let constraints = Constraints([held], within: .seconds(3), clock: clock)
    let connection = try Connection("http://host/", adapter: mock, middleware: [constraints])
    let task = Task { try await connection.get() }
    await clock.sleepers(1)
    await until { !held.begun.elements.isEmpty }
    clock.advance(by: .seconds(3))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.limit == .seconds(3) && mock.recorded.isEmpty)
    held.mayEnd.open()
  }

  @Test func `a constraint's work is cancelled when no request waits for it`() async throws {
    struct Endless: Constraint {
      let hasBegun = Gate()
      let wasCancelled = Gate()
      func isSatisfied(for request: Request) async throws -> Bool { false }
      func satisfy(for request: Request) async throws {
        hasBegun.open()
        do { try await Task.sleep(for: .seconds(3600)) } catch {
          wasCancelled.open()
          throw error
        }
      }
    }
    let endless = Endless()
    let connection = try connection(endless)
    let task = Task { try await connection.get() }
    #expect(await endless.hasBegun.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await endless.wasCancelled.opened())
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `the constraint middleware leaves the response unchanged`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try LocalServer()
    let held = Held()
    held.mayEnd.open()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.constraints([held])])
    #expect(try await delivery.get("/hello", over: connection).text == "Hello, world!")
  }
}

import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct TokenRefreshTests {
  private struct Refused: Error {}

  @Test func `concurrent 401 responses cause one refresh`() async throws {
    let issuer = Issuer(valid: "new")
    let mayRefresh = Gate()
    let middleware = TokenRefresh(token: "old") { rejected in
      issuer.refreshes.append(rejected)
      _ = await mayRefresh.opened()
      return "new"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await connection.get().status.code } }
      await until { issuer.mock.recorded.count >= 50 }
      mayRefresh.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 50))
    #expect(issuer.refreshes.elements == ["old"])
    #expect(issuer.mock.recorded.count == 100)
  }

  @Test func `a missing token is fetched before anything is sent`() async throws {
    let issuer = Issuer(valid: "first")
    let middleware = TokenRefresh { rejected in
      issuer.refreshes.append(rejected)
      return "first"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    #expect(try await connection.get().status == .ok)
    #expect(try await connection.get().status == .ok)
    #expect(issuer.refreshes.elements == [nil] && issuer.mock.recorded.count == 2)
  }

  @Test func `the body of a 401 is discarded before the request is sent again`() async throws {
    let reads = Log<Int>()
    let mock = MockAdapter()
    mock.stub { request in
      guard request.headers[.authorization] == "Bearer old" else { return Response(status: .ok, url: request.url) }
      let pieces = AsyncStream<Data>(unfolding: {
        reads.append(1)
        return nil
      })
      return Response(status: .unauthorized, body: .stream(pieces), url: request.url)
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [.tokenRefresh(token: "old") { _ in "new" }])
    #expect(try await connection.get { $0.options.delivery = .streamed }.status == .ok)
    #expect(reads.elements.count == 1)
  }

  @Test(arguments: [0, 1, 3])
  func `after the limit of refreshes the 401 is the response`(maximum: Int) async throws {
    let issuer = Issuer(valid: "never")
    let middleware = TokenRefresh(token: "0", maximumRefreshes: maximum) { rejected in
      issuer.refreshes.append(rejected)
      return "\(issuer.refreshes.elements.count)"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    #expect(try await connection.get().status == .unauthorized)
    #expect(issuer.refreshes.elements.count == maximum && issuer.mock.recorded.count == maximum + 1)
  }

  @Test(arguments: [0, 1])
  func `an unexpected 401 is refreshed like a response, and the last one is thrown`(maximum: Int) async throws {
    let issuer = Issuer(valid: "2")
    let middleware = TokenRefresh(token: "0", maximumRefreshes: maximum) { rejected in
      issuer.refreshes.append(rejected)
      return "\(issuer.refreshes.elements.count)"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware, .statusValidation])
    #expect(await #expect(throws: StatusError.self) { try await connection.get() }?.status == .unauthorized)
    #expect(issuer.refreshes.elements.count == maximum)
    // With 0, the rejected token is replaced before the next request.
    let later = try? await connection.get()
    #expect((later?.status == .ok) == (maximum == 1) && issuer.refreshes.elements.count == maximum + 1)
    let other = TokenRefresh(token: "0") { _ in throw Refused() }
    let forbidden = try Connection("http://host/", adapter: mock(.forbidden), middleware: [other, .statusValidation])
    #expect(await #expect(throws: StatusError.self) { try await forbidden.get() }?.status == .forbidden)
  }

  @Test func `an error of the refresh fails all waiting requests, and the next request refreshes again`() async throws {
    let issuer = Issuer(valid: "new")
    let fails = Mutex(true)
    let middleware = TokenRefresh(token: "old") { _ in
      if fails.withLock({ $0 }) { throw Refused() }
      return "new"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    await #expect(throws: Refused.self) { try await connection.get() }
    fails.withLock { $0 = false }
    #expect(try await connection.get().status == .ok)
  }

  @Test func `an invalid token fails before anything is sent`() async throws {
    let issuer = Issuer(valid: "new")
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [.tokenRefresh { _ in "a\r\nX: y" }])
    #expect(await #expect(throws: InvalidValueError.self) { try await connection.get() }?.kind == .header)
    #expect(issuer.mock.recorded.isEmpty)
  }

  @Test func `a request with its own credentials or a body to be read once keeps its 401`() async throws {
    let issuer = Issuer(valid: "new")
    let connection = try Connection(
      "http://host/", adapter: issuer.mock, middleware: [.tokenRefresh(token: "old") { _ in "new" }])
    #expect(try await connection.get { try $0.headers.authorize(.bearer("own")) }.status == .unauthorized)
    #expect(try await connection.put(body: .stream(Pieces("once"))).status == .unauthorized)
    #expect(issuer.mock.recorded.count == 2)
  }

  @Test func `the cancellation of one waiting request does not affect the others`() async throws {
    let issuer = Issuer(valid: "new")
    let mayRefresh = Gate()
    let hasBegun = Gate()
    let middleware = TokenRefresh(token: "old") { _ in
      hasBegun.open()
      _ = await mayRefresh.opened()
      try Task.checkCancellation()
      return "new"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    let first = Task { try await connection.get().status.code }
    _ = await hasBegun.opened()
    let second = Task { try await connection.get().status.code }
    await until { issuer.mock.recorded.count >= 2 }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    mayRefresh.open()
    #expect(try await second.value == 200)
  }

  // MARK: Abandoned refreshes

  /// A refresh that heeds its cancellation only when the test lets it end.
  private struct Held: Sendable {
    let events = Log<String>()
    let hasBegun = Gate()
    let mayEnd = Gate()

    func token(minding: Bool = true) async throws -> String {
      events.append("begins")
      hasBegun.open()
      _ = await mayEnd.opened()
      events.append("ends")
      if minding { try Task.checkCancellation() }
      return "new"
    }

    /// A request whose refresh has begun, and which is cancelled then.
    func abandon(over connection: Connection) async {
      let task = Task { try await connection.get() }
      _ = await hasBegun.opened()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `requests after an abandoned refresh start a new one that runs after it`() async throws {
    let issuer = Issuer(valid: "new")
    let held = Held()
    let middleware = TokenRefresh(token: "old") { _ in try await held.token() }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    await held.abandon(over: connection)
    let others = (0..<3).map { _ in Task { try await connection.get().status.code } }
    await until { middleware.store.flight.waiterCount == 3 }
    held.mayEnd.open()
    for task in others { #expect(try await task.value == 200) }
    #expect(held.events.elements == ["begins", "ends", "begins", "ends"])
  }

  @Test func `a request cancelled behind an abandoned refresh ends at once and starts no refresh`() async throws {
    let issuer = Issuer(valid: "new")
    let held = Held()
    let middleware = TokenRefresh(token: "old") { _ in try await held.token() }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    await held.abandon(over: connection)
    let second = Task { try await connection.get() }
    await until { middleware.store.flight.waiterCount == 1 }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    let third = Task { try await connection.get().status.code }
    await until { middleware.store.flight.waiterCount == 1 }
    held.mayEnd.open()
    #expect(try await third.value == 200)
    #expect(held.events.elements == ["begins", "ends", "begins", "ends"])
  }

  @Test func `the token of an abandoned refresh is used`() async throws {
    let issuer = Issuer(valid: "new")
    let held = Held()
    let connection = try Connection(
      "http://host/", adapter: issuer.mock,
      middleware: [.tokenRefresh(token: "old") { _ in try await held.token(minding: false) }])
    await held.abandon(over: connection)
    let second = Task { try await connection.get().status.code }
    await until { issuer.mock.recorded.count >= 2 }
    held.mayEnd.open()
    #expect(try await second.value == 200)
    #expect(held.events.elements == ["begins", "ends"])
  }

  @Test func `a refresh that returns a rejected token fails, even if the token is new to another waiter`() async throws {
    let held = Held()
    let mayAnswer = Gate()
    let mock = MockAdapter()
    mock.stub { _ in
      true
    } respond: { request in
      if request.url.path() == "/slow" { await mayAnswer.opened() }
      let isGood = ["Bearer 1", "Bearer 2"].contains(request.headers[.authorization]) && request.url.path() == "/early"
      return Response(
        status: isGood || request.headers[.authorization] == "Bearer 2" ? .ok : .unauthorized, url: request.url)
    }
    let rejected = Log<String?>()
    let middleware = TokenRefresh(token: "0") { token in
      rejected.append(token)
      if token == "1", rejected.elements.count == 2 { _ = try await held.token() }
      return token == "0" ? "1" : "2"
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [middleware])
    // Sent with 0, whose rejection comes late.
    let slow = Task { try await connection.get("slow").status.code }
    await until { mock.recorded.count == 1 }
    #expect(try await connection.get("early").status == .ok)
    await held.abandon(over: connection)
    mayAnswer.open()
    await until { middleware.store.flight.waiterCount == 1 }
    // Sent with token 1, and waits for the slow request's refresh: for that request token 1 is new.
    let late = Task { try await connection.get("late").status.code }
    await until { middleware.store.flight.waiterCount == 2 }
    held.mayEnd.open()
    #expect(try await late.value == 200)
    #expect(try await slow.value == 401)
    #expect(rejected.elements == ["0", "1", "1"])
  }

  @Test func `every request ends whenever requests are cancelled, and two refreshes never run at once`() async throws {
    let running = Mutex((now: 0, most: 0))
    let middleware = TokenRefresh { _ in
      running.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      defer { running.withLock { $0.now -= 1 } }
      for _ in 0..<3 { await Task.yield() }
      throw Refused()
    }
    let connection = try Connection("http://host/", adapter: MockAdapter(), middleware: [middleware])
    for round in 0..<300 {
      let tasks = (0..<4).map { _ in Task { try await connection.get() } }
      for _ in 0..<round % 7 { await Task.yield() }
      for task in tasks.prefix(round % 5) { task.cancel() }
      for task in tasks {
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(error is Refused || error is CancellationError)
      }
    }
    // An abandoned refresh was cancelled, and can take some time to end.
    await until { running.withLock { $0.now } == 0 }
    #expect(running.withLock { $0.most } == 1)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `callers see nothing of a 401 that was refreshed`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try MockServer(
      .text("who?", status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"]), .text("welcome"))
    let connection = try Connection(
      server.url, adapter: tested.adapter, middleware: [.tokenRefresh(token: "old") { _ in "new" }])
    let (response, text) = try await delivery.get("/", over: connection)
    #expect(response.status == .ok && text == "welcome")
    #expect(server.recorded.last?.headers[.authorization] == "Bearer new")
  }
}

/// A server with one valid token that counts the refreshes.
final class Issuer: Sendable {
  let valid: Mutex<String>
  let refreshes = Log<String?>()
  let mock = MockAdapter()

  init(valid: String) {
    self.valid = Mutex(valid)
    mock.stub { _ in
      true
    } respond: { [unowned self] request in
      let isGood = request.headers[.authorization] == "Bearer " + self.valid.withLock { $0 }
      return Response(status: isGood ? .ok : .unauthorized, url: request.url)
    }
  }
}

import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import FaradayMiddleware

/// Whether a token is renewed when the request is not sent again.
@Suite(.watchdog) struct TokenRenewalTests {
  private struct Refused: Error {}

  // MARK: rejections that no request is sent again for

  @Test func `a body that cannot be sent again keeps its 401, and the next request has a new token`() async throws {
    let issuer = Issuer(valid: "new")
    let middleware = TokenRefresh(token: "old") { rejected in
      issuer.refreshes.append(rejected)
      return "new"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    var statuses: [Int] = []
    for _ in 0..<5 { statuses.append(try await connection.put(body: .stream(Pieces("once"))).status.code) }
    #expect(statuses == [401, 200, 200, 200, 200])
    #expect(issuer.refreshes.elements == ["old"])
  }

  @Test func `a late 401 does not reject a newer token`() async throws {
    let issuer = Issuer(valid: "new")
    let mayAnswer = Gate()
    let mock = MockAdapter()
    mock.stub {
      $0.method == .put
    } respond: { request in
      await mayAnswer.opened()
      return Response(status: .unauthorized, url: request.url)
    }
    mock.stub { _ in
      true
    } respond: { request in
      Response(status: request.headers[.authorization] == "Bearer new" ? .ok : .unauthorized, url: request.url)
    }
    let middleware = TokenRefresh(token: "old") { rejected in
      issuer.refreshes.append(rejected)
      return "new"
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [middleware])
    let upload = Task { try await connection.put(body: .stream(Pieces("once"))).status.code }
    await until { mock.recorded.count == 1 }
    #expect(try await connection.get().status == .ok)
    mayAnswer.open()
    #expect(try await upload.value == 401)
    #expect(try await connection.get().status == .ok)
    #expect(issuer.refreshes.elements == ["old"])
  }

  @Test func `a request rejected with an older token does not get a token that was rejected meanwhile`() async throws {
    let mayAnswer = Gate()
    let mock = MockAdapter()
    mock.stub { _ in
      true
    } respond: { request in
      if request.url.path() == "/slow" { await mayAnswer.opened() }
      let isEarly = request.url.path() == "/early" && request.headers[.authorization] == "Bearer 1"
      return Response(
        status: isEarly || request.headers[.authorization] == "Bearer 2" ? .ok : .unauthorized, url: request.url)
    }
    let rejected = Log<String?>()
    let middleware = TokenRefresh(token: "0") { token in
      rejected.append(token)
      return "\(rejected.elements.count)"
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [middleware])
    let slow = Task { try await connection.get("slow").status.code }
    await until { mock.recorded.count == 1 }
    #expect(try await connection.get("early").status == .ok)
    #expect(try await connection.put(body: .stream(Pieces("once"))).status == .unauthorized)
    mayAnswer.open()
    #expect(try await slow.value == 200)
    #expect(rejected.elements == ["0", "1"])
  }

  @Test func `a new token that is rejected too is not replaced before the next request`() async throws {
    let issuer = Issuer(valid: "never")
    let middleware = TokenRefresh(token: "0") { rejected in
      issuer.refreshes.append(rejected)
      return "\(issuer.refreshes.elements.count)"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    for _ in 0..<2 { #expect(try await connection.get().status == .unauthorized) }
    #expect(issuer.refreshes.elements == ["0", "1"] && issuer.mock.recorded.count == 4)
  }

  @Test func `without refreshes each request keeps its 401, and the next one fetches a new token`() async throws {
    let issuer = Issuer(valid: "new")
    let connection = try Connection(
      "http://host/", adapter: issuer.mock, middleware: [.tokenRefresh(token: "old", maximumRefreshes: 0) { _ in "new" }])
    #expect(try await connection.get().status == .unauthorized)
    #expect(try await connection.get().status == .ok)
    #expect(issuer.mock.recorded.count == 2)
  }

  @Test(arguments: TestedDelivery.allCases)
  func `a 401 of a redirect target refreshes nothing`(delivery: TestedDelivery) async throws {
    let issuer = Issuer(valid: "old")
    let mock = MockAdapter()
    mock.stub { request in
      request.url.host() == "home"
    } respond: { request in
      Response(status: .found, headers: [.location: "http://away/"], url: request.url)
    }
    mock.stub { _ in
      true
    } respond: { request in
      Response(status: .unauthorized, body: "who are you?", url: request.url)
    }
    let middleware = TokenRefresh(token: "old") { rejected in
      issuer.refreshes.append(rejected)
      return "new"
    }
    let connection = try Connection("http://home/", adapter: mock, middleware: [middleware, .redirects()])
    let (response, text) = try await delivery.get("/", over: connection)
    #expect(response.status == .unauthorized && mock.recorded.count == 2)
    #expect(text == "who are you?")
    #expect(try await connection.post(body: .stream(Pieces("once"))).status == .unauthorized)
    #expect(try await connection.get { $0.options.redirectLimit = 0 }.status == .found)
    #expect(issuer.refreshes.elements.isEmpty)
    #expect(mock.recorded.last?.request.headers[.authorization] == "Bearer old")
  }

  // MARK: tokens that expire

  @Test func `an expired token is replaced before it is sent, once for all requests`() async throws {
    let issuer = Issuer(valid: "new")
    let mayRefresh = Gate()
    let middleware = TokenRefresh(
      token: "old", isExpiring: { $0 == "old" },
      refresh: { rejected in
        issuer.refreshes.append(rejected)
        await mayRefresh.opened()
        return "new"
      })
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    let tasks = (0..<3).map { _ in Task { try await connection.get().status.code } }
    await until { middleware.store.flight.waiterCount == 3 }
    mayRefresh.open()
    for task in tasks { #expect(try await task.value == 200) }
    #expect(try await connection.get().status == .ok)
    #expect(issuer.refreshes.elements == ["old"] && issuer.mock.recorded.count == 4)
  }

  @Test func `a new token that expires at once is sent anyway`() async throws {
    let issuer = Issuer(valid: "new")
    let middleware = TokenRefresh(
      token: "old", isExpiring: { _ in true },
      refresh: { rejected in
        issuer.refreshes.append(rejected)
        return "new"
      })
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    #expect(try await connection.get().status == .ok)
    #expect(issuer.refreshes.elements == ["old"] && issuer.mock.recorded.count == 1)
  }

  // MARK: requests made to refresh

  @Test
  func `a request within a refresh passes without a token, also from a child task`() async throws {
    let mock = MockAdapter()
    mock.stub { _ in
      true
    } respond: { request in
      let isGood = request.url.path() == "/login" || request.headers[.authorization] == "Bearer new"
      return Response(status: isGood ? .ok : .unauthorized, url: request.url)
    }
    let own = Mutex<Connection?>(nil)
    let refused = Log<Int>()
    let middleware = TokenRefresh(
      token: "old",
      isExpiring: { _ in
        _ = try? await own.withLock { $0 }?.get("clock")
        return false
      },
      refresh: { _ in
        guard let connection = own.withLock({ $0 }) else { throw Refused() }
        _ = try await connection.post("login")
        try await refused.append(Task { try await connection.get("who").status.code }.value)
        return "new"
      })
    let connection = try Connection("http://host/", adapter: mock, middleware: [middleware])
    own.withLock { $0 = connection }
    defer { own.withLock { $0 = nil } }
    #expect(try await connection.get("page").status == .ok)
    #expect(refused.elements == [401])
    #expect(mock.recorded.map { $0.request.url.path() } == ["/clock", "/page", "/login", "/who", "/page"])
    #expect(mock.recorded.map { $0.request.headers[.authorization] } == [nil, "Bearer old", nil, nil, "Bearer new"])
  }

  @Test
  func `a task that outlives the refresh gets the token`() async throws {
    let issuer = Issuer(valid: "new")
    let own = Mutex<Connection?>(nil)
    let mayGoOn = Gate()
    let begun = Log<Task<Int, any Error>>()
    let middleware = TokenRefresh(token: "old") { _ in
      guard let connection = own.withLock({ $0 }) else { throw Refused() }
      begun.append(
        Task {
          await mayGoOn.opened()
          return try await connection.get().status.code
        })
      return "new"
    }
    let connection = try Connection("http://host/", adapter: issuer.mock, middleware: [middleware])
    own.withLock { $0 = connection }
    defer { own.withLock { $0 = nil } }
    #expect(try await connection.get().status == .ok)
    mayGoOn.open()
    #expect(try await begun.elements.first?.value == 200)
  }

  @Test func `a renewal that returns the rejected token is tried once`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .unauthorized, url: $0.url) }
    let rejected = Log<String?>()
    let refresh = TokenRefresh(token: "same") {
      rejected.append($0)
      return "same"
    }
    let response = try await Connection("http://host/", adapter: mock, middleware: [refresh]).get()
    #expect(response.status == .unauthorized && mock.recorded.count == 2 && rejected.elements == ["same"])
  }
}

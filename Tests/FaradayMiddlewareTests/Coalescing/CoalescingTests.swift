import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct CoalescingTests {
  private let held = HeldAdapter()
  private let coalescing = Coalescing()

  private func connection(
    _ url: String = "https://host/", headers: KeyValuePairs<String, String> = [:], _ middleware: (any Middleware)? = nil
  ) throws -> Connection {
    try Connection(url, headers: headers, adapter: held, middleware: [middleware ?? coalescing])
  }

  /// Sends the requests at the same time, and returns how many exchanges there were.
  private func exchanges(_ send: (@Sendable () async throws -> Response)...) async throws -> Int {
    let before = held.requests.count
    let tasks = send.map { send in Task { try await send() } }
    await until { coalescing.waiterCount + held.heldCount - coalescing.flightCount == tasks.count }
    held.answerAll()
    for task in tasks { _ = try await task.value }
    return held.requests.count - before
  }

  @Test func `requests with credentials in any place are never shared`() async throws {
    let (ada, bob) = (try connection(headers: ["Authorization": "a"]), try connection(headers: ["Authorization": "b"]))
    #expect(try await exchanges({ try await ada.get() }, { try await bob.get() }) == 2)
    let plain = try connection()
    #expect(try await exchanges({ try await plain.get() }, { try await ada.get() }) == 2)
    for name in ["Cookie", "Authorization", "X-Api-Key", "Proxy-Authorization"] {
      let field = try #require(HTTPField.Name(name))
      #expect(
        try await exchanges(
          { try await plain.get { $0.headers[field] = "a" } }, { try await plain.get { $0.headers[field] = "b" } }) == 2)
      // Even if the field is to be ignored.
      let careless = try Connection(
        "https://host/",
        adapter: mock { request, _ in Response(status: .ok, body: .text(request.headers[field] ?? ""), url: request.url) },
        middleware: [.coalescing(ignoring: [field])])
      async let a = careless.get { $0.headers[field] = "a" }
      async let b = careless.get { $0.headers[field] = "b" }
      #expect(try await [a.body.utf8Text(), b.body.utf8Text()] == ["a", "b"])
    }
    let authenticated = try Connection("https://host/", adapter: held, middleware: [coalescing])
    #expect(
      try await exchanges(
        {
          try await authenticated.get {
            $0.options.authentication = TransportAuthentication(user: "a", password: "p", schemes: [.digest])
          }
        },
        {
          try await authenticated.get {
            $0.options.authentication = TransportAuthentication(user: "b", password: "p", schemes: [.digest])
          }
        }) == 2)
    #expect(try await exchanges({ try await plain.get("https://u:p@host/") }, { try await plain.get("https://v:p@host/") }) == 2)
  }

  @Test func `each caller decodes a shared response with its own decoder`() async throws {
    struct Point: Decodable, Equatable { let firstX: Int }
    let answers = mock { request, _ in
      await until { coalescing.waiterCount == 2 }
      return Response(status: .ok, body: .text(#"{"first_x":1,"FIRST_X":2}"#), url: request.url)
    }
    let connection = try Connection("https://host/", adapter: answers, middleware: [coalescing])
    @Sendable func point(_ key: String) async throws -> Point {
      var connection = connection
      connection.defaults.jsonDecoder = JSONDecoder()
      connection.defaults.jsonDecoder?.keyDecodingStrategy = .custom { $0.last?.stringValue == key ? Key("firstX") : Key("-") }
      return try await connection.get(as: Point.self)
    }
    async let small = point("first_x")
    async let large = point("FIRST_X")
    #expect(try await [small, large] == [Point(firstX: 1), Point(firstX: 2)] && answers.recorded.count == 1)
  }

  /// A key of a decoded object.
  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  @Test func `credentials added by middleware above are seen, for each user`() async throws {
    enum User { @TaskLocal static var name = "" }
    let connection = try Connection(
      "https://host/", adapter: held,
      middleware: [
        .closure { request, next in
          var request = request
          request.headers[.authorization] = User.name
          return try await next(request)
        }, coalescing,
      ])
    let count = try await exchanges(
      { try await User.$name.withValue("ada") { try await connection.get() } },
      { try await User.$name.withValue("bob") { try await connection.get() } },
      { try await User.$name.withValue("ada") { try await connection.get() } })
    #expect(count == 2)
  }

  /// An adapter of somebody else's that passes requests to another one.
  struct Wrapper: Adapter {
    let inner: any Adapter
    var capabilities: Capabilities { inner.capabilities }
    func send(_ request: Request) async throws -> Response { try await inner.send(request) }
  }

  @Test(arguments: ["one stack", "a stack in a stack", "a wrapped stack"])
  func `requests are not shared if middleware below adds credentials`(nesting: String) async throws {
    enum User { @TaskLocal static var name = "" }
    let coalescing = coalescing
    let mock = mock { request, number in
      if number == 0 { await until { coalescing.waiterCount == 3 } }
      let user = request.headers[.authorization] ?? "nobody"
      // Errors have responses too.
      return Response(status: user == "eve" ? .notFound : .ok, body: .text(user), url: request.url)
    }
    let authorization = MiddlewareClosure { request, next in
      var request = request
      request.headers[.authorization] = User.name
      return try await next(request)
    }
    let inner = Stack([authorization, .statusValidation], adapter: mock)
    let (own, adapter): ([any Middleware], any Adapter) =
      switch nesting {
      case "one stack": ([authorization, .statusValidation], mock)
      case "a stack in a stack": ([], inner)
      default: ([], Wrapper(inner: inner))
      }
    for users in [["ada", "bob", "eve"], ["eve", "ada", "bob"]] {
      let connection = try Connection("https://host/", adapter: adapter, middleware: [coalescing] + own)
      let tasks = users.map { user in
        Task { try await User.$name.withValue(user) { try await connection.get().body.utf8Text() } }
      }
      for (user, task) in zip(users, tasks) {
        do {
          #expect(try await task.value == user && user != "eve")
        } catch let error as StatusError {
          #expect(user == "eve" && error.response.body.data == Data("eve".utf8))
        }
      }
    }
    #expect(coalescing.flightCount == 0)
  }

  @Test func `requests that differ only in their IDs share one exchange, and each gets its own response`() async throws {
    let connection = try Connection("https://host/", adapter: held, middleware: [.requestID(header: "X-Trace"), coalescing])
    let tasks = (1...3).map { number in Task { try await connection.get { $0.options.requestID = "id-\(number)" } } }
    await until { coalescing.waiterCount + held.heldCount - coalescing.flightCount == tasks.count }
    #expect(coalescing.flightCount == 1)
    held.answerAll()
    for (number, task) in tasks.enumerated() { #expect(try await task.value.requestID == "id-\(number + 1)") }
    // Without a RequestID a field counts, and credentials always do.
    let name = try #require(HTTPField.Name("X-Trace"))
    let plain = try self.connection()
    #expect(
      try await exchanges({ try await plain.get { $0.headers[name] = "a" } }, { try await plain.get { $0.headers[name] = "b" } })
        == 2)
    let careless = try Connection("https://host/", adapter: held, middleware: [.requestID(header: "Authorization"), coalescing])
    #expect(try await exchanges({ try await careless.get() }, { try await careless.get() }) == 2)
  }

  @Test func `equal concurrent requests share one exchange, and a later one has its own`() async throws {
    let connection = try connection()
    let tasks = (1...50).map { _ in Task { try await connection.get("list?page=1") } }
    await until { coalescing.waiterCount == 50 }
    await held.answer(0, .created, body: "shared")
    for task in tasks {
      let response = try await task.value
      #expect(response.status == .created && response.body.data == Data("shared".utf8))
    }
    #expect(held.requests.count == 1 && coalescing.flightCount == 0)
    #expect(try await exchanges({ try await connection.get("list?page=1") }) == 1)
    #expect(try await exchanges({ try await connection.head("x") }, { try await connection.head("x") }) == 1)
  }

  @Test func `different requests and requests that cannot be shared have exchanges of their own`() async throws {
    struct Uncomparable: OptionKey { static var defaultValue: (@Sendable () -> Void)? { nil } }
    enum Comparable: OptionKey { static let defaultValue = 0 }
    let connection = try connection()
    func pair(_ one: @escaping @Sendable (inout Request) -> Void, _ two: (@Sendable (inout Request) -> Void)? = nil) async throws
      -> Int
    {
      try await exchanges({ try await connection.get("x", edit: one) }, { try await connection.get("x", edit: two ?? one) })
    }
    #expect(try await pair({ _ in }) == 1)
    #expect(try await pair({ $0.options[Comparable.self] = 1 }) == 1)
    #expect(try await pair({ $0.options.timeouts.total = .seconds(5) }) == 1)
    #expect(try await pair({ $0.method = .post }) == 2)
    #expect(try await pair({ $0.method = .get }, { $0.method = .head }) == 2)
    #expect(try await pair({ $0.headers[.accept] = "a" }, { $0.headers[.accept] = "b" }) == 2)
    #expect(try await pair({ _ in }, { $0.url = URL(string: "https://host/y")! }) == 2)
    #expect(try await pair({ $0.body = "body" }) == 2)
    #expect(try await pair({ $0.options.delivery = .streamed }) == 2)
    #expect(try await pair({ $0.options.onChunk = { _ in .continue } }) == 2)
    #expect(try await pair({ $0.options.onHead = { _ in } }) == 2)
    #expect(try await pair({ $0.options.onInformational = { _ in } }) == 2)
    #expect(try await pair({ $0.options.onTrace = { _ in } }) == 2)
    #expect(try await pair({ $0.options[Uncomparable.self] = {} }) == 2)
    #expect(try await pair({ $0.options[Comparable.self] = 1 }, { $0.options[Comparable.self] = 2 }) == 2)
    #expect(try await pair({ $0.options.maximumBodySize = 1 }, { $0.options.maximumBodySize = 2 }) == 2)
    #expect(try await pair({ $0.options.decompression = .standard }, { _ in }) == 2)
    #expect(try await pair({ $0.markSecret("page") }, { _ in }) == 2)
  }

  @Test func `ignored fields can differ`() async throws {
    let id = try #require(HTTPField.Name("X-Request-ID"))
    let lenient = Coalescing(ignoring: [id])
    let connection = try connection(lenient)
    let tasks = (1...2).map { number in Task { try await connection.get { $0.headers[id] = "\(number)" } } }
    await until { lenient.waiterCount == 2 }
    await held.answer(0)
    for task in tasks { _ = try await task.value }
    #expect(held.requests.count == 1)
  }

  private func connection(_ middleware: any Middleware) throws -> Connection { try connection("https://host/", middleware) }

  @Test func `all waiting requests get the error, and cancelling one does not affect the others`() async throws {
    let connection = try connection()
    let tasks = (1...3).map { _ in Task { try await connection.get() } }
    await until { coalescing.waiterCount == 3 }
    tasks[0].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    await held.fail(0)
    for task in tasks.dropFirst() {
      #expect(await #expect(throws: TransportError.self) { try await task.value }?.code == .connectionClosed)
    }
    #expect(held.cancelled.isEmpty && held.requests.count == 1)
  }

  @Test func `the cancellation of the last waiting request cancels the exchange`() async throws {
    let connection = try connection()
    let tasks = (1...3).map { _ in Task { try await connection.get() } }
    await until { coalescing.waiterCount == 3 }
    await held.held(0)
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(held.cancelled.isEmpty)
    tasks[2].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[2].value }
    await until { held.cancelled == [0] }
    #expect(coalescing.flightCount == 0)
    #expect(try await exchanges({ try await connection.get() }) == 1)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PURGE"], [true, false])
  func `a read after a write never joins an earlier exchange, even if the write failed`(
    name: String, succeeds: Bool
  ) async throws {
    let method = try #require(HTTPRequest.Method(name))
    let connection = try connection()
    let older = Task { try await connection.get("a").body.utf8Text() }
    await held.held(0)
    let change = Task { try await connection.send(connection.request(method, "b")) }
    if succeeds { await held.answer(1) } else { await held.fail(1) }
    _ = try? await change.value
    let later = Task { try await connection.get("a").body.utf8Text() }
    await until { held.requests.count == 3 || coalescing.waiterCount == 2 }
    let isShared = held.requests.count == 2
    #expect(!isShared)
    await held.answer(0, body: "old")
    #expect(try await older.value == "old")
    guard !isShared else { return }
    // The older exchange has ended without affecting another.
    let last = Task { try await connection.get("a").body.utf8Text() }
    await until { coalescing.waiterCount == 2 }
    await held.answer(2, body: "new")
    #expect(try await later.value == "new")
    #expect(try await last.value == "new")
    #expect(coalescing.flightCount == 0 && held.requests.count == 3)
  }

  @Test func `a write to another origin and a read have no effect on coalescing`() async throws {
    let connection = try connection()
    let first = Task { try await connection.get("a") }
    await held.held(0)
    let others = [
      Task { try await connection.post("https://other/a") },
      Task { try await connection.send(connection.request(.options, "a")) },
    ]
    for (index, other) in others.enumerated() {
      await until { held.requests.count >= 2 + index }
      _ = other
    }
    await held.answer(1)
    await held.answer(2)
    for other in others { _ = try await other.value }
    let second = Task { try await connection.get("a") }
    await until { coalescing.waiterCount == 2 || held.requests.count == 4 }
    #expect(held.requests.count == 3)
    held.answerAll()
    _ = try await (first.value, second.value)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `one exchange on the wire serves all requests`(tested: TestedAdapter) async throws {
    let gate = Gate()
    let server = try MockServer { _ in
      await gate.opened()
      return .text("answer")
    }
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [coalescing])
    let tasks = (1...20).map { _ in Task { try await connection.get("/").body.utf8Text() } }
    await until { coalescing.waiterCount == 20 }
    gate.open()
    for task in tasks { #expect(try await task.value == "answer") }
    #expect(server.recorded.count == 1)
  }

  @Test func `thousands of requests with cancellations leave nothing behind`() async throws {
    let connection = try connection()
    var random = SeededGenerator(seed: 7)
    let tasks = (0..<2000).map { number in Task { try await connection.get("\(number % 10)") } }
    for task in tasks where Bool.random(using: &random) { task.cancel() }
    let ended = Log<Bool>()
    for task in tasks {
      Task {
        _ = try? await task.value
        ended.append(true)
      }
    }
    await until {
      held.answerAll()
      return ended.elements.count == 2000
    }
    #expect(coalescing.flightCount == 0 && coalescing.waiterCount == 0)
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ExchangeLogTests {
  private let mock = MockAdapter()
  private let log = ExchangeLog()
  private let clock = ManualClock()

  private func connection(_ middleware: any Middleware) throws -> Connection {
    try Connection("http://host/", adapter: mock, middleware: [middleware])
  }

  private func stub() {
    mock.stub {
      Response(
        status: .created, headers: [.server: "mock", .setCookie: "sid=hidden"], body: #"{"token": "hidden", "n": 1}"#, url: $0.url
      )
    }
  }

  @Test func `durations of any size are logged`() async throws {
    let clock = clock
    mock.stub { request in
      clock.advance(by: .seconds(1e19))
      return Response(status: .ok, url: request.url)
    }
    let told = Log<String>()
    _ = try await connection(ExchangeHooks(onEnd: { told.append("\($0)") }, clock: clock)).get("a")
    #expect(told.elements == ["GET http://host/a 200, 0 bytes in 3155760000000.0 ms"])
  }

  // MARK: in memory

  @Test func `the log contains requests and responses without secrets`() async throws {
    stub()
    _ = try await connection(.exchangeLog(log)).post("a?token=hidden", headers: ["X-A": "1", "Cookie": "hidden"], body: "a=1")
    let exchange = try #require(log.exchanges.first)
    #expect(exchange.method == .post && exchange.url == "http://host/a?token=[secret]" && exchange.status == .created)
    #expect(
      exchange.request?.headers["X-A"] == "1" && exchange.request?.body == "a=1" && exchange.response?.headers[.server] == "mock")
    #expect(exchange.response?.body == #"{"token": "[secret]", "n": 1}"# && exchange.byteCount == 27)
    #expect(exchange.outcome == .complete && exchange.error == nil && exchange.duration != nil)
    #expect(log.exchanges.count == 1 && log.running.isEmpty)
    #expect("\(log)".hasPrefix("POST http://host/a?token=[secret] 201, 27 bytes in ") && "\(log)".contains("\n< Server: mock\n"))
    for shown in [Shown.all(log), Shown.all(exchange)] { #expect(!shown.contains("hidden")) }
  }

  @Test func `the log keeps the latest exchanges and all exchanges in progress`() async throws {
    let released = Log<Bool>()
    mock.stub {
      $0.url.path() == "/slow"
    } respond: { request in
      await until { !released.elements.isEmpty }
      return Response(status: .ok, url: request.url)
    }
    mock.stub { Response(status: .ok, url: $0.url) }
    let log = ExchangeLog(maximumCount: 2)
    let connection = try connection(.exchangeLog(log, .line))
    let slow = Task { try await connection.get("slow") }
    await until { !log.running.isEmpty }
    for path in ["1", "2", "3"] { _ = try await connection.get(path) }
    #expect(log.exchanges.map(\.url) == ["http://host/2", "http://host/3"] && log.running.map(\.outcome) == [.running])
    #expect("\(log)".hasSuffix("\nGET http://host/slow") && log.exchanges.first?.response == nil)
    released.append(true)
    _ = try await slow.value
    #expect(log.exchanges.map(\.url) == ["http://host/3", "http://host/slow"] && log.running.isEmpty)
    log.removeAll()
    #expect(log.exchanges.isEmpty)
    _ = try await self.connection(.exchangeLog(ExchangeLog(maximumCount: -1))).get()
  }

  @Test func `failures, cancellations and abandoned bodies have different outcomes`() async throws {
    let connection = try connection(.exchangeLog(log))
    await #expect(throws: MockError.self) { try await connection.get("a?token=hidden") }
    mock.stub {
      $0.url.path() == "/c"
    } respond: { _ in
      throw CancellationError()
    }
    await #expect(throws: CancellationError.self) { try await connection.get("c") }
    mock.stub { Response(status: .ok, body: .stream(Pieces("one", "two")), url: $0.url) }
    let streamed = try await connection.get("b") { $0.options.delivery = .streamed }
    for try await _ in streamed.body { break }
    #expect(log.exchanges.map(\.outcome) == [.failed, .cancelled, .abandoned])
    #expect(log.exchanges.first?.error?.contains("no stub") == true && log.exchanges.last?.byteCount == 3)
    #expect(!Shown.all(log).contains("hidden"))
  }

  @Test(arguments: TestedDelivery.allCases)
  func `concurrent exchanges are all in the log`(delivery: TestedDelivery) async throws {
    mock.stub { Response(status: .ok, body: "a", url: $0.url) }
    let connection = try connection(.exchangeLog(log))
    try await withThrowingTaskGroup { group in
      for number in 1...50 { group.addTask { _ = try await delivery.get("\(number)", over: connection) } }
      try await group.waitForAll()
    }
    #expect(Set(log.exchanges.map(\.url)).count == 50 && Set(log.exchanges.map(\.id)).count == 50 && log.running.isEmpty)
    #expect(log.exchanges.allSatisfy { $0.byteCount == 1 && $0.outcome == .complete })
  }

  // MARK: hooks

  @Test func `the start hook and the end hook are called once for each exchange`() async throws {
    stub()
    let told = Log<String>()
    let hooks = ExchangeHooks(onStart: { told.append("start \($0)") }, onEnd: { told.append("end \($0)") }, clock: clock)
    _ = try await connection(hooks).get("a?token=hidden")
    _ = try await connection(.exchangeHooks(onEnd: { told.append("\($0.status?.code ?? 0)") })).get()
    _ = try await connection(.exchangeHooks()).get()
    #expect(
      told.elements == [
        "start GET http://host/a?token=[secret]", "end GET http://host/a?token=[secret] 201, 27 bytes in 0.0 ms", "201",
      ])
  }
}

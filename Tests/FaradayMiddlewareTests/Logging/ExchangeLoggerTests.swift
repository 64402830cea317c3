import Faraday
import FaradayTesting
import FoundationEssentials
import Logging
import Testing

/// An ``ExchangeLogger`` over a mock.
@Suite struct ExchangeLoggerTests {
  private let log = CapturedLog()
  private let mock = MockAdapter()
  private let clock = ManualClock()

  private func connection(
    _ detail: ExchangeLogger.Detail = .line, level: Logger.Level = .trace, above: any Middleware...
  ) throws -> Connection {
    var connection = try Connection(
      "http://host/", adapter: mock,
      middleware: above + [ExchangeLogger(log.logger(level), detail, clock: clock)])
    connection.userAgent = "me/1"
    return connection
  }

  /// Answers everything with this, after 12.3 ms.
  private func stub(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .empty) {
    mock.stub { _ in
      true
    } respond: { [clock] request in
      clock.advance(by: .microseconds(12_345))
      return Response(status: status, headers: headers, body: body, url: request.url)
    }
  }

  // MARK: failures

  @Test func `an error is logged with its phase and duration, and rethrown`() async throws {
    mock.stub { _ in
      true
    } respond: { [clock] in
      clock.advance(by: .seconds(2))
      throw TransportError(.connectionFailed, building: $0, "nobody\nthere")
    }
    await #expect(throws: TransportError.self) { try await connection().get("a?token=hidden") }
    #expect(log.levels == [.warning])
    #expect(log.messages.first?.hasPrefix("GET http://host/a?token=[secret] failed after 2000.0 ms: ") == true)
    #expect(log.messages.first?.contains("nobody\\nthere") == true)
    #expect(log.metadata.first?["error"]?.contains("connectionFailed") == true)
    #expect(log.metadata.first?["status"] == nil)
  }

  @Test func `an error that contains the whole URL is logged without the URL's secrets`() async throws {
    await #expect(throws: MockError.self) { try await connection().get("a?token=hidden") }
    #expect(!log.text.contains("hidden") && log.text.contains("[secret]"))
  }

  @Test func `a foreign error that contains the whole URL is logged without the URL's secrets`() async throws {
    struct Foreign: Error, CustomStringConvertible {
      let url: URL
      var description: String { "cannot reach \(url.absoluteString) today" }
    }
    mock.stub { request in throw Foreign(url: request.url) }
    await #expect(throws: Foreign.self) { try await connection().get("a?token=hidden&page=2") }
    #expect(!log.text.contains("hidden"))
    #expect(log.metadata.first?["error"] == "cannot reach http://host/a?token=[secret]&page=2 today")
  }

  @Test func `a cancellation is not logged as a failure`() async throws {
    mock.stub { _ in
      true
    } respond: { _ in
      throw CancellationError()
    }
    await #expect(throws: CancellationError.self) { try await connection().get() }
    #expect(log.levels == [.info] && log.messages == ["GET http://host/ cancelled after 0.0 ms"])
  }

  @Test(arguments: [(200, Logger.Level.info), (404, .info), (500, .warning), (599, .warning)])
  func `a status of 500 or more is logged as a failure`(code: Int, level: Logger.Level) async throws {
    stub(HTTPResponse.Status(code: code))
    _ = try await connection().get()
    #expect(log.levels == [level])
  }

  @Test func `a disabled level logs nothing, but failures are still logged`() async throws {
    stub()
    for level in [Logger.Level.notice, .warning, .error] { _ = try await connection(.full(), level: level).get() }
    #expect(log.messages.isEmpty)
    await #expect(throws: MockError.self) {
      try await Connection("http://host/", adapter: MockAdapter(), middleware: [.logger(log.logger(.warning), .full())]).get()
    }
    #expect(log.levels == [.warning])
  }

  // MARK: lines

  @Test func `one line has the request, the status and the duration`() async throws {
    stub(body: "Hello")
    _ = try await connection(above: .requestID(header: "X-ID") { "id\u{1B}" }).post("a", body: "x")
    #expect(log.messages == ["POST http://host/a 200, 5 bytes in 12.3 ms"])
    let metadata = try #require(log.metadata.first)
    #expect(metadata["method"] == "POST" && metadata["url"] == "http://host/a" && metadata["status"] == "200")
    #expect(metadata["bytes"] == "5" && metadata["duration"] == "\(Duration.microseconds(12_345))")
    #expect(metadata["request-id"] == "id\\u{1B}")
  }

  @Test func `the configured level is used`() async throws {
    stub()
    let logger = ExchangeLogger(log.logger(), level: .debug, failureLevel: .critical)
    _ = try await Connection("http://host/", adapter: mock, middleware: [logger]).get()
    await #expect(throws: MockError.self) {
      try await Connection("http://host/", adapter: MockAdapter(), middleware: [logger]).get()
    }
    #expect(log.levels == [.debug, .critical])
  }

  // MARK: in full

  @Test func `at the full level fields and bodies of request and response are logged`() async throws {
    stub(.created, headers: [.contentType: "application/json", .location: "/1?token=hidden"], body: "{\"a\": 1}")
    _ = try await connection(.full()).post("a", body: "name=me&password=hidden") {
      $0.headers[.contentType] = "application/x-www-form-urlencoded"
      $0.headers[.authorization] = "Bearer hidden"
    }
    #expect(
      log.messages == [
        """
        POST http://host/a
        > User-Agent: me/1
        > Content-Type: application/x-www-form-urlencoded
        > Authorization: [secret]
        >
        > name=me&password=[secret]
        """,
        """
        POST http://host/a 201, 8 bytes in 12.3 ms
        < Content-Type: application/json
        < Location: /1?token=[secret]
        <
        < {"a": 1}
        """,
      ])
  }

  @Test func `RK-23: a logger at the end of the list sees headers that interceptors add`() async throws {
    stub()
    let adding = Interceptors([.request { try $0.headers.set(name: "X-Added", value: "before") }])
    _ = try await connection(.full(), above: adding).get()
    #expect(log.messages.first == "GET http://host/\n> User-Agent: me/1\n> X-Added: before")
  }

  @Test func `bodies are logged up to the limit and are not cut within a character`() async throws {
    stub(body: "ab\u{E9}\u{1F680}z")
    for (limit, shown) in [(0, ""), (3, "ab"), (4, "ab\u{E9}"), (7, "ab\u{E9}"), (8, "ab\u{E9}\u{1F680}")] {
      _ = try await connection(.full(bodyLimit: limit)).get()
      #expect(log.messages.last == "GET http://host/ 200, 9 bytes in 12.3 ms\n<\n< \(shown)… (\(limit) of 9 bytes)")
    }
    _ = try await connection(.full(bodyLimit: 9)).get()
    #expect(log.messages.last?.hasSuffix("< ab\u{E9}\u{1F680}z") == true)
  }

  @Test func `a binary body is described by size and type`() async throws {
    let bytes = Data([0x89, 0x50, 0x4E, 0x47])
    stub(headers: [.contentType: "image/png"], body: .data(bytes))
    _ = try await connection(.full()).put("a", body: .data(bytes))
    #expect(log.messages.first?.hasSuffix("> (4 bytes of no known type)") == true)
    #expect(log.messages.last?.hasSuffix("< (4 bytes of image/png)") == true)
    _ = try await connection(.full()).post("a", body: "--b\r\n\r\nhidden") {
      $0.headers[.contentType] = "multipart/form-data; boundary=b"
    }
    #expect(log.text.contains("> (13 bytes of multipart/form-data)") && !log.text.contains("hidden"))
  }

  @Test func `a streamed request body is described and not read`() async throws {
    stub()
    _ = try await connection(.full()).put("a", body: .stream(Pieces("one", "two"), length: 6))
    _ = try await connection(.full()).put("a", body: .stream(Pieces("one", "two")))
    #expect(log.messages[0].hasSuffix("> (a stream of 6 bytes)"))
    #expect(log.messages[2].hasSuffix("> (a stream of unknown length)"))
    #expect(mock.recorded.map(\.body) == [Data("onetwo".utf8), Data("onetwo".utf8)])
    await #expect(throws: TransportError.self) { try await connection(.full()).put("a", body: .encodable(["a": 1])) }
    #expect(log.messages[4].hasSuffix("> (a value of type Dictionary<String, Int>, not encoded yet)"))
  }

  @Test func `untrusted text cannot end a log line or move the cursor`() async throws {
    let evil = "a\r\n\u{1B}[2J\u{85}\u{2028}\u{202E}\u{7F}\u{0}b"
    stub(headers: [.server: "x\u{1B}[1m"], body: .text(String(evil.dropLast(2)) + "b"))
    _ = try await connection(.full()).post("a\u{1B}", body: .text(String(evil.dropLast(2)))) {
      $0.headers[.from] = "f\u{9B}\u{202E}"
      $0.options.requestID = evil
    }
    let scalars = Set(log.text.unicodeScalars)
    #expect(
      scalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control && $0.value != 0x202E && $0.value != 0x2028 })
    for message in log.messages {
      #expect(message.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix(">") || $0.hasPrefix("<") })
    }
  }
}

import FaradayCore
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct DescriptionTests {
  private func connection() throws -> Connection {
    var connection = try Connection(
      "https://user:hunter2@host/v2/?token=hunter2", headers: ["Authorization": "Bearer hunter2", "Accept": "a/b"],
      adapter: MockAdapter(), middleware: [.closure { request, next in try await next(request) }])
    connection.secrets.insert(path: "/bot{token}/")
    return connection
  }

  @Test func `a request is described in one line`() throws {
    let request = try connection().request(.post, "bothunter2/x?token=hunter2#hunter2", body: "hello")
    #expect("\(request)" == "POST https://host/v2/bot[secret]/x?token=[secret] (3 headers, 5 bytes)")
    #expect(!Shown.all(request).contains("hunter2"), "\(Shown.all(request))")
  }

  @Test func `a response is described in one line, redacted by its connection's registry`() async throws {
    let mock = MockAdapter()
    mock.stub { request in
      Response(status: .ok, headers: [.setCookie: "hunter2"], body: .text("hunter2"), url: request.url)
    }
    var connection = try connection()
    connection = Connection(url: connection.url, secrets: connection.secrets, adapter: mock)
    let response = try await connection.get("bothunter2/x?token=hunter2")
    #expect("\(response)" == "200 https://host/v2/bot[secret]/x?token=[secret] (1 header, 7 bytes)")
    #expect(!Shown.all(response).contains("hunter2"), "\(Shown.all(response))")
  }

  @Test func `a connection and its stack are described in one line`() throws {
    let connection = try connection()
    #expect("\(connection)" == "Connection to https://host/v2/?token=[secret] (2 headers, 1 middleware over MockAdapter)")
    #expect("\(connection.stack)" == "1 middleware over MockAdapter")
    #expect("\(Connection(adapter: MockAdapter()))" == "Connection to anywhere (0 headers, 0 middleware over MockAdapter)")
    #expect(!Shown.all(connection).contains("hunter2"), "\(Shown.all(connection))")
  }

  @Test func `the description of a stack shows nothing of its middleware's state`() throws {
    struct Own: Middleware {
      let token = "hunter2"
      func handle(_ request: Request, next: Next) async throws -> Response { try await next(request) }
    }
    let stack = Stack([Own()], adapter: MockAdapter())
    #expect(!Shown.all(stack).contains("hunter2"), "\(Shown.all(stack))")
    #expect(!Shown.all(try Connection("http://h/", adapter: stack, middleware: [Own()])).contains("hunter2"))
  }

  @Test func `an adapter's error is redacted by the stack's registry`() async throws {
    let mock = MockAdapter()
    mock.stub { request in
      throw TransportError(
        .receiveFailed, phase: .receiving, method: request.method, url: request.url, message: "it broke",
        partialResponse: Response(status: .ok, url: request.url))
    }
    let url = try connection().url
    let connection = Connection(url: url, secrets: try connection().secrets, adapter: mock)
    let error = try await #require(throws: TransportError.self) { try await connection.get("bothunter2/x") }
    #expect(error.url == "https://host/v2/bot[secret]/x")
    #expect(error.partialResponse.map { "\($0)" } == "200 https://host/v2/bot[secret]/x (0 headers, 0 bytes)")
  }

  @Test func `options describe the number of settings and not their values`() {
    enum Key: OptionKey { static let defaultValue = "" }
    var options = Options()
    #expect("\(options)" == "Options (buffered)")
    options[Key.self] = "hunter2"
    options.delivery = .streamed
    options.onHead = { _ in }
    options.onInformational = { _ in }
    #expect("\(options)" == "Options (streamed, 2 callbacks, 1 value)")
    options.onTrace = { _ in }
    options.onRawHead = { _ in }
    options.requestTrailers = { [:] }
    #expect("\(options)" == "Options (streamed, 5 callbacks, 1 value)")
    #expect(!Shown.all(options).contains("hunter2"), "\(Shown.all(options))")
  }

  @Test func `a body describes its kind`() throws {
    let bodies: [(Body, String)] = [
      (.empty, "0 bytes"), ("h", "1 byte"), (.encodable("hunter2"), "a value of type String"),
      (.stream(AsyncStream<Data> { $0.finish() }), "a stream"),
      (.stream(AsyncStream<Data> { $0.finish() }, length: 9), "a stream of 9 bytes"),
      (.data(Data("hunter2".utf8)), "7 bytes"),
    ]
    for (body, shown) in bodies {
      #expect("\(body)" == shown)
      #expect(!Shown.all(body).contains("hunter2"), "\(Shown.all(body))")
    }
  }

  @Test func `an error describes neither its response nor its underlying error`() throws {
    struct Own: Error { let text = "hunter2" }
    let request = try connection().request(.get, "bothunter2/?token=hunter2")
    let response = Response(status: .ok, headers: [.setCookie: "hunter2"], body: "hunter2", url: request.url)
    var error = TransportError(.receiveFailed, building: request, "it broke")
    error.underlying = Own()
    error.partialResponse = response
    #expect("\(error)" == "GET https://host/v2/bot[secret]/: it broke (receiveFailed while building)")
    for error: any Error in [error, StatusError(response, to: request)] {
      #expect(!Shown.all(error).contains("hunter2"), "\(Shown.all(error))")
    }
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct AuthorizationTests {
  private let mock = MockAdapter()

  private func sent(_ middleware: any Middleware, edit: (inout Request) throws -> Void = { _ in }) async throws -> String? {
    mock.stub { _ in
      true
    } respond: {
      Response(status: .ok, url: $0.url)
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [middleware])
    _ = try await connection.get(edit: edit)
    return mock.recorded.last?.request.headers[.authorization]
  }

  @Test func `FA-06: Basic credentials are the base64 of user and password`() async throws {
    #expect(try await sent(.authorization(.basic(user: "login", password: "pass"))) == "Basic bG9naW46cGFzcw==")
    #expect(try await sent(.authorization(.basic(user: "grün", password: "a:b"))) == "Basic Z3LDvG46YTpi")
  }

  @Test func `FA-07: a token stands before its parameters, which keep their order`() async throws {
    #expect(try await sent(.authorization(.token("abcdef", options: ["foo": "bar"]))) == "Token token=abcdef,foo=bar")
    #expect(try await sent(.authorization(.token("abcdef"))) == "Token token=abcdef")
    let many = Credentials.token("t", options: ["z": "1", "token": "other", "a": "2"])
    #expect(try await sent(.authorization(many)) == "Token token=t,z=1,a=2")
  }

  @Test(arguments: [
    Credentials.basic(user: "a:b", password: "c"), .bearer("a\r\nX: y"), .token("a\nb"), Credentials("Own \0"),
  ])
  func `credentials with characters that no header allows fail before anything is sent`(credentials: Credentials) async throws {
    let error = await #expect(throws: InvalidValueError.self) { try await sent(.authorization(credentials)) }
    #expect(error.map { !"\($0)".contains("a:b") } == true)
    #expect(mock.recorded.isEmpty)
  }

  @Test func `the request's own Authorization header takes precedence`() async throws {
    #expect(try await sent(.authorization(.bearer("connection"))) == "Bearer connection")
    let own = try await sent(.authorization(.bearer("connection"))) { try $0.headers.authorize(.bearer("request")) }
    #expect(own == "Bearer request")
  }

  @Test func `a token provider is called for each request, and can return nil or throw`() async throws {
    struct Locked: Error {}
    let count = Log<Int>()
    let provider = Authorization { request in
      count.append(1)
      await Task.yield()
      if request.url.path() == "/locked" { throw Locked() }
      return count.elements.count == 1 ? nil : .bearer("\(count.elements.count)")
    }
    #expect(try await sent(provider) == nil)
    #expect(try await sent(provider) == "Bearer 2")
    await #expect(throws: Locked.self) { try await sent(provider) { $0.path = "/locked" } }
    #expect(mock.recorded.count == 2)
  }

  @Test func `descriptions redact credentials`() {
    let credentials = Credentials.bearer("hidden")
    var dumped = ""
    dump(credentials, to: &dumped)
    #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("hidden"))
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a real server accepts the Authorization header`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let server = try LocalServer()
    let connection = try Connection(
      server.url, adapter: tested.adapter, middleware: [.authorization(.basic(user: "ada", password: "love"))])
    #expect(try await delivery.get("/basic-auth/ada/love", over: connection).text == "welcome\n")
    #expect(try await delivery.get("/basic-auth/ada/hate", over: connection).response.status == .unauthorized)
  }
}

import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct InterceptionTests {
  /// Records its calls under its name.
  private struct Noting: RequestInterceptor, ResponseInterceptor {
    let name: String
    let log: Log<String>

    func intercept(_ request: Request) async throws -> Request {
      log.append("\(name) request")
      return request
    }
    func intercept(_ response: Response, for request: Request) async throws -> Response {
      log.append("\(name) response \(response.status.code)")
      return response
    }
    func recover(from error: any Error, for request: Request) async throws -> Response {
      log.append("\(name) error \(type(of: error)) of \(request.method)")
      throw error
    }
  }

  private let log = Log<String>()

  // MARK: every outcome

  @Test(arguments: TestedAdapter.allCases)
  func `response interceptors see every outcome, in the order of the list`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let both = [Noting(name: "a", log: log), Noting(name: "b", log: log)]
    let example = Example(server, tested, interceptors: both)
    _ = try await example.server.get("hello").load()
    #expect(log.elements == ["a request", "b request", "a response 200", "b response 200"])
    await #expect(throws: StatusError.self) { try await example.server.get("status/404").load() }
    #expect(log.elements.suffix(2) == ["a error StatusError of GET", "b error StatusError of GET"])
    let refused = try RefusedPort()
    await #expect(throws: TransportError.self) {
      try await example.customResource(at: "http://127.0.0.1:\(refused.port)").get().load()
    }
    withExtendedLifetime(refused) {}
    #expect(log.elements.suffix(2) == ["a error TransportError of GET", "b error TransportError of GET"])
  }

  @Test func `response interceptors see a constraint's error, and request interceptors do not run`() async throws {
    let held = Held(failingWith: Failed())
    held.mayEnd.open()
    let example = Example(MockAdapter(), constraints: [held], interceptors: [Noting(name: "a", log: log)])
    await #expect(throws: Failed()) { try await example.server.get("a").load() }
    #expect(log.elements == ["a error Failed of GET"])
  }

  @Test func `response interceptors see the error of a request that could not be built, and can replace it`() async throws {
    let mock = MockAdapter()
    let held = Held()
    held.mayEnd.open()
    let forgiving = InterceptorClosure.recover { _, request in Response(status: .accepted, url: request.url) }
    let example = Example(mock, constraints: [held], interceptors: [Noting(name: "a", log: log), forgiving])
    let response = try await example.server.post("a?b=c").tag("t").failing(with: Failed()).load()
    #expect(response.status == .accepted && response.url.absoluteString == "http://host/a?b=c")
    #expect(log.elements == ["a error Failed of POST"])
    #expect(held.begun.elements.isEmpty && mock.recorded.isEmpty)
  }

  // MARK: the cases of Swifty

  @Test(arguments: TestedAdapter.allCases)
  func `SW-19: the header of a request interceptor reaches the server`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested, interceptors: [.request { try $0.headers.set(name: "X-Added", value: "here") }])
    #expect(try await example.inspect().inspected().values("X-Added") == ["here"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-20: a header and a query item of two interceptors both apply`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(
      server, tested,
      interceptors: [.request { try $0.headers.set(name: "X-Added", value: "here") }, .request { $0.query["added"] = "item" }])
    let seen = try await example.inspect().query(["own": 1]).inspected()
    #expect(seen.values("X-Added") == ["here"] && seen.target == "/inspect?own=1&added=item")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-21: a 204 that a response interceptor fails is a failure with its error`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(
      server, tested,
      interceptors: [.response { response, _ in if response.status == .noContent { throw Failed(name: "mine") } }])
    await #expect(throws: Failed(name: "mine")) { try await example.server.get("status/204").loadJSON() }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-22: a later interceptor can turn a failure into a success`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(
      server, tested,
      interceptors: [
        .response { response, request in throw StatusError(response, to: request) },
        .recover { error, _ in try #require(error as? StatusError).response },
      ])
    let response = try await example.server.get("status/204").load()
    #expect(response.status == .noContent && response.body.isEmpty)
    #expect(try await example.server.get("status/204").loadJSON() == nil)
    // The error of the validation, too.
    #expect(try await example.server.get("status/404").load().status == .notFound)
  }
}

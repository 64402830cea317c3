import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct InterceptorTests {
  private let mock = MockAdapter()
  private let log = Log<String>()

  private struct Failed: Error, Equatable {
    var name = ""
    /// The errors that it got.
    var status: HTTPResponse.Status?
  }

  /// Records its calls.
  private struct Noting: RequestInterceptor, ResponseInterceptor {
    let name: String
    let log: Log<String>

    func intercept(_ request: Request) async throws -> Request {
      log.append("\(name) request")
      return request
    }

    func intercept(_ response: Response, for request: Request) async throws -> Response {
      log.append("\(name) response")
      return response
    }

    func recover(from error: any Error, for request: Request) async throws -> Response {
      log.append("\(name) error")
      throw error
    }
  }

  private func noting(_ name: String) -> Noting { Noting(name: name, log: log) }

  private func run(_ middleware: any Middleware, status: HTTPResponse.Status = .ok) async throws -> Response {
    mock.stub { _ in
      true
    } respond: { [log] request in
      log.append("sent")
      return Response(status: status, url: request.url)
    }
    return try await Connection("http://host/", adapter: mock, middleware: [middleware]).get()
  }

  // MARK: failures

  @Test func `after an error of a request interceptor nothing is sent, and all response interceptors run`() async throws {
    let failing = InterceptorClosure.request { _ in throw Failed(name: "request") }
    let error = await #expect(throws: Failed.self) {
      try await run(.interceptors([noting("a"), failing, noting("b")]))
    }
    #expect(error?.name == "request")
    #expect(log.elements == ["a request", "b error", "a error"])
  }

  @Test func `a response interceptor can recover from the error of a request interceptor`() async throws {
    let response = try await run(
      .interceptors([
        .recover { error, request in Response(status: .accepted, body: .text("\(error is Failed)"), url: request.url) },
        .request { _ in throw Failed() },
      ]))
    #expect(response.status == .accepted)
    #expect(try await response.body.utf8Text() == "true")
    #expect(mock.recorded.isEmpty)
  }

  @Test func `SW-21: a response interceptor can fail a 204 with its own error`() async throws {
    let error = await #expect(throws: Failed.self) {
      try await run(
        .interceptors([.response { response, _ in throw Failed(name: "mine", status: response.status) }]), status: .noContent)
    }
    #expect(error == Failed(name: "mine", status: .noContent))
  }

  @Test func `SW-22: a later interceptor can turn a failure into a success`() async throws {
    let failing = InterceptorClosure.response { response, _ in throw Failed(status: response.status) }
    let forgiving = InterceptorClosure.recover { error, request in
      let status = try #require((error as? Failed)?.status)
      return Response(status: status, url: request.url)
    }
    for middleware in [Interceptors(forward: [failing, forgiving]), Interceptors([forgiving, failing])] {
      let response = try await run(middleware, status: .noContent)
      #expect(response.status == .noContent)
      #expect(try await response.body.collect().isEmpty)
    }
    await #expect(throws: Failed.self) { try await run(.interceptors([failing, forgiving]), status: .noContent) }
  }

  @Test func `interceptors can recover from or replace a transport error, in response order`() async throws {
    let failing = Interceptors(forward: [
      .recover { error, _ in throw Failed(name: "\((error as? TransportError)?.code == .connectionFailed)") }, noting("after"),
    ])
    mock.stub { _ in
      true
    } respond: {
      throw TransportError(.connectionFailed, building: $0, "")
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [failing])
    let error = await #expect(throws: Failed.self) { try await connection.get() }
    #expect(error?.name == "true")
    #expect(log.elements == ["after request", "after error"])
  }

  @Test(arguments: ["request", "response", "adapter"])
  func `a cancellation is rethrown without calling interceptors`(place: String) async throws {
    let cancelling = Interceptors([
      .recover { _, request in Response(status: .ok, url: request.url) }, noting("a"),
      .request { _ in if place == "request" { throw CancellationError() } },
      .response { _, _ in if place == "response" { throw CancellationError() } },
    ])
    if place == "adapter" {
      mock.stub { _ in
        true
      } respond: { _ in
        throw CancellationError()
      }
    }
    await #expect(throws: CancellationError.self) { try await run(cancelling) }
    #expect(!log.elements.contains("a error") && !log.elements.contains("a response"))
  }

  // MARK: order

  @Test func `RK-02: an interceptor is called for the request and for the response`() async throws {
    _ = try await run(.interceptors([noting("a")]))
    #expect(log.elements == ["a request", "sent", "a response"])
  }

  @Test func `responses pass interceptors in reverse order, or in listed order with forward`() async throws {
    let both = [noting("a"), noting("b")]
    _ = try await run(.interceptors(both))
    #expect(log.elements == ["a request", "b request", "sent", "b response", "a response"])
    _ = try await run(.interceptors(forward: both))
    #expect(log.elements.suffix(5) == ["a request", "b request", "sent", "a response", "b response"])
  }

  @Test func `a response-only interceptor passes errors on, and an error-only one passes responses on`() async throws {
    struct Looking: ResponseInterceptor {
      func intercept(_ response: Response, for request: Request) async throws -> Response { response }
    }
    struct Recovering: ResponseInterceptor {
      func recover(from error: any Error, for request: Request) async throws -> Response { throw error }
    }
    #expect(try await run(.interceptors([Looking(), Recovering()])).status == .ok)
    await #expect(throws: Failed.self) {
      try await run(.interceptors([Looking(), Recovering(), .request { _ in throw Failed() }]))
    }
  }

  // MARK: over the wire

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `SW-19: a header of a request interceptor reaches the server`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let server = try LocalServer()
    let adding = Interceptors([.request { try $0.headers.set(name: "X-Added", value: "by an interceptor") }])
    let connection = try Connection(server.url + "/", adapter: tested.adapter, middleware: [adding])
    #expect(try await delivery.get("inspect", over: connection).text.contains("by an interceptor"))
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `SW-20: a header and a query item of two interceptors reach the server`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let server = try LocalServer()
    let connection = try Connection(
      server.url + "/", adapter: tested.adapter,
      middleware: [
        .interceptors([
          .request { try $0.headers.set(name: "X-Added", value: "header") }, .request { $0.query["added"] = "item" },
        ])
      ])
    let (_, text) = try await delivery.get("inspect", over: connection)
    #expect(text.contains("\"header\"") && text.contains("added=item"))
  }
}

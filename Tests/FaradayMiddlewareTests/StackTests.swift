import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// A stack over each adapter and in each delivery.
@Suite struct StackTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  private func connection(_ tested: TestedAdapter, _ middleware: any Middleware...) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: middleware)
  }

  private struct Tagging: Middleware {
    let name: String
    let log: Log<String>

    func handle(_ request: Request, next: Next) async throws -> Response {
      log.append("\(name) down")
      var request = request
      try request.headers.set(name: "X-\(name)", value: "was here")
      var response = try await next(request)
      log.append("\(name) up")
      try response.headers.set(name: "X-\(name)", value: "\(response.status.code)")
      return response
    }
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `the list is the order, downward for requests and upward for responses, and both can be changed`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let log = Log<String>()
    let connection = try connection(tested, Tagging(name: "One", log: log), Tagging(name: "Two", log: log))
    let (response, text) = try await delivery.get("inspect", over: connection)
    #expect(log.elements == ["One down", "Two down", "Two up", "One up"])
    #expect(text.lowercased().contains("x-one") && text.lowercased().contains("x-two"))
    let name = try #require(HTTPField.Name("X-One"))
    #expect(response.headers[name] == "200")
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a middleware can send again, and the caller sees only the last response`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    struct Again: Middleware {
      func handle(_ request: Request, next: Next) async throws -> Response {
        // The first response is discarded unread: its connection is closed, and the caller sees nothing of it.
        var first = request
        first.options.onChunk = nil
        first.options.delivery = .streamed
        _ = try await next(first)
        return try await next(request)
      }
    }
    let (response, text) = try await delivery.get("hello", over: connection(tested, Again()))
    #expect(response.status == .ok && text == "Hello, world!")
    #expect(server.requestCount == 2)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a middleware can respond without sending`(tested: TestedAdapter, delivery: TestedDelivery) async throws {
    let connection = try connection(tested)
    var short = connection
    short.use { request, _ in Response(status: .ok, body: "", url: request.url) }
    let (response, text) = try await delivery.get("hello", over: short)
    #expect(response.status == .ok && text.isEmpty)
    #expect(server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `a middleware's error reaches the caller, and the next request works`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    struct Refused: Error {}
    var connection = try connection(tested)
    connection.use { request, next in
      let response = try await next(request)
      if request.url.path().hasSuffix("404") { throw Refused() }
      return response
    }
    await #expect(throws: Refused.self) { try await delivery.get("status/404", over: connection) }
    #expect(try await delivery.get("hello", over: connection).text == "Hello, world!")
  }
}

import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// Middleware that only changes requests, between others and by itself.
@Suite struct RequestTransformerTests {
  private struct Adding: RequestTransformer {
    let text: String

    func transformed(_ request: Request, capabilities: Capabilities) -> Request {
      var request = request
      request.headers[.accept] = (request.headers[.accept] ?? "") + text
      return request
    }
  }

  private struct Refusing: RequestTransformer {
    func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
      // An adapter without a registry of secrets.
      throw TransportError(.connectionFailed, phase: .building, method: request.method, url: request.url, message: "refused")
    }
  }

  /// Creates a new request, without the connection's context.
  private struct Replacing: RequestTransformer {
    func transformed(_ request: Request, capabilities: Capabilities) -> Request { Request(.get, url: request.url) }
  }

  private func adding(_ text: String) -> any Middleware {
    .closure { request, next in try await next(Adding(text: text).transformed(request, capabilities: next.capabilities)) }
  }

  @Test func `transformers change requests in the order of the list`() async throws {
    let mock = MockAdapter(isStrict: false)
    let stacks: [[any Middleware]] = [
      [Adding(text: "a"), Adding(text: "b"), adding("c")], [Adding(text: "a"), adding("b"), Adding(text: "c")],
      [adding("a"), Adding(text: "b"), Adding(text: "c")], [Adding(text: "a"), Adding(text: "b"), Adding(text: "c")],
    ]
    for stack in stacks {
      var connection = try Connection("http://h/", adapter: mock, middleware: stack)
      connection.use(Adding(text: "d"))
      _ = try await connection.get()
    }
    #expect(mock.recorded.map(\.request.headers[.accept]) == ["abcd", "abcd", "abcd", "abcd"])
  }

  @Test func `a transformer below a middleware that sends repeatedly changes each request, and sees the adapter`() async throws {
    struct Knowing: RequestTransformer {
      func transformed(_ request: Request, capabilities: Capabilities) -> Request {
        var request = request
        request.headers[.accept] = capabilities == MockAdapter().capabilities ? "known" : "unknown"
        return request
      }
    }
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection(
      "http://h/", adapter: mock,
      middleware: [
        .closure { request, next in
          _ = try await next(request)
          return try await next(request)
        }, Knowing(),
      ])
    _ = try await connection.get()
    #expect(mock.recorded.map(\.request.headers[.accept]) == ["known", "known"])
  }

  @Test func `a transformer's error is thrown without the connection's secrets, and nothing is sent`() async throws {
    let mock = MockAdapter(isStrict: false)
    let seen = Log<String>()
    var connection = try Connection(
      "http://h/", adapter: mock,
      middleware: [
        .closure { request, next in
          do { return try await next(request) } catch {
            seen.append("\(error)")
            throw error
          }
        }, Replacing(), Refusing(),
      ])
    connection.secrets.insert(path: "/bot{token}/")
    let error = await #expect(throws: TransportError.self) { try await connection.get("bothunter2/x") }
    #expect(error?.url == "http://h/bot[secret]/x" && seen.elements == error.map { ["\($0)"] } && mock.recorded.isEmpty)
  }

  @Test func `a request that a transformer creates keeps the connection's state and secrets`() async throws {
    var connection = try Connection(
      "http://h/", adapter: MockAdapter(isStrict: false), middleware: [Replacing(), Adding(text: "a")])
    connection.secrets.insert(path: "/bot{token}/")
    let response = try await connection.get("bothunter2/x")
    #expect(!"\(response)".contains("hunter2"))
  }

  @Test func `a transformer used as a middleware passes the request on`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection(
      "http://h/", adapter: mock, middleware: [.closure { try await Adding(text: "a").handle($0, next: $1) }])
    _ = try await connection.get()
    #expect(mock.recorded.first?.request.headers[.accept] == "a")
  }
}

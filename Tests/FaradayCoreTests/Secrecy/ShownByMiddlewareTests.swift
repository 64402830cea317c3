import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// Responses and errors that a middleware creates lack the connection's secrets. The stack redacts them.
@Suite struct ShownByMiddlewareTests {
  private func connection(_ middleware: any Middleware...) throws -> Connection {
    var connection = try Connection("http://host/", adapter: MockAdapter(), middleware: middleware)
    connection.secrets.insert(path: "/bot{token}/")
    return connection
  }

  @Test func `a response that a middleware creates hides secret path components`() async throws {
    let response = try await connection(.closure { request, _ in Response(status: .ok, url: request.url) }).get("bothunter2/x")
    #expect("\(response)" == "200 http://host/bot[secret]/x (0 headers, 0 bytes)")
  }

  @Test func `a transport error that a middleware throws hides them too, also from the layer above`() async throws {
    let seen = Log<String>()
    let connection = try connection(
      .closure { request, next in
        do { return try await next(request) } catch {
          seen.append("\(error)")
          throw error
        }
      },
      .closure { request, _ in
        throw TransportError(.connectionFailed, phase: .waiting, method: request.method, url: request.url, message: "it is open")
      })
    let error = await #expect(throws: TransportError.self) { try await connection.get("bothunter2/x") }
    #expect(error?.url == "http://host/bot[secret]/x")
    #expect(seen.elements == error.map { ["\($0)"] })
  }

  @Test func `the error of a request body is shown only as its type`() async throws {
    struct Refused: Error { let token = "hunter2" }
    struct Refusing: AsyncSequence, AsyncIteratorProtocol, Sendable {
      func makeAsyncIterator() -> Refusing { self }
      mutating func next() async throws -> Data? { throw Refused() }
    }
    let connection = try connection()
    let error = await #expect(throws: TransportError.self) { try await connection.post("x", body: .stream(Refusing())) }
    #expect(error?.underlying is Refused && error?.message == "the request's body failed: Refused")
  }
}

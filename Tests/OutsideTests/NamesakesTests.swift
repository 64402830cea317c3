import Faraday
import FaradayTesting
import Namesakes
import Testing

/// Names that Faraday shares with another module that the file imports.
@Suite struct NamesakesTests {
  private struct Stamp: Faraday.Middleware, Namesakes.Middleware {
    func handle(_ request: FaradayRequest, next: Next) async throws -> FaradayResponse {
      var request = request
      request.headers[.accept] = "text/plain"
      return try await next(request)
    }
  }

  private func converted(_ response: FaradayResponse) async throws -> Namesakes.Response {
    Namesakes.Response(text: try await response.text())
  }

  @Test func `types whose names are ambiguous are used by their aliases or the module's name`() async throws {
    let mock = MockAdapter()
    mock.stub {
      $0.headers[.accept] == "text/plain"
    } respond: {
      Faraday.Response(status: .ok, body: "hello", url: $0.url)
    }
    let connection = try Connection("http://host/", adapter: mock, middleware: [Stamp()])
    let request: FaradayRequest = try connection.request(.get, "x")
    #expect(try await converted(connection.send(request)).text == "hello")
  }
}

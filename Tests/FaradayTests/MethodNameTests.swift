import Faraday
import FaradayTesting
import Testing

@Suite struct MethodNameTests {
  private let mock = MockAdapter()

  init() { mock.stub { Response(status: .ok, url: $0.url) } }

  @Test func `a method can be a string, with all arguments of a verb`() async throws {
    let connection = try Connection("http://host/", adapter: mock)
    _ = try await connection.send("PURGE", "a/{id}", variables: ["id": "b/c"], query: ["q": 1], headers: ["X-A": "1"], body: "x")
    _ = try await connection.promise { try await $0.send("PURGE", "a") }.value
    #expect(mock.recorded.map(\.request.method.rawValue) == ["PURGE", "PURGE"])
    let first = try #require(mock.recorded.first)
    #expect(first.request.url.absoluteString == "http://host/a/b%2Fc?q=1")
    #expect(first.request.headers["X-A"] == "1" && String(decoding: first.body, as: UTF8.self) == "x")
    #expect(try connection.request("get").method.rawValue == "get")
  }

  @Test(arguments: ["", "PUR GE", "PURGE\r\nHost: evil", "GÉT"])
  func `an invalid method is an error, and nothing is sent`(name: String) async throws {
    let connection = try Connection("http://host/", adapter: mock)
    let error = await #expect(throws: TransportError.self) { try await connection.send(name, "a") }
    #expect(error?.code == .invalidMethod && error?.url == "http://host/a" && error?.message.contains("\r") == false)
    await #expect(throws: TransportError.self) { try await connection.promise { try await $0.send(name, "a") }.value }
    #expect(mock.recorded.isEmpty)
  }
}

import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// The `User-Agent` that a connection adds.
@Suite struct UserAgentTests {
  private let mock = MockAdapter(isStrict: false)

  private var sent: [String?] { mock.recorded.map { $0.request.headers[.userAgent] } }

  @Test func `a request has the package's name and version as User-Agent, which is part of the request`() async throws {
    let connection = try Connection("http://host/", adapter: mock)
    #expect(try connection.request(.get, "x").headers.map(\.description) == ["User-Agent: faraday/0.1"])
    _ = try await connection.get("x")
    _ = try await connection.get("http://elsewhere/")
    _ = try await connection.run("PURGE", "x")
    _ = try await Connection(adapter: mock).get("http://any/")
    #expect(sent == Array(repeating: "faraday/0.1", count: 4))
  }

  @Test func `a connection replaces the User-Agent, or sends none`() async throws {
    var connection = try Connection("http://host/", headers: [.accept: "a/b"], adapter: mock)
    connection.userAgent = "backup/2.1"
    _ = try await connection.get("x")
    _ = try await connection.get("http://elsewhere/")
    connection.userAgent = nil
    _ = try await connection.get("x")
    #expect(mock.recorded.last?.request.headers == [.accept: "a/b"])
    connection.headers[.userAgent] = "own"
    _ = try await connection.get("x")
    connection.userAgent = "other"
    _ = try await connection.get("x")
    #expect(sent == ["backup/2.1", "backup/2.1", nil, "own", "own"])
  }

  @Test func `a request replaces the User-Agent, or is sent without one`() async throws {
    let connection = try Connection("http://host/", adapter: mock)
    _ = try await connection.get("x", headers: ["User-Agent": "mine"])
    _ = try await connection.get("x") { $0.headers[.userAgent] = "mine" }
    _ = try await connection.get("x") { $0.headers[.userAgent] = nil }
    // A request that was built by hand is sent as it is.
    _ = try await connection.run(Request("http://host/x"))
    #expect(sent == ["mine", "mine", nil, nil])
  }
}

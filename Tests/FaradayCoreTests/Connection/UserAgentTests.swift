import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// The `User-Agent` that a connection adds.
@Suite struct UserAgentTests {
  private let mock = MockAdapter(isStrict: false)

  private var sent: [String?] { mock.recorded.map { $0.request.headers[.userAgent] } }

  @Test func `a request has a User-Agent field with the package's name and version`() async throws {
    let connection = try Connection("http://host/", adapter: mock)
    #expect(try connection.request(.get, "x").headers.map(\.description) == ["User-Agent: faraday/\(packageVersion)"])
    _ = try await connection.get("x")
    _ = try await connection.get("http://elsewhere/")
    _ = try await connection.send("PURGE", "x")
    _ = try await Connection(adapter: mock).get("http://any/")
    #expect(sent == Array(repeating: "faraday/\(packageVersion)", count: 4))
  }

  @Test func `a connection can replace or omit the User-Agent`() async throws {
    var connection = try Connection("http://host/", headers: ["Accept": "a/b"], adapter: mock)
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

  @Test func `a request can replace or omit the User-Agent`() async throws {
    let connection = try Connection("http://host/", adapter: mock)
    _ = try await connection.get("x", headers: ["User-Agent": "mine"])
    _ = try await connection.get("x") { $0.headers[.userAgent] = "mine" }
    _ = try await connection.get("x") { $0.headers[.userAgent] = nil }
    // A request that was built by hand is sent as it is.
    _ = try await connection.send(Request("http://host/x"))
    #expect(sent == ["mine", "mine", nil, nil])
  }
}

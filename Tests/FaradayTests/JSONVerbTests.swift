import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The verbs that send a value as JSON, and bodies of JSON.
@Suite struct JSONVerbTests {
  private struct User: Codable, Sendable, Equatable {
    var name: String
    var id: Int?
  }

  private struct Measure: Encodable {
    let values = [1, Double.nan]
  }

  @Test func `a value that cannot be encoded is an error with the value's type and the request`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection("https://api.test/", adapter: mock)
    let error = await #expect(throws: BodyEncodingError.self) {
      try await connection.put("users/{id}", variables: ["id": 1], json: Measure())
    }
    #expect(error?.type == "Measure" && error?.path == "values.1")
    #expect(error.map { "\($0)".hasPrefix("PUT https://api.test/users/1: cannot encode Measure as the body") } == true)
    let alone = #expect(throws: BodyEncodingError.self) { try Body.json(Measure()) }
    #expect(alone.map { "\($0)".hasPrefix("cannot encode Measure as the body, at `values.1`") } == true)
    #expect(throws: BodyEncodingError.self) { try Body.json(["a": Double.infinity]) }
    #expect(mock.recorded.isEmpty)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a value is sent as JSON with its type by any stack`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url, adapter: tested.adapter)
    let user = User(name: "Ada", id: 1)
    for response in [
      try await connection.post("echo", json: user), try await connection.put("echo", json: user),
      try await connection.patch("echo", json: user), try await connection.post("echo", body: .json(user)),
    ] {
      #expect(try await response.decode(User.self) == user)
    }
    let seen = try await Inspected(connection.post("inspect", json: user))
    #expect(seen.values("Content-Type") == ["application/json"] && seen.bodyText == #"{"id":1,"name":"Ada"}"#)
    let own = try await Inspected(
      connection.patch("inspect", headers: ["Content-Type": "application/merge-patch+json"], json: ["name": "Ada"]))
    #expect(own.values("Content-Type") == ["application/merge-patch+json"])
  }

  @Test func `the caller's encoder is used, and untyped JSON keeps its order unless sorted`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection("https://api.test/", adapter: mock)
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    struct Login: Encodable { let userName = 1 }
    _ = try await connection.post("x", json: Login(), encoder: encoder)
    _ = try await connection.post("x", json: ["b": 1, "a": "x"] as JSONValue)
    _ = try await connection.post("x", body: .json(["b": 1, "a": "x"]))
    #expect(
      mock.recorded.map { String(decoding: $0.body, as: UTF8.self) }
        == [#"{"user_name":1}"#, #"{"a":"x","b":1}"#, #"{"b":1,"a":"x"}"#])
  }
}

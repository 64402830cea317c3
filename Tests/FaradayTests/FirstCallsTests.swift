import Faraday
import FaradayTesting
import TestSupport
import Testing

/// The calls that a newcomer types first, without a type annotation. Each must compile as it stands.
@Suite struct FirstCallsTests {
  private struct User: Codable, Equatable {
    var name: String
    var age: Int
  }

  private let mock = MockAdapter(isStrict: false)

  private func connection() throws -> Connection { try Connection("https://api.test/", adapter: mock) }

  private var bodies: [String] { mock.recorded.map { String(decoding: $0.body, as: UTF8.self) } }

  @Test func `a streamed body needs no closure`() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    for tested in TestedAdapter.allCases {
      let api = try Connection(server.url, adapter: tested.adapter)
      var size = 0
      for try await piece in try await api.stream("bytes/{count}", variables: ["count": 100_000], timeout: .seconds(60)).body {
        size += piece.count
      }
      #expect(size == 100_000)
      let posted = try await api.stream("echo", method: .post, body: "x") { $0.headers[.accept] = "text/plain" }
      #expect(posted.body.isStreamed && posted.status == .ok)
    }
  }

  @Test func `a JSON body can be a literal of mixed values, a dictionary or a value`() async throws {
    let api = try connection()
    let (name, age, tags): (String, Int?, [String]) = ("Ada", nil, ["a", "b"])
    _ = try await api.post("users", json: ["name": "x", "age": 3])
    _ = try await api.post("users", json: ["name": "x"])
    _ = try await api.post("users", json: ["name": name, "age": age, "tags": tags, "ratio": 0.5, "isNew": true, "nick": nil])
    _ = try await api.post("users", json: User(name: name, age: 36))
    _ = try await api.post("users", json: [User(name: name, age: 36)])
    _ = try await api.post(
      "chat", json: ["model": "m", "stream": true, "messages": [["role": "user", "content": "hello \(name)"]]])
    _ = try await api.put("users/{id}", variables: ["id": 7], json: ["name": name, "age": name.count * 12])
    _ = try await api.patch("users/7", json: ["age": 37, "name": nil]) { $0.options.timeouts.connect = .seconds(1) }
    _ = try await api.post("users", body: .json(["name": "x", "age": 3]))
    _ = try await api.post("login", body: .form(["user": name, "attempt": 2]))
    #expect(
      bodies == [
        #"{"age":3,"name":"x"}"#, #"{"name":"x"}"#,
        #"{"age":null,"isNew":true,"name":"Ada","nick":null,"ratio":0.5,"tags":["a","b"]}"#, #"{"age":36,"name":"Ada"}"#,
        #"[{"age":36,"name":"Ada"}]"#, #"{"messages":[{"content":"hello Ada","role":"user"}],"model":"m","stream":true}"#,
        #"{"age":36,"name":"Ada"}"#, #"{"age":37,"name":null}"#, #"{"name":"x","age":3}"#, "user=Ada&attempt=2",
      ])
    let types = Set(mock.recorded.dropLast().map { $0.request.headers[.contentType] })
    #expect(types == ["application/json"])
  }

  @Test func `arrays, scalars and empty literals are JSON bodies`() async throws {
    let api = try connection()
    let (dictionary, value): ([String: String], any Encodable & Sendable) = (["b": "1", "a": "2"], User(name: "x", age: 3))
    let untyped: JSONValue = ["b": 1, "a": "x"]
    _ = try await api.post("x", json: [1, 2, 3])
    _ = try await api.post("x", json: [1, "a", nil])
    _ = try await api.post("x", json: [])
    _ = try await api.post("x", json: [:])
    _ = try await api.post("x", json: nil)
    _ = try await api.post("x", json: "text")
    _ = try await api.post("x", json: ["a": 1, "b": 2.5])
    _ = try await api.post("x", json: ["list": ["inner": ["deep": [1, 2]]], "n": 3])
    _ = try await api.post("x", json: dictionary)
    _ = try await api.post("x", json: value)
    _ = try await api.post("x", json: untyped, encoder: JSONEncoder())
    #expect(
      bodies == [
        "[1,2,3]", #"[1,"a",null]"#, "[]", "{}", "null", #""text""#, #"{"a":1,"b":2.5}"#,
        #"{"list":{"inner":{"deep":[1,2]}},"n":3}"#, #"{"a":"2","b":"1"}"#, #"{"age":3,"name":"x"}"#, #"{"b":1,"a":"x"}"#,
      ])
  }

  @Test func `promises and typed requests accept the same literals`() async throws {
    let api = try connection()
    _ = try await api.promise.post("users", json: ["name": "x", "age": 3]).value
    _ = try await api.promise.put("users", json: ["name": "x"]).value
    _ = try await api.promise.patch("users", json: ["name": "x", "age": nil]).value
    _ = try await api.promise.post("users", json: User(name: "x", age: 3)).value
    let bodyProviders: [BodyProvider] = [.json(["name": "x", "age": 3]), .json(["name": "x"]), .json(User(name: "x", age: 3))]
    for provider in bodyProviders {
      var headers: HTTPFields = [:]
      _ = try await api.post("users", body: provider.body(updating: &headers))
    }
    let (mixed, uniform) = (#"{"age":3,"name":"x"}"#, #"{"name":"x"}"#)
    #expect(bodies == [mixed, uniform, #"{"age":null,"name":"x"}"#, mixed, mixed, uniform, mixed])
  }
}

import FaradayCoding
import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct DecodingTests {
  struct User: Decodable {
    let name: String
    let age: Int
  }

  struct Page: Decodable { let users: [User] }

  private func response(_ text: String) throws -> Response {
    Response(status: .ok, body: .text(text), url: try #require(URL(string: "http://user:pw@host/users?token=hidden")))
  }

  @Test(arguments: [
    (#"{"users": [{"name": "a", "age": 1}, {"name": "b"}]}"#, "users.1.age", "`users.1.age` is missing"),
    (#"{"users": [{"name": "a", "age": "old"}]}"#, "users.0.age", "`users.0.age` is not of type Int"),
    (#"{"users": [{"name": null, "age": 1}]}"#, "users.0.name", "`users.0.name` is null, expected String"),
    (#"{"users": 1}"#, "users", "`users` is not of type Array"),
    ("{", "", "the body is not valid"), ("", "", "the body is empty"),
  ])
  func `a decoding error names the field, the type and the response, and shows none of the body`(
    text: String, path: String, reason: String
  ) async throws {
    let response = try response(text)
    let error = await #expect(throws: BodyDecodingError.self) { try await response.decode(Page.self) }
    let shown = error.map { "\($0)" } ?? ""
    #expect(error?.path == path && error?.type == "Page")
    #expect(
      shown.hasPrefix("http://host/users: cannot decode Page from the 200 response (no Content-Type): ") && shown.contains(reason)
    )
    #expect(!shown.contains("pw") && !shown.contains("hidden"))
  }

  @Test func `a decoding error names the method and the content type wherever the response is decoded`() async throws {
    let mock = MockAdapter()
    try mock.stub(.post, path: "/a", headers: [.contentType: "text/html; charset=utf-8"], body: "<html>")
    try mock.stub(.get, path: "/b", body: "<html>")
    try mock.stub(.get, path: "/c", headers: [.contentType: "text/\u{202E}[31m" + String(repeating: "x", count: 500)], body: "1")
    let connection = try Connection("http://host/", adapter: mock)
    func shown(_ response: Response) async -> String? {
      let error = await #expect(throws: BodyDecodingError.self) { try await response.decode([Int].self) }
      return error.map { "\($0)" }
    }
    let html = try await shown(connection.post("a"))
    #expect(
      html == "POST http://host/a: cannot decode Array<Int> from the 200 response (text/html; charset=utf-8): "
        + "the body is not valid")
    let plain = try await shown(connection.get("b"))
    #expect(
      plain == "GET http://host/b: cannot decode Array<Int> from the 200 response (no Content-Type): the body is not valid")
    let hostile = try await shown(connection.get("c"))
    #expect(hostile.map { !$0.unicodeScalars.contains("\u{202E}") && $0.utf8.count < 300 } == true)
    let stacked = try await shown(Stack([], adapter: mock).send(Request("http://host/b")))
    #expect(stacked == plain)
  }

  @Test func `invalid untyped JSON has its position in the error`() async throws {
    let response = try response(#"{"token": "hidden",}"#)
    let error = await #expect(throws: BodyDecodingError.self) { try await response.decode(JSONValue.self) }
    #expect(
      error.map { "\($0)" }
        == "http://host/users: cannot decode JSONValue from the 200 response (no Content-Type): "
        + "invalid JSON at line 1, column 20 (byte 19): expected a member name in double quotes")
    #expect((error?.underlying as? JSONError)?.reason == .expectedName)
  }

  @Test(arguments: [[0x1F, 0x8B, 0x08, 0x00], [0x78, 0x9C, 0x01], [0x28, 0xB5, 0x2F, 0xFD], [0x0B, 0x02, 0x80]] as [[UInt8]])
  func `a body that is still encoded is an error with its coding`(bytes: [UInt8]) async throws {
    let pieces = AsyncStream {
      $0.yield(Data(bytes))
      $0.finish()
    }
    for body in [Body.data(Data(bytes)), .stream(pieces)] {
      var response = try response("")
      response.body = body
      response.headers[.contentEncoding] = "gzip"
      let error = await #expect(throws: BodyDecodingError.self) { try await response.decode([Int].self) }
      #expect(error?.path == "")
      #expect(
        error.map { "\($0)" }
          == #"http://host/users: cannot decode Array<Int> from the 200 response (no Content-Type): the body is still compressed: "#
          + #"its Content-Encoding is "gzip", and the request did not ask for decompression"#)
    }
  }

  @Test func `a decoded body keeps its Content-Encoding, and the error has another reason`() async throws {
    for coding in ["gzip", "identity", "Identity"] {
      var response = try response("[1,")
      response.headers[.contentEncoding] = coding
      let error = await #expect(throws: BodyDecodingError.self) { try await response.decode(JSONValue.self) }
      #expect(error.map { "\($0)" }?.hasSuffix("unexpected end of the text") == true)
      response.body = .data(Data([0xFF]))
      let other = await #expect(throws: BodyDecodingError.self) { try await response.decode(JSONValue.self) }
      #expect(other.map { "\($0)".contains("Content-Encoding") } == (coding == "gzip"))
    }
  }

  @Test func `untyped JSON is read by its own parser`() async throws {
    let text = #"{"b":[1.50,123456789012345678901234567890],"a":1}"#
    #expect(try await response(text).decode(JSONValue.self).text() == text)
    #expect(try await response(text).decode(JSONValue?.self)?.text() == text)
    #expect(try await response("").decode(JSONValue?.self) == nil)
    #expect(try await response("null").decode(JSONValue?.self) == .null)
    await #expect(throws: BodyDecodingError.self) { try await response("").decode(JSONValue.self) }
  }

  @Test func `a duplicate name has the same value in untyped JSON and in a decoded type`() async throws {
    struct Account: Decodable { let role: String }
    struct Box: Decodable { let account: JSONValue }
    // More members than are searched linearly, too.
    for count in [0, 40] {
      let others = (0..<count).map { "\"m\($0)\":0," }.joined()
      let object = #"{\#(others)"role":"user","role":"admin","r\u006fle":"owner"}"#
      #expect(try await response(object).decode(JSONValue.self)["role"] == "user")
      #expect(try await response(object).decode(Account.self).role == "user")
      #expect(try await response(#"{"account":\#(object)}"#).decode(Box.self).account["role"] == "user")
      #expect(try await response(#"{"role":"user","role":"admin"}"#).decode([String: String].self) == ["role": "user"])
    }
  }

  @Test func `duplicate names are a decoding error if the call rejects them`() async throws {
    let twice = try response(#"{"users":[{"name":"a","age":1,"name":"b"}]}"#)
    let error = await #expect(throws: BodyDecodingError.self) { try await twice.decode(Page.self, rejectsDuplicateNames: true) }
    #expect(error.map { "\($0)" }?.hasSuffix("invalid JSON at line 1, column 31 (byte 30): duplicate member name") == true)
    await #expect(throws: BodyDecodingError.self) { try await twice.decode(JSONValue?.self, rejectsDuplicateNames: true) }
    #expect(try await twice.decode(Page.self).users.map(\.name) == ["a"])
    let once = try response(#"{"users":[{"name":"a","age":1},{"name":"b","age":2}]}"#)
    #expect(try await once.decode(Page.self, rejectsDuplicateNames: true).users.map(\.name) == ["a", "b"])
    #expect(try await response("").decode(Page?.self, rejectsDuplicateNames: true) == nil)
  }

  @Test func `a body decodes to a value`() async throws {
    #expect(try await response(#"{"name": "Ada", "age": 36}"#).decode(User.self).name == "Ada")
    let numbers: [Int] = try await response("[1,2]").decode()
    #expect(numbers == [1, 2])
    await #expect(throws: BodyError(.tooLarge(limit: 3))) { try await response("[1,2]").decode([Int].self, upTo: 3) }
  }
}

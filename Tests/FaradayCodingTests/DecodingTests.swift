import FaradayCoding
import FaradayCore
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
    (#"{"users": [{"name": "a", "age": 1}, {"name": "b"}]}"#, "users.1.age", "missing"),
    (#"{"users": [{"name": "a", "age": "old"}]}"#, "users.0.age", "no Int"),
    (#"{"users": [{"name": null, "age": 1}]}"#, "users.0.name", "null"), (#"{"users": 1}"#, "users", "no Array"),
    ("{", "", ""), ("", "", ""),
  ])
  func `an error names the field, the type and the response, and shows none of it`(
    text: String, path: String, reason: String
  ) async throws {
    let response = try response(text)
    let error = await #expect(throws: UndecodableBody.self) { try await response.decode(Page.self) }
    let shown = error.map { "\($0)" } ?? ""
    #expect(error?.path == path && error?.type == "Page")
    #expect(shown.hasPrefix("http://host/users: the body of the 200 is no Page") && shown.contains(reason))
    #expect(!shown.contains("pw") && !shown.contains("hidden"))
  }

  @Test func `a body is a value`() async throws {
    #expect(try await response(#"{"name": "Ada", "age": 36}"#).decode(User.self).name == "Ada")
    let numbers: [Int] = try await response("[1,2]").decode()
    #expect(numbers == [1, 2])
    await #expect(throws: BodyTooLarge.self) { try await response("[1,2]").decode([Int].self, upTo: 3) }
  }
}

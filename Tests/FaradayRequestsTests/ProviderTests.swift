import FaradayCoding
import FaradayCore
import FaradayRequests
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ProviderTests {
  private func headers(after authentication: AuthenticationProvider, _ headers: HTTPFields = [:]) throws -> HTTPFields {
    var headers = headers
    try authentication.update(&headers)
    return headers
  }

  @Test func `credentials with a line break are refused`() {
    #expect(throws: InvalidHeader.self) { try headers(after: .credentials(.bearer("a\r\nX-Evil: 1"))) }
    #expect(throws: InvalidHeader.self) { try headers(after: .credentials(.basic(user: "a:b", password: "c"))) }
  }

  @Test func `RQ-01 no authentication keeps an Authorization that is there`() throws {
    #expect(try headers(after: .none, [.authorization: "mine"])[.authorization] == "mine")
  }

  @Test func `RQ-02 a bearer token`() throws {
    #expect(try headers(after: .credentials(.bearer("test-token")))[.authorization] == "Bearer test-token")
  }

  @Test func `RQ-03 a user and a password`() throws {
    #expect(
      try headers(after: .credentials(.basic(user: "user", password: "password")))[.authorization]
        == "Basic dXNlcjpwYXNzd29yZA==")
  }

  @Test func `RQ-04 and RQ-05 without a body there is none, and a Content-Type that somebody set stays`() throws {
    var headers: HTTPFields = [.contentType: "text/csv"]
    #expect(try BodyProvider.none.body(updating: &headers).isEmpty)
    #expect(headers[.contentType] == "text/csv")
  }

  @Test func `RQ-06 and RQ-07 bytes are sent as they are, with their type`() throws {
    var headers: HTTPFields = [:]
    let bytes = Data([0, 1, 2])
    #expect(try BodyProvider.data(bytes, contentType: .text).body(updating: &headers).data == bytes)
    #expect(headers[.contentType] == "text/plain; charset=utf-8")
    headers = [:]
    _ = try BodyProvider.data(bytes).body(updating: &headers)
    #expect(headers[.contentType] == "application/octet-stream")
  }

  @Test func `RQ-08 and RQ-09 a stream is sent as it comes, with its type`() async throws {
    var headers: HTTPFields = [:]
    let body = try BodyProvider.body(.stream(Pieces("a", "b")), contentType: .binary).body(updating: &headers)
    #expect(headers[.contentType] == "application/octet-stream")
    #expect(body.isStreamed)
    #expect(try await body.text() == "ab")
  }

  @Test func `RQ-10 and RQ-11 text is UTF-8`() throws {
    var headers: HTTPFields = [:]
    #expect(try BodyProvider.text("żółw").body(updating: &headers).data == Data("żółw".utf8))
    #expect(headers[.contentType] == "text/plain; charset=utf-8")
  }

  @Test func `RQ-12 and RQ-13 JSON is the encoder's bytes`() throws {
    var headers: HTTPFields = [:]
    #expect(try BodyProvider.json(["b": 1, "a": 2]).body(updating: &headers).data == Data(#"{"a":2,"b":1}"#.utf8))
    #expect(headers[.contentType] == "application/json")
  }

  @Test func `a value that cannot be encoded touches no header, and the error names its place and the request`() throws {
    struct Reading: Encodable {
      struct Point: Encodable { let value: Double }
      let points: [Point]
    }
    let reading = Reading(points: [.init(value: 1), .init(value: .nan)])
    struct Wrong: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "wrong"))
      }
    }
    for body in [BodyProvider.json(reading), .form(["user": Wrong()]), .multipart(["user": Wrong()])] {
      var headers: HTTPFields = [:]
      #expect(throws: (any Error).self) { try body.body(updating: &headers) }
      #expect(headers.isEmpty)
    }
    let error = #expect(throws: UnencodableBody.self) {
      try TypedRequest(.put, baseURL: "https://example.com", endpoint: "readings").sending(.json(reading)).request()
    }
    #expect(error?.path == "points.1.value")
    #expect(
      error?.description.hasPrefix("PUT https://example.com/readings: cannot encode Reading as the body, at `points.1.value`")
        == true)
  }

  @Test func `a file that is not there fails when the request is made, and the error names both`() {
    let error = #expect(throws: UnencodableBody.self) {
      try TypedRequest(.put, baseURL: "https://example.com").sending(.file("/nowhere.json")).request()
    }
    #expect(error?.underlying is BodyFile.Unreadable)
    #expect(error?.description.hasPrefix("PUT https://example.com: ") == true)
    #expect(error?.description.contains("/nowhere.json") == true)
  }

  @Test func `what an encoder or a type says of a value is not shown, nor may a key end the line`() {
    struct Card: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "card 4111"))
      }
    }
    let error = #expect(throws: UnencodableBody.self) {
      try TypedRequest(.put, baseURL: "https://example.com").sending(.json(["a\nb": Card()])).request()
    }
    #expect(
      error.map { "\($0)" }
        == #"PUT https://example.com: cannot encode Dictionary<String, Card> as the body, at `a\nb`: this Card cannot be encoded"#
    )
  }

  @Test func `a file has the type of its name, or none that is known`() throws {
    let path = FileManager.default.temporaryDirectory.path() + "/faraday-\(UUID().uuidString)"
    for (ending, type) in [(".CSV", "text/csv"), (".unheard", "application/octet-stream")] {
      try Data("a,b".utf8).write(to: URL(filePath: path + ending))
      defer { try? FileManager.default.removeItem(atPath: path + ending) }
      var headers: HTTPFields = [:]
      #expect(try BodyProvider.file(path + ending).body(updating: &headers).length == 3)
      #expect(headers[.contentType] == type)
    }
  }

  @Test func `a provider of one's own that fails leaves the fields as they were`() {
    struct Refused: Error {}
    let provider = BodyProvider { headers in
      headers[.contentType] = "text/csv"
      headers[.accept] = nil
      throw Refused()
    }
    var headers: HTTPFields = [.accept: "a"]
    #expect(throws: Refused.self) { try provider.body(updating: &headers) }
    #expect(headers == [.accept: "a"])
  }

  @Test func `a file has the type that is given`() async throws {
    let file = try TemporaryFile(Data("{}".utf8))
    let request = try TypedRequest(.put, baseURL: "https://example.com").sending(.file(file.path, contentType: .json)).request()
    #expect(request.headers[.contentType] == "application/json")
    #expect(try await request.body.text() == "{}")
  }

  @Test func `forms have their type, and only that with files replaces one that is set`() async throws {
    var headers: HTTPFields = [:]
    #expect(try BodyProvider.form(["a": "1 2"]).body(updating: &headers).data == Data("a=1%202".utf8))
    #expect(headers[.contentType] == "application/x-www-form-urlencoded")
    let items: QueryParameters = ["a": "1", "a": "2"]
    #expect(try BodyProvider.form(items).body(updating: &headers).data == Data("a=1&a=2".utf8))
    var form = MultipartForm()
    form.add("a", "1")
    #expect(try await BodyProvider.multipart(form).body(updating: &headers).text().contains("name=\"a\""))
    #expect(headers[.contentType] == form.contentType.description)
    headers = [.contentType: "text/csv"]
    _ = try BodyProvider.json([1]).body(updating: &headers)
    #expect(headers[.contentType] == "text/csv")
    _ = try BodyProvider.multipart(["a": 1]).body(updating: &headers)
    #expect(headers.contentType == .multipartForm)
  }
}

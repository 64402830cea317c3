import Faraday
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ProviderTests {
  private func headers(after authentication: CredentialsProvider, _ headers: HTTPFields = [:]) throws -> HTTPFields {
    var headers = headers
    try authentication.update(&headers)
    return headers
  }

  @Test func `credentials with a line break are refused`() {
    #expect(
      #expect(throws: InvalidValueError.self) { try headers(after: .credentials(.bearer("a\r\nX-Evil: 1"))) }?.kind == .header)
    #expect(
      #expect(throws: InvalidValueError.self) { try headers(after: .credentials(.basic(user: "a:b", password: "c"))) }?.kind
        == .header)
  }

  @Test func `RQ-01: no authentication keeps an existing Authorization`() throws {
    #expect(try headers(after: .none, [.authorization: "mine"])[.authorization] == "mine")
  }

  @Test func `RQ-02: a bearer token is sent as Authorization`() throws {
    #expect(try headers(after: .credentials(.bearer("test-token")))[.authorization] == "Bearer test-token")
  }

  @Test func `RQ-03: a user and a password are sent as Basic credentials`() throws {
    #expect(
      try headers(after: .credentials(.basic(user: "user", password: "password")))[.authorization]
        == "Basic dXNlcjpwYXNzd29yZA==")
  }

  @Test func `RQ-04, RQ-05: without a body an existing Content-Type is kept`() throws {
    var headers: HTTPFields = [.contentType: "text/csv"]
    #expect(try BodyProvider.none.body(updating: &headers).isEmpty)
    #expect(headers[.contentType] == "text/csv")
  }

  @Test func `RQ-06, RQ-07: bytes are sent unchanged with their type`() throws {
    var headers: HTTPFields = [:]
    let bytes = Data([0, 1, 2])
    #expect(try BodyProvider.data(bytes, contentType: .text).body(updating: &headers).data == bytes)
    #expect(headers[.contentType] == "text/plain; charset=utf-8")
    headers = [:]
    _ = try BodyProvider.data(bytes).body(updating: &headers)
    #expect(headers[.contentType] == "application/octet-stream")
  }

  @Test func `RQ-08, RQ-09: a stream is sent with its type`() async throws {
    var headers: HTTPFields = [:]
    let body = try BodyProvider.body(.stream(Pieces("a", "b")), contentType: .binary).body(updating: &headers)
    #expect(headers[.contentType] == "application/octet-stream")
    #expect(body.isStreamed)
    #expect(try await body.utf8Text() == "ab")
  }

  @Test func `RQ-10, RQ-11: text is sent as UTF-8`() throws {
    var headers: HTTPFields = [:]
    #expect(try BodyProvider.text("żółw").body(updating: &headers).data == Data("żółw".utf8))
    #expect(headers[.contentType] == "text/plain; charset=utf-8")
  }

  @Test func `RQ-12, RQ-13: JSON is sent as the encoder wrote it`() throws {
    var headers: HTTPFields = [:]
    #expect(try BodyProvider.json(["b": 1, "a": 2]).body(updating: &headers).data == Data(#"{"a":2,"b":1}"#.utf8))
    #expect(headers[.contentType] == "application/json")
  }

  @Test func `a value that cannot be encoded changes no header, and the error names the field and the request`() throws {
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
    let error = #expect(throws: BodyEncodingError.self) {
      try TypedRequest(.put, baseURL: "https://example.com", endpoint: "readings").sending(.json(reading)).request()
    }
    #expect(error?.path == "points.1.value")
    #expect(
      error?.description.hasPrefix("PUT https://example.com/readings: cannot encode Reading as the body, at `points.1.value`")
        == true)
  }

  @Test func `a missing file is an error that names the file and the request`() {
    let error = #expect(throws: BodyEncodingError.self) {
      try TypedRequest(.put, baseURL: "https://example.com").sending(.file("/nowhere.json")).request()
    }
    #expect((error?.underlying as? BodyError)?.isUnreadable == true)
    #expect(error?.description.hasPrefix("PUT https://example.com: ") == true)
    #expect(error?.description.contains("/nowhere.json") == true)
  }

  @Test func `the error of an encoder shows no value, and keys are escaped`() {
    struct Card: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: "card 4111"))
      }
    }
    let error = #expect(throws: BodyEncodingError.self) {
      try TypedRequest(.put, baseURL: "https://example.com").sending(.json(["a\nb": Card()])).request()
    }
    #expect(
      error.map { "\($0)" }
        == #"PUT https://example.com: cannot encode Dictionary<String, Card> as the body, at `a\nb`: this Card cannot be encoded"#
    )
  }

  @Test func `a file's type is derived from its extension`() throws {
    let path = FileManager.default.temporaryDirectory.path() + "/faraday-\(UUID().uuidString)"
    for (ending, type) in [(".CSV", "text/csv"), (".unheard", "application/octet-stream")] {
      try Data("a,b".utf8).write(to: URL(filePath: path + ending))
      defer { try? FileManager.default.removeItem(atPath: path + ending) }
      var headers: HTTPFields = [:]
      #expect(try BodyProvider.file(path + ending).body(updating: &headers).length == 3)
      #expect(headers[.contentType] == type)
    }
  }

  @Test func `a failing custom provider does not change the header fields`() {
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

  @Test func `an explicit type of a file is sent`() async throws {
    let file = try TemporaryFile(Data("{}".utf8))
    let request = try TypedRequest(.put, baseURL: "https://example.com").sending(.file(file.path, contentType: .json)).request()
    #expect(request.headers[.contentType] == "application/json")
    #expect(try await request.body.utf8Text() == "{}")
  }

  @Test func `forms set their Content-Type, and only a multipart form replaces an existing one`() async throws {
    var headers: HTTPFields = [:]
    #expect(try BodyProvider.form(["a": "1 2"]).body(updating: &headers).data == Data("a=1%202".utf8))
    #expect(headers[.contentType] == "application/x-www-form-urlencoded")
    let items: QueryParameters = ["a": "1", "a": "2"]
    #expect(try BodyProvider.form(items).body(updating: &headers).data == Data("a=1&a=2".utf8))
    var form = MultipartForm()
    form.append(name: "a", value: "1")
    #expect(try await BodyProvider.multipart(form).body(updating: &headers).utf8Text().contains("name=\"a\""))
    #expect(headers[.contentType] == form.contentType.description)
    headers = [.contentType: "text/csv"]
    _ = try BodyProvider.json([1]).body(updating: &headers)
    #expect(headers[.contentType] == "text/csv")
    _ = try BodyProvider.multipart(["a": 1]).body(updating: &headers)
    #expect(headers.contentType == .multipartForm)
  }
}

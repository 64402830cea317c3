import Faraday
import FaradayHAL
import FaradayTesting
import FoundationEssentials
import TestSupport
import Synchronization
import Testing

@Suite struct MiddlewareTests {
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func connection(
    _ tested: TestedAdapter, headers: KeyValuePairs<String, String> = [:], _ middleware: any Middleware...
  ) throws -> Connection {
    try Connection(server.url + "/", headers: headers, adapter: tested.adapter, middleware: middleware)
  }

  private let order = Representation(properties: ["total": 30]).with(rel: "self", href: "/orders/1")

  // MARK: reading

  @Test(arguments: TestedAdapter.allCases, ["[]", "{", "1", "", #"{"_links": []}"#])
  func `a body that is not HAL has no representation, and the error has the reason`(
    tested: TestedAdapter, body: String
  ) async throws {
    let connection = try connection(tested, .halDecoding)
    let response = try await connection.post("echo", body: .text(body)) { $0.headers[.contentType] = "application/hal+json" }
    #expect(response.representation == nil && response.body.data == Data(body.utf8))
    let error = await #expect(throws: BodyDecodingError.self) { try await response.decodeRepresentation() }
    #expect(error?.type == "Representation")
    if body.contains("_links") {
      #expect(
        error.map { "\($0)" }
          == "POST \(server.url)/echo: cannot decode Representation from the 200 response (application/hal+json): `_links`: it is not an object"
      )
    }
  }

  @Test func `a body that can be read once is read once and fails once`() {
    struct Failed: Error {}
    let count = Mutex(0)
    let failing = ReadOnce<Int> { _ in
      count.withLock { $0 += 1 }
      throw Failed()
    }
    for _ in 0..<3 { #expect(throws: Failed.self) { try failing.result(of: Data()).get() } }
    #expect(count.withLock { $0 } == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a body of another type is unchanged`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .halDecoding)
    for type in ["text/plain", "application/hal+xml", "nonsense"] {
      let response = try await connection.post("echo", body: "{}") { $0.headers[.contentType] = type }
      #expect(response.representation == nil)
      #expect(try await response.decodeRepresentation() == Representation())
    }
    #expect(try await connection.get("status/204").representation == nil)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `HAL is recognized in any letter case and with parameters`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .halDecoding)
    for type in [
      "application/hal+json", "Application/HAL+JSON; charset=utf-8", "application/json", "application/vnd.shop.hal+json",
      "application/vnd.shop+json; v=2",
    ] {
      let response = try await connection.post("echo", body: #"{"_links": {"self": {"href": "/"}}}"#) {
        $0.headers[.contentType] = type
      }
      #expect(response.representation?.selfLink?.href == "/")
    }
    let only = try self.connection(tested, .halDecoding(types: [.hal]))
    for (type, isRead) in [
      ("application/json", false), ("application/vnd.shop+json", false), ("application/vnd.shop.hal+json", true),
    ] {
      let response = try await only.post("echo", body: "{}") { $0.headers[.contentType] = type }
      #expect((response.representation != nil) == isRead)
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a streamed body is not parsed automatically, but can be`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .halDecoding, .halEncoding)
    let response = try await connection.post("echo", body: .hal(order)) { $0.options.delivery = .streamed }
    #expect(response.representation == nil)
    #expect(try await response.decodeRepresentation() == order)
    let limited = try await connection.post("echo", body: .hal(order)) { $0.options.delivery = .streamed }
    await #expect(throws: BodyError(.tooLarge(limit: 3))) { try await limited.decodeRepresentation(upTo: 3) }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `HA-05: HAL and JSON are added once after the caller's Accept`(tested: TestedAdapter) async throws {
    let home = try connection(tested, headers: ["Accept": "application/json"], .halDecoding)
    let seen = try await Inspected(home.get("inspect"))
    #expect(seen.values("Accept") == ["application/json, application/hal+json"])
    let bare = try connection(tested, .halDecoding, .halDecoding, .jsonDecoding)
    #expect(try await Inspected(bare.get("inspect")).values("Accept") == ["application/hal+json, application/json"])
    let weighed = try await Inspected(bare.get("inspect") { $0.headers[.accept] = "Application/HAL+JSON;q=0.5, text/html" })
    #expect(weighed.values("Accept") == ["Application/HAL+JSON;q=0.5, text/html, application/json"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `HA-01: a GET and its response pass unchanged`(tested: TestedAdapter) async throws {
    let pages = try PageServer()
    let body = #"{"message": "none"}"#
    let type = MediaType("application", "hal+json")
    pages.add("/", PageServer.Page(.text(body, type: type, status: .notFound, headers: [.vary: "Accept"])))
    let connection = try Connection(pages.url + "/", adapter: tested.adapter, middleware: [.halEncoding, .halDecoding])
    let response = try await connection.get()
    #expect(pages.requests == ["GET /"])
    #expect(pages.values("Content-Type") == [nil] && pages.values("Content-Length") == [nil])
    #expect(response.status == .notFound && response.url.absoluteString == pages.url + "/")
    #expect(response.headers[.contentType] == "application/hal+json" && response.headers[.vary] == "Accept")
    #expect(response.body.data == Data(body.utf8))
    #expect(response.representation?.properties["message"] == "none")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a number keeps its digits`(tested: TestedAdapter) async throws {
    struct Counted: Decodable { let count: UInt64 }
    let connection = try connection(tested, .halDecoding)
    let body = #"{"count": \#(UInt64.max)}"#
    let response = try await connection.post("echo", body: .text(body)) { $0.headers[.contentType] = "application/hal+json" }
    let representation = try #require(response.representation)
    #expect(representation.properties["count"] == .int(UInt64.max))
    #expect(try representation.decode(Counted.self).count == UInt64.max)
  }

  // MARK: writing

  @Test(arguments: TestedAdapter.allCases)
  func `a representation that cannot be encoded is an error, and nothing is sent`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .halEncoding)
    let error = await #expect(throws: BodyEncodingError.self) {
      try await connection.post("inspect?token=hidden", body: .hal(Representation(properties: ["rate": Double.nan])))
    }
    #expect(error?.type == "Representation")
    #expect(
      error.map { "\($0)".hasPrefix("POST \(server.url)/inspect?token=[secret]: cannot encode Representation as the body") }
        == true)
    let forgotten = await #expect(throws: TransportError.self) {
      try await self.connection(tested, .jsonEncoding, .formEncoding, .multipart).post("inspect", body: .hal(order))
    }
    #expect(forgotten?.code == .invalidBody && server.requestCount == 0)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `HA-02: a representation is sent as HAL, and other bodies are unchanged`(tested: TestedAdapter) async throws {
    // A representation is not Encodable, so the order of the middleware does not matter.
    let connection = try connection(tested, .jsonEncoding, .halEncoding, .halDecoding)
    let seen = try await Inspected(connection.post("inspect", body: .hal(order)))
    #expect(seen.method == "POST" && seen.values("Content-Type") == ["application/hal+json"])
    #expect(seen.bodyText == #"{"_links":{"self":{"href":"/orders/1"}},"total":30}"#)
    #expect(try await connection.post("echo", body: .hal(order)).representation == order)
    let value = try await Inspected(connection.post("inspect", body: .encodable(["a": 1])))
    #expect(value.bodyText == #"{"a":1}"# && value.values("Content-Type") == ["application/json"])
    let text = try await Inspected(connection.post("inspect", body: "{"))
    #expect(text.bodyText == "{" && text.values("Content-Type").isEmpty)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the caller's content type is kept, and the representation is still encoded`(tested: TestedAdapter) async throws {
    let connection = try connection(tested, .halEncoding)
    let seen = try await Inspected(
      connection.post("inspect", body: .hal(order)) { $0.headers[.contentType] = "application/vnd.orders+json" })
    #expect(seen.values("Content-Type") == ["application/vnd.orders+json"] && seen.bodyText?.isEmpty == false)
    let pretty = JSONEncoder()
    pretty.outputFormatting = [.prettyPrinted, .sortedKeys]
    let other = try await Inspected(
      self.connection(tested, .halEncoding(pretty)).post("inspect", body: .hal(Representation(properties: ["a": 1]))))
    #expect(other.bodyText?.contains("\n") == true)
  }
}

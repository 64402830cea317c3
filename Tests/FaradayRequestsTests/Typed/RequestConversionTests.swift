import Faraday
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct RequestConversionTests {
  private func url(_ base: String, _ endpoint: String, query: QueryParameters = [:]) throws -> String {
    try TypedRequest(baseURL: base, endpoint: endpoint).with(query: query).request().url.absoluteString
  }

  @Test(arguments: ["", "no url", "http://", "http://[", "users"]) func `a base URL that is not absolute is rejected`(
    base: String
  )
    async
  {
    let connection = Connection(adapter: MockAdapter())
    let error = await #expect(throws: TransportError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: base, endpoint: "host"))
    }
    #expect(error?.code == .invalidURL)
    // Before any middleware sees it.
    #expect(throws: TransportError.self) { try TypedRequest(baseURL: base, endpoint: "host").request() }
  }

  @Test func `RQ-30, RQ-31: an empty endpoint does not change the base URL`() throws {
    #expect(try url("https://example.com/api/", "") == "https://example.com/api/")
    #expect(try url("https://example.com/api", "") == "https://example.com/api")
  }

  @Test func `RQ-32: base URL and endpoint are joined with one slash`() throws {
    for (base, endpoint) in [("/api", "/do"), ("/api/", "/do"), ("/api", "do"), ("/api/", "do")] {
      #expect(try url("https://example.com" + base, endpoint) == "https://example.com/api/do")
    }
    #expect(try url("https://example.com/api", "do/") == "https://example.com/api/do/")
  }

  @Test func `queries of the base, of the endpoint and of the request are all kept`() throws {
    #expect(
      try url("https://example.com/api?key=1", "do?a=1", query: ["test": "value", "test2": "value2"])
        == "https://example.com/api/do?key=1&a=1&test=value&test2=value2")
  }

  @Test func `RQ-34: an empty query adds no question mark`() throws {
    #expect(try !url("https://example.com/api", "do").contains("?"))
  }

  @Test func `RQ-35, RQ-36: header fields are copied to the request`() throws {
    let request = TypedRequest(baseURL: "https://example.com")
    #expect(try request.request().headers.isEmpty)
    #expect(try request.adding(headerField: .acceptLanguage("cy")).request().headers == [.acceptLanguage: "cy"])
  }

  @Test func `RQ-37: the method is copied to the request`() throws {
    #expect(try TypedRequest(.patch, baseURL: "https://example.com").request().method == .patch)
  }

  @Test func `RQ-38, RQ-39, RQ-41: the body provider overrides the headers, and the authentication provider both`() throws {
    let request = try TypedRequest(.post, baseURL: "https://example.com")
      .adding(headerField: .acceptLanguage("user"))
      .sending(
        BodyProvider { headers in
          headers[.acceptLanguage] = (headers[.acceptLanguage] ?? "") + "+body"
          return .text("x")
        }
      )
      .authorized(
        with: CredentialsProvider { headers in
          headers[.acceptLanguage] = (headers[.acceptLanguage] ?? "") + "+authentication"
        }
      )
      .request()
    #expect(request.headers[.acceptLanguage] == "user+body+authentication")
    #expect(request.body.data == Data("x".utf8))
  }

  @Test func `RQ-40: empty bodies, bytes and streams keep their kind`() throws {
    let request = TypedRequest(.post, baseURL: "https://example.com")
    #expect(try request.request().body.isEmpty)
    #expect(try request.sending(.data(Data([1]))).request().body.data == Data([1]))
    #expect(try request.sending(.body(.stream(Pieces("a")))).request().body.isStreamed)
  }

  @Test func `RQ-42, RQ-50: the request's timeout replaces the connection's, other options are kept`() throws {
    var connection = Connection(adapter: MockAdapter())
    connection.defaults.timeouts.connect = .seconds(3)
    let options = try TypedRequest(baseURL: "https://example.com").timeout(after: .seconds(42)).request(for: connection).options
    #expect(options.timeouts.total == .seconds(42))
    #expect(options.timeouts.connect == .seconds(3))
  }

  @Test func `a connection's headers are sent with same-origin requests only`() throws {
    let connection = try Connection(
      "https://example.com", headers: ["Authorization": "secret", "Accept-Language": "cy"], adapter: MockAdapter())
    let home = try TypedRequest(baseURL: "https://example.com/v2").setting(headerField: .acceptLanguage("en")).request(
      for: connection)
    #expect(home.headers == [.userAgent: Connection.standardUserAgent, .authorization: "secret", .acceptLanguage: "en"])
    let other = try TypedRequest(baseURL: "https://other.example").request(for: connection)
    #expect(other.headers.map(\.name) == [.userAgent])
  }

  @Test func `only fields of the authentication provider are secret`() throws {
    let key = try #require(HTTPField.Name("X-Door"))
    let plain = try #require(HTTPField.Name("X-Plain"))
    let request = try TypedRequest(baseURL: "https://example.com").with(headers: [plain: "a"])
      .authorized(with: CredentialsProvider { $0[key] = "open" }).request()
    #expect(request.secrets.contains(key) && !request.secrets.contains(plain))
  }

  @Test func `a decoder's Accept is sent unless the request has one`() throws {
    let request = TypedRequest(baseURL: "https://example.com", receiving: .json([Int].self))
    #expect(try request.request().headers[.accept] == "application/json")
    #expect(try request.adding(headerField: .accept(.text)).request().headers[.accept] == "text/plain; charset=utf-8")
  }

  @Test func `a request is described without its secrets, and without running its providers`() {
    let calls = Log<Int>()
    let request = TypedRequest(.post, baseURL: "https://user:pass@example.com/api", endpoint: "do?access_token=abc")
      .sending(
        BodyProvider { _ in
          calls.append(1)
          return .empty
        })
    #expect(!"\(request)".contains("pass") && !"\(request)".contains("abc"))
    #expect("\(request)" == "POST https://example.com/api/do")
    #expect("\(request.receiving(.json([Int].self)))" == "POST https://example.com/api/do -> Array<Int>")
    #expect(calls.elements == [])
    #expect("\(TypedRequest(baseURL: "http://["))" == "GET (no URL)")
  }

  @Test func `a custom request type has the default decoder of its resource`() async throws {
    struct Motto: RequestConvertible {
      typealias Resource = String
      let baseURL = "https://example.com"
      let endpoint = "motto"
    }
    struct Ping: RequestConvertible {
      typealias Resource = Void
      let baseURL = "https://example.com"
      let endpoint = "ping"
      let method = HTTPRequest.Method.head
    }
    struct Logo: RequestConvertible {
      typealias Resource = Data
      let baseURL = "https://example.com"
      let endpoint = "logo"
    }
    let mock = MockAdapter()
    try mock.stub(.get, path: "/motto", body: "simple")
    try mock.stub(.get, path: "/logo", body: "png")
    try mock.stub(.head, path: "/ping")
    let connection = Connection(adapter: mock)
    #expect(try await connection.perform(Motto()).value == "simple")
    #expect(try await connection.perform(Logo()).value == Data("png".utf8))
    try await connection.perform(Ping()).value
  }

  @Test func `an endpoint with a variable and an endpoint that is an absolute URL are rejected`() throws {
    let error = #expect(throws: InvalidValueError.self) {
      try TypedRequest(baseURL: "http://h/v1", endpoint: "users/{id}").request()
    }
    #expect(error?.kind == .path(.missing("id")) && error?.request?.url == "http://h/v1")
    let absolute = #expect(throws: TransportError.self) {
      try TypedRequest(baseURL: "http://h/v1", endpoint: "https://other/x").request()
    }
    #expect(absolute?.message.hasPrefix("an absolute URL cannot be appended to the base URL") == true)
    #expect(try TypedRequest(baseURL: "http://h/v1", endpoint: "a:b").request().url.absoluteString == "http://h/v1/a:b")
  }
}

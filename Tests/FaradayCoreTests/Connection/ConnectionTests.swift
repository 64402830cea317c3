import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct ConnectionTests {
  let mock = MockAdapter(isStrict: false)

  @Test func `an invalid base URL or path is an error`() async throws {
    #expect(throws: TransportError.self) { try Connection("http://h:port", adapter: mock) }
    let connection = Connection(adapter: mock)
    await #expect(throws: TransportError.self) { try await connection.get("http://h:port") }
  }

  @Test(arguments: [
    "api.example.com", "localhost:8080", "//api.example.com/v2", "/v2", "", "example", "ftp://host/", "https://", "https:host",
    "http:///x",
    "user:hunter2@host",
  ])
  func `a base URL that is not absolute http or https is an error of the initializer, with a hint`(url: String) throws {
    let error = #expect(throws: TransportError.self) { try Connection(url, adapter: mock) }
    #expect(error?.phase == .building && error.map { [.invalidURL, .unsupportedScheme].contains($0.code) } == true)
    #expect(error?.message.hasSuffix(": a base URL is an absolute one, such as https://api.example.com/") == true)
    #expect(error.map { "\($0)".contains("hunter2") } == false)
  }

  @Test func `an error of the edit closure is thrown, and nothing is sent`() async throws {
    let connection = try Connection("http://h/", adapter: mock)
    await #expect(throws: InvalidValueError.self) {
      try await connection.get("x") { try $0.headers.set(name: "X", value: "a\r\nb") }
    }
    #expect(mock.recorded.isEmpty)
  }

  @Test func `verbs send their method, the default headers and the changes of the closure`() async throws {
    let connection = try Connection("http://h/v2/", headers: ["Accept": "a/b", "User-Agent": "default"], adapter: mock)
    _ = try await connection.get("g") { $0.headers[.userAgent] = "mine" }
    _ = try await connection.head("g")
    _ = try await connection.post("g", body: "hello")
    _ = try await connection.put("g", body: "hello")
    _ = try await connection.patch("g", body: "hello")
    _ = try await connection.delete("g")
    _ = try await connection.options("g")
    let purge = try #require(HTTPRequest.Method("PURGE"))
    _ = try await connection.send(purge, "g")
    #expect(
      mock.recorded.map(\.request.method.rawValue)
        == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    #expect(mock.recorded.allSatisfy { $0.request.url.absoluteString == "http://h/v2/g" })
    #expect(mock.recorded.allSatisfy { $0.request.headers[.accept] == "a/b" })
    #expect(mock.recorded[0].request.headers[.userAgent] == "mine")
    #expect(mock.recorded[2].body == Data("hello".utf8))
  }

  @Test func `middleware sees requests from first to last, and responses from last to first`() async throws {
    let order = Mutex<[String]>([])
    func trace(_ name: String) -> MiddlewareClosure {
      MiddlewareClosure { request, next in
        order.withLock { $0.append(name + " down") }
        let response = try await next(request)
        order.withLock { $0.append(name + " up") }
        return response
      }
    }
    var connection = try Connection("http://h/", adapter: mock, middleware: [trace("outer")])
    connection.use(trace("inner"))
    connection.use { request, next in
      var request = request
      request.headers[.cookie] = "c"
      return try await next(request)
    }
    _ = try await connection.get("x")
    #expect(order.withLock { $0 } == ["outer down", "inner down", "inner up", "outer up"])
    #expect(mock.recorded[0].request.headers[.cookie] == "c")
  }

  @Test func `a middleware can respond without sending, and can send twice`() async throws {
    let short = try Connection(
      "http://h/", adapter: mock, middleware: [.closure { request, _ in Response(status: .accepted, url: request.url) }])
    #expect(try await short.get("x").status == .accepted)
    #expect(mock.recorded.isEmpty)
    let twice = try Connection(
      "http://h/", adapter: mock,
      middleware: [
        .closure { request, next in
          _ = try await next(request)
          return try await next(request)
        }
      ])
    _ = try await twice.get("x")
    #expect(mock.recorded.count == 2)
  }

  @Test func `a request that needs a missing capability fails with its name`() async throws {
    let limited = MockAdapter(capabilities: .all.subtracting([.trailers, .customCA, .http2]))
    limited.stub { request in Response(status: .ok, url: request.url) }
    let connection = try Connection("http://h/", adapter: limited)
    #expect(try await connection.get("x").status == .ok)
    let error = try await #require(throws: TransportError.self) {
      try await connection.get("x") {
        $0.options.tls.caFile = "/ca.pem"
        $0.options.httpVersion = .http2
      }
    }
    #expect(error.code == .unsupported)
    #expect(error.message == "MockAdapter has no http2, customCA")
  }

  @Test(arguments: [
    ("users", true), ("/users", true), ("?q=1", true), ("", true), ("http://host.test/x", true), ("HTTP://HOST.test:80/x", true),
    ("//host.test/x", true), ("//host.test:80", true), ("http://user@host.test/x", true),
    ("http://evil.test/x", false), ("//evil.test/x", false), ("http://host.test:8080/x", false), ("https://host.test/x", false),
    ("https://host.test:80/x", false), ("http://host.test.evil.test/x", false), ("http://host.test@evil.test/x", false),
  ])
  func `default headers are sent only to the base URL's origin`(path: String, stays: Bool) throws {
    let connection = try Connection("http://Host.test/v2/", headers: ["Authorization": "secret"], adapter: mock)
    let request = try connection.request(.get, path) { $0.headers[.accept] = "a/b" }
    #expect((request.headers[.authorization] == "secret") == stays, "\(request.url)")
    #expect(request.headers[.accept] == "a/b")
  }

  @Test func `default headers of a connection without a base URL are sent to every origin`() throws {
    let connection = Connection(headers: ["Authorization": "secret"], adapter: mock)
    #expect(try connection.request(.get, "http://any.test/").headers[.authorization] == "secret")
  }

  @Test func `an explicit default port is the same origin`() throws {
    let connection = try Connection("https://[::1]:443/", headers: ["Authorization": "secret"], adapter: mock)
    #expect(try connection.request(.get, "https://[::1]/x").headers[.authorization] == "secret")
    #expect(try connection.request(.get, "https://[::2]/x").headers[.authorization] == nil)
  }

  @Test func `default headers that are set later are also sent only to the base URL's origin`() throws {
    var connection = try Connection("http://host.test/", headers: ["Accept": "a/b"], adapter: mock)
    connection.headers[.authorization] = "secret"
    let elsewhere = try #require(URL(string: "http://evil.test/"))
    let request = try connection.request(.get) { $0.url = elsewhere }
    #expect(request.headers.map(\.name) == [.userAgent] && request.isCrossOrigin)
    connection.headers = [:]
    let own = try connection.request(.get) {
      $0.headers[.authorization] = "secret"
      $0.url = elsewhere
    }
    #expect(own.headers[.authorization] == "secret" && own.isCrossOrigin)
  }
}

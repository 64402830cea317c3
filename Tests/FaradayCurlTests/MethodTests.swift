import FaradayCore
import FaradayTesting
import Testing

@Suite struct MethodTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "X-cUsToM"])
  func `a method arrives as it was written`(name: String) async throws {
    let method = try #require(HTTPRequest.Method(name))
    #expect(try await Inspected(connection.run(method, "inspect")).method == name)
  }

  @Test func `HEAD has the head of GET and no body`() async throws {
    let response = try await connection.head("bytes/1000")
    #expect(response.status == .ok)
    #expect(response.headers[.contentLength] == "1000")
    #expect(response.body.isEmpty)
    let again = try await connection.get("hello")
    #expect(again.metrics.reusedConnection)
  }

  @Test func `HEAD with a body is refused`() async throws {
    let error = try await transportError { try await connection.run(.head, "hello", body: "text") }
    #expect(error.code == .invalidBody)
    #expect(server.requestCount == 0)
  }

  @Test(arguments: ["POST", "PUT", "PATCH"])
  func `an empty body of these says that it is empty`(name: String) async throws {
    let request = try await Inspected(connection.run(try #require(.init(name)), "inspect"))
    #expect(request.values("content-length") == ["0"])
    #expect(request.values("content-type").isEmpty)
    #expect(request.values("expect").isEmpty)
  }

  @Test(arguments: ["GET", "DELETE", "OPTIONS", "PURGE"])
  func `an empty body of these has no length`(name: String) async throws {
    let request = try await Inspected(connection.run(try #require(.init(name)), "inspect"))
    #expect(request.framing == "none")
    #expect(request.values("content-length").isEmpty)
  }

  @Test(arguments: ["GET", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "PURGE"])
  func `a body is sent with any method, small, large and chunked`(name: String) async throws {
    let method = try #require(HTTPRequest.Method(name))
    let small = try await Inspected(connection.run(method, "inspect", body: "hello"))
    #expect(small.method == name && small.bodyText == "hello" && small.framing == "length")
    let large = try await Inspected(connection.run(method, "inspect", body: .data(pattern(200_000))))
    #expect(large.method == name && large.bodyLength == 200_000 && large.framing == "length")
    let chunked = try await Inspected(connection.run(method, "inspect", body: .stream(Pieces("a", "b"))))
    #expect(chunked.method == name && chunked.bodyText == "ab" && chunked.framing == "chunked")
  }

  @Test(arguments: ["/a/../b/./c", "/%2F%20?a=%2F&b=%20+c", "/?q=a%2Fb%3F;x=(1)", "//double//slash/", "/?", "/;p=1"])
  func `the target's bytes are not changed on the way`(target: String) async throws {
    let lines = Log<String>()
    let raw = try RawServer { connection in
      lines.append(try connection.readHead())
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      connection.waitForClose()
    }
    _ = try await raw.connection().run(try Request(.get, raw.url + target + "#fragment"))
    #expect(lines.elements[0].hasPrefix("GET \(target) HTTP/1.1\r\n"))
  }

  @Test func `headers arrive in order, repeated, empty and exactly as they are`() async throws {
    let request = try await Inspected(
      connection.get("inspect") {
        try $0.headers.add("X-Order", "1")
        try $0.headers.add("X-Empty", "")
        try $0.headers.add("X-Order", "2")
        try $0.headers.add("X-Utf8", "é")
      })
    #expect(request.headers.map { $0[0] }.filter { $0.hasPrefix("X-") } == ["X-Order", "X-Empty", "X-Order", "X-Utf8"])
    #expect(request.values("x-order") == ["1", "2"])
    #expect(request.values("x-empty") == [""])
    #expect(request.values("x-utf8") == ["é"])
    #expect(request.values("accept").isEmpty)
    #expect(request.values("user-agent").isEmpty)
  }

  @Test func `framing headers that agree with the body are sent once, others are refused`() async throws {
    let agreeing = try await Inspected(
      connection.post("inspect", body: "hello") { $0.headers[.contentLength] = "5" })
    #expect(agreeing.values("content-length") == ["5"])
    let chunked = try await Inspected(
      connection.post("inspect", body: .stream(Pieces("a"))) { $0.headers[.transferEncoding] = "chunked" })
    #expect(chunked.values("transfer-encoding") == ["chunked"])
    for (name, value) in [(HTTPField.Name.contentLength, "6"), (.contentLength, "x"), (.transferEncoding, "chunked")] {
      let error = try await transportError { try await connection.post("inspect", body: "hello") { $0.headers[name] = value } }
      #expect(error.code == .invalidHeader)
    }
  }

  @Test func `user and password in the URL become basic authorization`() async throws {
    let url = server.url.replacing("http://", with: "http://user:pass@") + "/basic-auth/user/pass"
    #expect(try await connection.run(try Request(.get, url)).status == .ok)
  }

  @Test(arguments: ["", " ", " \t "])
  func `a header without a value is sent without one`(value: String) async throws {
    let request = try await Inspected(
      connection.get("inspect") {
        try $0.headers.set("X-Set", value)
        $0.headers[HTTPField.Name("X-Assigned")!] = value
      })
    #expect(request.values("x-set") == [""])
    #expect(request.values("x-assigned") == [""])
  }
}

import FaradayCore
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The arguments of verbs: variables, query, header fields, timeout.
@Suite struct VerbArgumentsTests {
  let mock = MockAdapter(isStrict: false)

  private func connection(_ url: String = "https://api.test/v2/", headers: KeyValuePairs<String, String> = [:]) throws
    -> Connection
  {
    try Connection(url, headers: headers, adapter: mock)
  }

  @Test func `a variable without a value, and a value without a variable, are errors with the request`() async throws {
    let connection = try connection("https://ada:pw@api.test/v2/?key=hidden")
    let missing = await #expect(throws: InvalidValueError.self) {
      try await connection.get("users/{id}", variables: ["name": "x"])
    }
    #expect(missing?.kind == .path(.missing("id")))
    #expect(
      missing.map { "\($0)" }
        == "GET https://api.test/v2/?key=[secret]: the path users/{id} has no value for {id}: pass one, or write a literal brace as %7B"
    )
    let unknown = await #expect(throws: InvalidValueError.self) {
      try await connection.delete("users/{id}", variables: ["id": 1, "name": "x"])
    }
    #expect(unknown?.kind == .path(.unknown("name")) && unknown?.request?.method == .delete)
    #expect(mock.recorded.isEmpty)
  }

  @Test func `an invalid header is an error, and nothing is sent`() async throws {
    let connection = try connection()
    for headers in [["X-A": "a\r\nX-Evil: 1"], ["not a name": "x"], ["": "x"]] as [KeyValuePairs<String, String>] {
      #expect(await #expect(throws: InvalidValueError.self) { try await connection.get("x", headers: headers) }?.kind == .header)
    }
    #expect(mock.recorded.isEmpty)
  }

  @Test func `a variable is one path segment, whatever its value is`() async throws {
    let connection = try connection()
    let name = "a/b?c#d é"
    _ = try await connection.get("users/{id}/posts", variables: ["id": name])
    _ = try await connection.get("users/{id}", variables: ["id": 42])
    #expect(
      mock.recorded.map(\.request.url.absoluteString) == [
        "https://api.test/v2/users/a%2Fb%3Fc%23d%20%C3%A9/posts", "https://api.test/v2/users/42",
      ])
    #expect(
      await #expect(throws: InvalidValueError.self) { try await connection.get("users/{id}", variables: ["id": ".."]) }?.isPath
        == true)
  }

  @Test(arguments: [
    ("users/{id}", "id"), ("users/{id}/posts/{post}", "id"), ("search?q={ term }", "term"),
    ("https://api.test/{user.id}", "user.id"),
  ])
  func `a variable in a path without values is an error with its name`(path: String, name: String) async throws {
    let connection = try connection()
    let error = await #expect(throws: InvalidValueError.self) { try await connection.get(path) }
    #expect(error?.kind == .path(.missing(name)) && error?.value == path)
    #expect(
      error.map { "\($0)" }
        == "GET https://api.test/v2/: the path \(path) has no value for {\(name)}: pass one, or write a literal brace as %7B")
    for attempt in [{ _ = try await connection.post(path, body: "x") }, { _ = try await connection.send("PURGE", path) }]
      as [() async throws -> Void]
    {
      #expect(await #expect(throws: InvalidValueError.self) { try await attempt() }?.isPath == true)
    }
    #expect(#expect(throws: InvalidValueError.self) { try connection.request(.put, path) }?.isPath == true)
    #expect(mock.recorded.isEmpty)
  }

  @Test(arguments: [
    ("users/%7Bid%7D", "users/%7Bid%7D"), (#"x?filter={"a":1}"#, "x?filter=%7B%22a%22:1%7D"),
    ("x?range={1 TO 2}", "x?range=%7B1%20TO%202%7D"),
    ("x/{}", "x/%7B%7D"), ("x/{id", "x/%7Bid"), ("x/}id{", "x/%7Did%7B"), ("x{?id}", "x%7B?id%7D"),
  ])
  func `braces that are not a variable are percent-encoded`(path: String, sent: String) async throws {
    _ = try await connection().get(path)
    #expect(mock.recorded.first?.request.url.absoluteString == "https://api.test/v2/" + sent)
  }

  @Test(arguments: ["projects:search", "localhost:8080/x", "user:hunter2@host/x", "mailto:a@b", "file:///etc/passwd", "x:"])
  func `a path with a scheme other than http is an error with a hint`(path: String) async throws {
    for connection in [try connection(), Connection(adapter: mock)] {
      let error = await #expect(throws: TransportError.self) { try await connection.get(path) }
      #expect(error?.code == .unsupportedScheme && error?.phase == .building)
      #expect(
        error?.message
          == "the path begins with a scheme that is neither http nor https: write `./` before a colon in its first segment")
      #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
    #expect(mock.recorded.isEmpty)
  }

  @Test func `a colon after the first segment or a dot segment belongs to the path`() async throws {
    for path in ["./projects:search", "v1/projects:search", "/projects:search", "?at=10:30", "#a:b", "HTTPS://api.test/x"] {
      _ = try await connection().get(path)
    }
    #expect(
      mock.recorded.map(\.request.url.absoluteString) == [
        "https://api.test/v2/projects:search", "https://api.test/v2/v1/projects:search", "https://api.test/projects:search",
        "https://api.test/v2/?at=10:30", "https://api.test/v2/#a:b", "HTTPS://api.test/x",
      ])
  }

  @Test func `appending an absolute URL to the base URL is an error with a hint`() async throws {
    let connection = try Connection("https://api.test/v1", joining: .append, adapter: mock)
    let error = await #expect(throws: TransportError.self) { try await connection.get("https://other/x") }
    #expect(error?.code == .invalidURL && error?.url == "https://other/x")
    #expect(error?.message == "an absolute URL cannot be appended to the base URL: use `joining: .resolve`, or a path")
    _ = try await connection.get("projects:search")
    #expect(mock.recorded.map(\.request.url.absoluteString) == ["https://api.test/v1/projects:search"])
  }

  @Test func `a URL as an argument is resolved by its own base, and leaves the connection's header fields at home`() async throws
  {
    let connection = try connection(headers: ["X-Key": "hunter2", "Authorization": "Bearer hunter2"])
    let other = try #require(URL(string: "https://other.test/a/"))
    let urls = try [
      #require(URL(string: "b?c=d", relativeTo: other)), #require(URL(string: "http://api.test/v2/x")),
      #require(URL(string: "//other.test/x")), #require(URL(string: "https://api.test:444/x")),
      #require(URL(string: "https://api.test@other.test/x")), #require(URL(string: "https://API.test:443/x")),
      #require(URL(string: "y", relativeTo: URL(string: "https://api.test/own/"))),
    ]
    for url in urls { _ = try await connection.get(url) }
    #expect(mock.recorded.first?.request.url.absoluteString == "https://other.test/a/b?c=d")
    #expect(mock.recorded.last?.request.url.absoluteString == "https://api.test/own/y")
    let key = try #require(HTTPField.Name("X-Key"))
    let sent = mock.recorded.map(\.request.headers)
    #expect(sent.map { $0.contains(key) } == [false, false, false, false, false, true, true])
    #expect(sent.map { $0.contains(.authorization) } == [false, false, false, false, false, true, true])
    let file = try #require(URL(string: "file:///etc/hunter2"))
    let error = await #expect(throws: TransportError.self) { try await connection.get(file) }
    #expect(error?.code == .unsupportedScheme)
  }

  @Test func `query items follow the path's, in order, with repeated names`() async throws {
    let connection = try connection()
    let (term, page): (String, Int?) = ("a&b", nil)
    _ = try await connection.get("x?sig=%2f", query: ["q": term, "tag": "a", "tag": 2, "exact": true, "page": page])
    #expect(
      mock.recorded.first?.request.url.absoluteString == "https://api.test/v2/x?sig=%2f&q=a%26b&tag=a&tag=2&exact=true&page")
  }

  @Test func `header fields override the connection's, and the closure runs last`() async throws {
    let connection = try connection(headers: ["Accept": "a/b", "User-Agent": "default"])
    let id = "7"
    _ = try await connection.get("x", headers: ["X-Trace": id, "user-agent": "mine", "X-Trace": "8"]) {
      $0.headers[.accept] = "c/d"
    }
    let headers = try #require(mock.recorded.first?.request.headers)
    #expect(headers["x-trace"] == "7, 8" && headers[values: .userAgent] == ["mine"] && headers[.accept] == "c/d")
  }

  @Test func `the timeout argument is the total timeout, and the connection's others stay`() async throws {
    var connection = try connection()
    connection.defaults.timeouts = Timeouts(connect: .seconds(1), total: .seconds(2))
    _ = try await connection.get("x", timeout: .seconds(5))
    _ = try await connection.get("x")
    #expect(
      mock.recorded.map(\.request.options.timeouts)
        == [Timeouts(connect: .seconds(1), total: .seconds(5)), Timeouts(connect: .seconds(1), total: .seconds(2))])
  }

  @Test func `every verb has these arguments`() async throws {
    let connection = try connection()
    _ = try await connection.get("{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], timeout: .seconds(4))
    _ = try await connection.head("{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], timeout: .seconds(4))
    _ = try await connection.post(
      "{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], body: "x", timeout: .seconds(4))
    _ = try await connection.put(
      "{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], body: "x", timeout: .seconds(4))
    _ = try await connection.patch(
      "{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], body: "x", timeout: .seconds(4))
    _ = try await connection.delete(
      "{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], body: "x", timeout: .seconds(4))
    _ = try await connection.options("{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], timeout: .seconds(4))
    _ = try await connection.send(.get, "{a}", variables: ["a": 1], query: ["b": 2], headers: ["C": "3"], timeout: .seconds(4))
    #expect(mock.recorded.map(\.request.method) == [.get, .head, .post, .put, .patch, .delete, .options, .get])
    for sent in mock.recorded.map(\.request) {
      #expect(sent.url.absoluteString == "https://api.test/v2/1?b=2" && sent.headers["C"] == "3")
      #expect(sent.options.timeouts.total == .seconds(4))
    }
  }

  @Test func `a body with a content type sets it, unless the request has one`() async throws {
    let (user, attempt) = ("a b", 2)
    let connection = try connection()
    _ = try await connection.post("x", body: .form(["user": user, "attempt": attempt]))
    _ = try await connection.post("x", headers: ["Content-Type": "text/csv"], body: .data(Data("1".utf8), contentType: .binary))
    _ = try await connection.post("x") { $0.body = .form([:]) }
    _ = try await connection.send(Request(.put, "https://api.test/x", body: .data(Data("1".utf8), contentType: .binary)))
    _ = try await connection.post("x", body: "text")
    #expect(
      mock.recorded.map { $0.request.headers[.contentType] } == [
        "application/x-www-form-urlencoded", "text/csv", "application/x-www-form-urlencoded", "application/octet-stream", nil,
      ])
    #expect(mock.recorded[0].body == Data("user=a%20b&attempt=2".utf8))
    #expect(mock.recorded[2].request.body.isEmpty && mock.recorded[2].request.body.length == 0)
  }
}

import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct MockAdapterTests {
  @Test func `a strict mock refuses unmatched requests and still records them`() async throws {
    let mock = MockAdapter()
    let connection = try Connection("http://h/", adapter: mock)
    await #expect(throws: MockError.self) { try await connection.get("x") }
    #expect(mock.recorded.count == 1)
  }

  @Test func `the first matching stub responds, up to its number of times`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/x", status: .serviceUnavailable, times: 2)
    try mock.stub(.get, path: "/x", status: .ok)
    let connection = try Connection("http://h/", adapter: mock)
    var codes: [Int] = []
    for _ in 0..<4 { codes.append(try await connection.get("x").status.code) }
    #expect(codes == [503, 503, 200, 200])
    await #expect(throws: MockError.self) { try await connection.post("x") }
  }

  @Test(arguments: [
    ("users", "a path must begin with a slash"), ("", "a path must begin with a slash"),
    ("http://h/users", "a path must begin with a slash"),
    ("/users?page=1", "a path must not have a query or fragment: use `where:` to match them"),
    ("/users#1", "a path must not have a query or fragment: use `where:` to match them"),
    ("/a b", "a path must be percent-encoded, as /a%20b"), ("/é", "a path must be percent-encoded, as /%C3%A9"),
    ("/50%", "a path must be percent-encoded, as /50%25"), ("/a\nb", "a path must be percent-encoded, as /a%0Ab"),
  ])
  func `a stub that cannot match is an error when it is made`(path: String, reason: String) async throws {
    let mock = MockAdapter()
    let error = #expect(throws: MockError.self) { try mock.stub(.get, path: path) }
    #expect(error?.reason == .invalidStub(reason) && error?.request?.url == path)
    #expect(error?.description == "no request can match a stub of GET \(path): \(reason)")
    let unexpected = await #expect(throws: MockError.self) { try await Connection("http://h/", adapter: mock).get() }
    #expect(unexpected?.reason == .unexpectedRequest(stubs: []))
  }

  @Test(arguments: ["", "h/x", "http://h", "u@h", "h:x", "h:65536", "h?", "h#", "[::1"])
  func `a stub with an invalid host is an error when it is made`(host: String) {
    let mock = MockAdapter()
    let error = #expect(throws: MockError.self) { try mock.stub(.get, host: host, path: "/") }
    #expect(
      error?.reason == .invalidStub("a host must be a name or an address, with an optional port")
        && error?.request?.url == host + "/")
  }

  @Test(arguments: [
    ("api.example.com", "https://api.example.com/x", true), ("api.example.com", "http://API.example.com:8080/x?y", true),
    ("API.example.com:443", "https://api.example.com/x", true), ("api.example.com:80", "http://api.example.com/x", true),
    ("api.example.com:443", "http://api.example.com/x", false), ("api.example.com:8080", "http://api.example.com/x", false),
    ("api.example.com", "https://example.com/x", false), ("[::1]:8080", "http://[::1]:8080/x", true),
    ("api.example.com", "https://api.example.com/y", false),
  ])
  func `a stub with a host matches only that host`(host: String, url: String, matches: Bool) async throws {
    let mock = MockAdapter(isStrict: false)
    try mock.stub(.get, host: host, path: "/x")
    #expect(try await mock.send(Request(url)).status == (matches ? .ok : .notFound))
  }

  @Test func `a stub of the root also matches a URL without a path`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/")
    for url in ["http://h", "http://h/", "http://h?a"] { #expect(try await mock.send(Request(url)).status == .ok) }
  }

  @Test func `the error of an unexpected request lists the stubs without secrets`() async throws {
    let mock = MockAdapter()
    let none = await #expect(throws: MockError.self) {
      try await mock.send(Request("https://user:hidden@h/x?token=hidden&a=1#hidden"))
    }
    #expect(none?.description == "no stub matches GET https://h/x?token=[secret]&a=1; there are no stubs")
    try mock.stub(.get, path: "/users/1", times: 0)
    try mock.stub(.post, host: "api.example.com:8080", path: "/users", times: 2)
    mock.stub { _ in
      false
    } respond: {
      Response(status: .ok, url: $0.url)
    }
    let error = await #expect(throws: MockError.self) { try await mock.send(Request(.put, "http://h/")) }
    #expect(
      error?.reason
        == .unexpectedRequest(stubs: [
          "GET /users/1 (used up) (the method is PUT and not GET, the path is / and not /users/1)",
          "POST api.example.com:8080/users", "a stub with a closure",
        ]))
    #expect(
      error?.description
        == "no stub matches PUT http://h/; the stubs are: GET /users/1 (used up) (the method is PUT and not GET, the path is / "
        + "and not /users/1), POST api.example.com:8080/users, a stub with a closure")
    for index in 0..<30 { try mock.stub(.get, path: "/\(index)") }
    let many = await #expect(throws: MockError.self) { try await mock.send(Request(.put, "http://h/")) }
    #expect(many?.description.hasSuffix("GET /16 and 13 more") == true)
    var dumped = ""
    dump(none, to: &dumped)
    #expect(!dumped.contains("hidden"))
  }

  @Test func `the error of an unexpected request says how it differs from the nearest stub`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/users")
    try mock.stub(.post, host: "api.example.com", path: "/users")
    try mock.stub(.delete, path: "/", times: 1)
    func stubs(_ method: HTTPRequest.Method, _ url: String) async throws -> [String] {
      let error = await #expect(throws: MockError.self) { try await mock.send(Request(method, url)) }
      guard case .unexpectedRequest(let stubs) = error?.reason else { return [] }
      return stubs
    }
    #expect(
      try await stubs(.post, "https://other/users?page=1") == [
        "GET /users (the method is POST and not GET)", "POST api.example.com/users", "DELETE /",
      ])
    #expect(
      try await stubs(.post, "https://api.example.com:8443/user") == [
        "GET /users", "POST api.example.com/users (the path is /user and not /users)", "DELETE /",
      ])
    _ = try await mock.send(Request(.delete, "http://h"))
    #expect(try await stubs(.delete, "http://h") == ["GET /users", "POST api.example.com/users", "DELETE / (used up)"])
  }

  @Test(arguments: [
    ("h/x", TransportError.Code.invalidURL), ("http://", .invalidURL), ("http://h:99999/", .invalidURL),
    ("ftp://h/", .unsupportedScheme),
  ])
  func `the mock refuses requests that no adapter can send`(url: String, code: TransportError.Code) async throws {
    let mock = MockAdapter(isStrict: false)
    let error = await #expect(throws: TransportError.self) { try await mock.send(Request(url: #require(URL(string: url)))) }
    #expect(error?.code == code && error?.phase == .building && mock.recorded.isEmpty)
  }

  @Test func `bodies are limited, streamed, passed to callbacks and cancelled as over a real adapter`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/x", body: "hello", trailers: [.server: "t"])
    let connection = try Connection("http://h/", adapter: mock)
    let buffered = try await connection.get("x")
    #expect(try await buffered.body.utf8Text() == "hello")
    #expect(buffered.trailers[.server] == "t")
    let error = await #expect(throws: TransportError.self) { try await connection.get("x") { $0.options.maximumBodySize = 4 } }
    #expect(error?.code == .bodyTooLarge)
    let streamed = try await connection.get("x") { $0.options.delivery = .streamed }
    #expect(try await streamed.body.utf8Text() == "hello")
    let seen = Seen()
    let called = try await connection.get("x") {
      $0.options.onHead = { head in seen.add("\(head.status.code)") }
      $0.options.onChunk = { bytes in
        seen.add("\(bytes.byteCount)")
        return .continue
      }
      $0.options.onDownloadProgress = { progress in seen.add("\(progress.bytes) of \(progress.total ?? -1)") }
    }
    #expect(called.body.isEmpty)
    #expect(seen.all == ["200", "5", "5 of 5"])
    await #expect(throws: CancellationError.self) { try await connection.get("x") { $0.options.onChunk = { _ in .cancel } } }
  }

  @Test func `a body that is not encoded fails as over a real adapter`() async throws {
    let connection = try Connection("http://h/", adapter: MockAdapter(isStrict: false))
    await #expect(throws: (any Error).self) { try await connection.post("x", body: .encodable(["a": 1])) }
  }

  private final class Seen: Sendable {
    private let state = Mutex<[String]>([])
    func add(_ text: String) { state.withLock { $0.append(text) } }
    var all: [String] { state.withLock { $0 } }
  }
}

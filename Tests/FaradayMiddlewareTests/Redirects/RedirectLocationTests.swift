import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// Where a redirect leads, however it is written.
@Suite struct RedirectLocationTests {
  /// A response without a redirect.
  private static let arrived = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"

  /// The target that the server received after its redirect.
  private func targets(_ fields: [[UInt8]], over adapter: any Adapter) async throws -> [String] {
    let targets = Log<String>()
    let server = try RawServer { connection in
      while true {
        let target = try connection.readHead().split(separator: " ")[1]
        targets.append(String(target))
        guard target == "/" else {
          try connection.send(Self.arrived)
          continue
        }
        let lines = fields.flatMap { $0 + Array("\r\n".utf8) }
        try connection.send(Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n".utf8) + lines + Array("\r\n".utf8))
      }
    }
    let connection = try Connection(server.url, adapter: adapter, middleware: [.redirects()])
    _ = try await connection.get("/")
    return Array(targets.elements.dropFirst())
  }

  private static let rawBytes: [(bytes: [UInt8], target: String)] = [
    (Array("/caf".utf8) + [0xE9], "/caf%E9"), (Array("/café".utf8), "/caf%C3%A9"), ([0x2F, 0xFF, 0x25, 0x34, 0x31], "/%FF%41"),
    (Array("/x?q=".utf8) + [0xE9, 0x26, 0x61], "/x?q=%E9&a"), ([0xE9], "/%E9"), ([0x2F, 0xC3], "/%C3"),
    (Array("/a b|c%zz".utf8), "/a%20b%7Cc%25zz"),
  ]

  @Test(arguments: rawBytes)
  func `bytes beyond ASCII in a Location are percent-encoded unchanged`(bytes: [UInt8], target: String) async throws {
    #expect(try await targets([Array("Location: ".utf8) + bytes], over: CurlAdapter()) == [target])
  }

  @Test(arguments: ["http:////foo/", "http://///foo/", "////foo/", "///foo/", "http:foo/", "http:80/x"])
  func `a Location with a scheme but without an authority is rejected`(location: String) async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .found, headers: [.location: location])
    let connection = try Connection("http://h/", adapter: mock, middleware: [.redirects()])
    let error = await #expect(throws: RedirectError.self) { try await connection.get() }
    #expect(error?.reason == .invalidLocation && mock.recorded.count == 1)
  }

  @Test func `an empty Location is not a redirect`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .found, headers: [.location: ""], body: "empty")
    let connection = try Connection("http://h/", adapter: mock, middleware: [.redirects()])
    let response = try await connection.get()
    #expect(response.status == .found && response.redirects.isEmpty && mock.recorded.count == 1)
  }

  @Test func `a host that is not valid UTF-8 is rejected`() async throws {
    let location = HTTPField(name: .location, lenientValue: Array("http://caf".utf8) + [0xE9] + Array(".example/".utf8))
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .found, headers: HTTPFields([location]))
    let connection = try Connection("http://h/", adapter: mock, middleware: [.redirects()])
    let error = await #expect(throws: RedirectError.self) { try await connection.get() }
    #expect(error?.reason == .invalidLocation && mock.recorded.count == 1)
  }

  @Test(arguments: ["/next", "/next?a=1,%202", "/a,b", "/aa, aa"], TestedAdapter.allCases)
  func `equal repeated Location headers count as one`(location: String, tested: TestedAdapter) async throws {
    let field = Array("Location: \(location)".utf8)
    let target = location.replacing(" ", with: "%20")
    for count in 1...4 {
      #expect(try await targets(Array(repeating: field, count: count), over: tested.adapter) == [target])
    }
  }

  @Test func `an international host is the same origin in every spelling`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", status: .found, headers: [.location: "/next", .setCookie: "a=1"])
    try mock.stub(.get, path: "/next", status: .found, headers: [.location: "https://xn--bcher-kva.example/last"])
    try mock.stub(.get, path: "/last")
    let connection = try Connection(
      "https://user@bücher.example/", headers: ["Authorization": "Bearer 1"], adapter: mock,
      middleware: [.redirects(), .cookies()])
    #expect(try await connection.get("/").status == .ok)
    #expect(mock.recorded.map(\.request.headers[.authorization]) == ["Bearer 1", "Bearer 1", "Bearer 1"])
    #expect(mock.recorded.map(\.request.headers[.cookie]) == [nil, "a=1", "a=1"])
    #expect(mock.recorded.map { $0.request.url.user() } == ["user", "user", "user"])
  }

  @Test(arguments: TestedDelivery.allCases)
  func `a redirect with a stalled body is followed without a timeout`(delivery: TestedDelivery) async throws {
    for length in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
      let server = try RawServer { connection in
        guard try connection.readHead().hasPrefix("GET / ") else {
          return try connection.send(Self.arrived)
        }
        try connection.send("HTTP/1.1 302 Found\r\nLocation: /next\r\n\(length)\r\n\r\n4\r\nsome\r\n")
        connection.waitForClose()
      }
      defer { server.stop() }
      var connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [.redirects()])
      connection.defaults.timeouts = Timeouts(idle: nil)
      #expect(try await delivery.get("/", over: connection).text == "there")
    }
  }

  @Test func `conflicting Location headers are rejected`() async throws {
    let server = try MockServer(.status(.found, headers: [.location: "/a", .location: "/b"]))
    let connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [.redirects()])
    let error = await #expect(throws: (any Error).self) { try await connection.get("/") }
    // Newer libcurl rejects the response itself.
    #expect((error as? RedirectError)?.reason == .invalidLocation || (error as? TransportError)?.code == .malformedResponse)
    #expect(server.recorded.count == 1)
  }

  // MARK: the redirect's own body

  enum Wrong: String, CaseIterable {
    case cut = "Content-Length: 100\r\n\r\nten bytes."
    case cutChunk = "Transfer-Encoding: chunked\r\n\r\n64\r\nten bytes."
    case malformed = "Transfer-Encoding: chunked\r\n\r\nthis is no number\r\n"
    case stalled = "Content-Length: 99\r\n\r\nten bytes."
    case stalledAtOnce = "Content-Length: 9\r\n\r\n"
  }

  /// Not over URLSession, which keeps the head of a redirect to itself until its body has come.
  @Test(arguments: Wrong.allCases, TestedDelivery.allCases)
  func `a redirect with a malformed body is followed`(wrong: Wrong, delivery: TestedDelivery) async throws {
    let server = try RawServer { connection in
      guard try connection.readHead().hasPrefix("GET / ") else {
        return try connection.send(Self.arrived)
      }
      try connection.send("HTTP/1.1 302 Found\r\nLocation: /there\r\n" + wrong.rawValue)
      if wrong == .stalled || wrong == .stalledAtOnce { connection.waitForClose() }
    }
    let connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [.redirects()])
    let (response, text) = try await delivery.get("/", over: connection)
    #expect(text == "there" && response.redirects.map(\.status.code) == [302])
  }

  @Test func `a refused redirect with a stalled body is an error without a timeout`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 302 Found\r\nLocation: http://other/\r\nContent-Length: 100\r\n\r\nsome")
      connection.waitForClose()
    }
    defer { server.stop() }
    var connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [.redirects(httpsOnly: true)])
    connection.defaults.timeouts = Timeouts(idle: nil)
    connection.defaults.delivery = .streamed
    let error = await #expect(throws: RedirectError.self) { try await connection.get("/") }
    #expect(error?.reason == .insecure)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a failed response that is not a redirect keeps its error`(tested: TestedAdapter) async throws {
    let server = try MockServer(.text("truncated", headers: [.location: "/there"]).cut(after: 1))
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.redirects()])
    let error = try await expectFailure(.truncatedResponse) { try await connection.get("/") }
    #expect(error.partialResponse?.status == .ok && server.connectionCount == 1)
  }

  @Test(arguments: [
    ("http://host/../y", "http://host/y"), ("//host/a/../y?a/../b", "http://host/y?a/../b"),
    ("http://host/a/./b/..", "http://host/a/"),
    ("//host/a//../.b/c../.", "http://host/a/.b/c../"), ("http://host/..", "http://host/"),
    ("/a/%2e%2e/b", "http://host/a/%2e%2e/b"),
  ])
  func `a Location with a host loses its dot segments`(location: String, target: String) async throws {
    let mock = MockAdapter(capabilities: .all.subtracting(.dotSegments))
    mock.stub(times: 1) { Response(status: .found, headers: [.location: location], url: $0.url) }
    mock.stub { Response(status: .ok, url: $0.url) }
    let response = try await Connection("http://host/x/", adapter: mock, middleware: [.redirects()]).get()
    #expect(response.url.absoluteString == target)
  }
}

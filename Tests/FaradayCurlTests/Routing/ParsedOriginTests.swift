@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Testing

/// Requests whose origin is parsed once for all, and requests whose whole URL libcurl parses.
@Suite struct ParsedOriginTests {
  /// A server that returns the request line of each request.
  private func server(on address: Loopback = .ipv4) throws -> RawServer {
    try RawServer(on: address) { connection in
      while true {
        let line = try connection.readHead().prefix { $0 != "\r\n" }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
      }
    }
  }

  @Test(arguments: [
    ("", "/"), ("?", "/?"), ("?a=b#f", "/?a=b"), ("#f", "/"), ("//x/../y/./", "//x/../y/./"),
    ("/%7e%2F?%c3%bc&", "/%7e%2F?%c3%bc&"),
    ("/%C3%BC", "/%C3%BC"), ("/a@b:c", "/a@b:c"),
  ])
  func `the path and query are sent unchanged`(path: String, target: String) async throws {
    let server = try server()
    let adapter = CurlAdapter()
    for start in ["http://127.0.0.1:\(server.port)", "HTTP://127.0.0.1:\(server.port)", "http://user@127.0.0.1:\(server.port)"] {
      let response = try await adapter.send(Request(start + path))
      #expect(try await response.body.utf8Text() == "GET \(target) HTTP/1.1", "\(start)")
    }
    #expect(server.connectionCount == 1, "all of them share the connection")
    server.stop()
  }

  @Test func `an IPv6 address is an origin too`() async throws {
    let server = try server(on: .ipv6)
    let response = try await CurlAdapter().send(Request("\(server.url)/x?y"))
    #expect(try await response.body.utf8Text() == "GET /x?y HTTP/1.1")
    server.stop()
  }

  @Test func `an origin is parsed once, unless libcurl rejects it or it is too long`() throws {
    #expect(ParsedOrigin("http://a b") == nil)
    let settings = TransferSettings(CurlAdapter.Configuration())
    #expect(settings.parsed("http://" + String(repeating: "a", count: 300)) == nil)
    let origin = try #require(settings.parsed("http://h:1"))
    #expect(origin === settings.parsed("http://h:1"))
    #expect(origin !== settings.parsed("https://h:1"))
  }

  @Test func `a request that libcurl sends again has the same target`() async throws {
    let lines = Log<String>()
    let server = try RawServer { connection in
      lines.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
      // The connection is closed after the second request arrived, without a response.
      if connection.index == 0 {
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        lines.append(String(try connection.readHead().prefix { $0 != "\r\n" }))
      } else {
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let adapter = CurlAdapter()
    for path in ["first", "second?x=%7e"] {
      #expect(try await adapter.send(Request("\(server.url)/\(path)")).status == .noContent)
    }
    let second = "GET /second?x=%7e HTTP/1.1"
    #expect(lines.elements == ["GET /first HTTP/1.1", second, second])
    server.stop()
  }

  @Test func `recent origins are bounded`() {
    let origins = RecentOrigins<Int>()
    for number in 0..<2500 { origins["\(number)"] = number }
    #expect(origins["2499"] == 2499)
    #expect(origins["0"] == nil)
  }
}

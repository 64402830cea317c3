import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The middleware, over each adapter and for each delivery.
@Suite struct CookieMiddlewareTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  /// The Cookie header that the server received, from `/inspect`.
  private func cookieFields(_ text: String) throws -> [String] {
    struct Inspected: Decodable { let headers: [[String]] }
    return try JSONDecoder().decode(Inspected.self, from: Data(text.utf8)).headers.filter { $0[0].lowercased() == "cookie" }.map {
      $0[1]
    }
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `cookies are stored from a response whose body is truncated`(tested: TestedAdapter, delivery: TestedDelivery) async throws
  {
    let server = try MockServer(.text("half", headers: [.setCookie: "a=1"]).cut(after: 2))
    let jar = CookieJar()
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [.cookies(jar)])
    await #expect(throws: TransportError.self) { try await delivery.get("/", over: connection) }
    #expect(jar.cookies.map(\.name) == ["a"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `cookies are stored if a callback cancels the transfer`(tested: TestedAdapter) async throws {
    let jar = CookieJar()
    let connection = try Connection(server.url + "/", adapter: tested.adapter, middleware: [.cookies(jar)])
    await #expect(throws: CancellationError.self) {
      try await connection.get("cookies") { $0.options.onChunk = { _ in .cancel } }
    }
    #expect(jar.cookies.map(\.name) == ["a", "b"])
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `each Set-Cookie header sets one cookie, even with dates, and one Cookie header returns all`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let fields: HTTPFields = [
      .setCookie: "a=1; Expires=Fri, 01-Jan-2038 00:00:00 GMT; Path=/", .setCookie: "b=\"x, y=z\"; HttpOnly",
      .setCookie: "c=3;Expires=Thursday, 31 Dec 2037 23:55:55 GMT", .setCookie: "d=4; Path=/elsewhere",
      .setCookie: "bad=1; Domain=example.com",
    ]
    let server = try MockServer(.text("none", status: .notFound, headers: fields), .status(.ok))
    let rejected = Log<String>()
    let jar = CookieJar()
    let cookies = Cookies(jar) { cookie, url in rejected.append("\(cookie.name) \(url.path())") }
    let connection = try Connection(server.url, adapter: tested.adapter, middleware: [cookies])
    #expect(try await delivery.get("/", over: connection).text == "none")
    #expect(Set(jar.cookies.map(\.name)) == ["a", "b", "c", "d"])
    #expect(rejected.elements == ["bad /"])
    _ = try await delivery.get("/", over: connection)
    #expect(server.recorded.map { $0.headers[values: .cookie] } == [[], ["a=1; b=\"x, y=z\"; c=3"]])
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `the caller's Cookie header comes first and takes precedence over the jar`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let jar = CookieJar()
    for name in ["a", "b", "c"] { try jar.insert(Cookie(name, "jar", domain: "127.0.0.1")) }
    var connection = try Connection(server.url + "/", adapter: tested.adapter, middleware: [.cookies(jar)])
    #expect(try cookieFields(await delivery.get("inspect", over: connection).text) == ["a=jar; b=jar; c=jar"])
    connection.headers[.cookie] = "z=1; b=own;c"
    #expect(try cookieFields(await delivery.get("inspect", over: connection).text) == ["z=1; b=own;c; a=jar; c=jar"])
    // This makes three fields of it.
    connection.headers[.cookie] = "a=1; b=own; c=1"
    #expect(connection.headers[fields: .cookie].count == 3)
    #expect(try cookieFields(await delivery.get("inspect", over: connection).text) == ["a=1; b=own; c=1"])
    jar.removeAll()
    #expect(try cookieFields(await delivery.get("inspect", over: connection).text) == ["a=1; b=own; c=1"])
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `below redirects, each hop sets and gets the cookies of its host`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    // The body of the redirect is longer than the limit for discarded bodies.
    let filler = String(repeating: "x", count: 1 << 20)
    let target = server.url.replacing("127.0.0.1", with: "localhost") + "/inspect"
    let first = try MockServer(
      .text(filler, status: .found, headers: [.location: "/next", .setCookie: "hop=1; Path=/"]),
      .status(.temporaryRedirect, headers: [.location: target, .setCookie: "hop=2; Path=/"]))
    let jar = CookieJar()
    try jar.insert(Cookie("far", "1", domain: "localhost"))
    let connection = try Connection(first.url, adapter: tested.adapter, middleware: [.redirects(), .cookies(jar)])
    let (response, text) = try await delivery.get("/", over: connection)
    #expect(response.status == .ok)
    #expect(try cookieFields(text) == ["far=1"])
    #expect(first.recorded.map { $0.headers[values: .cookie] } == [[], ["hop=1"]])
    #expect(jar.header(for: try #require(URL(string: first.url))) == "hop=2")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `cookies are not sent to another host name of the same machine`(tested: TestedAdapter) async throws {
    let jar = CookieJar()
    try jar.receive("a=1", from: #require(URL(string: server.url)))
    let there = server.url.replacing("127.0.0.1", with: "localhost") + "/inspect"
    let connection = try Connection(there, adapter: tested.adapter, middleware: [.cookies(jar)])
    #expect(try cookieFields(await TestedDelivery.buffered.get("", over: connection).text).isEmpty)
  }

  /// Every byte that a cookie can have, but for the delimiters of the field.
  private static let octets = (UInt8(0x21)...0xFF).filter { $0 != 0x7F && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }

  private func sentCookies(_ mock: MockAdapter) -> [UInt8]? {
    mock.recorded.last?.request.headers[fields: .cookie].first?.withUnsafeBytesOfValue { Array($0) }
  }

  @Test func `cookies are sent back byte by byte in any encoding`() async throws {
    let octets = Self.octets
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: ".utf8) + octets + [0x3D] + octets)
      try connection.send("; Path=/\r\n\r\n")
    }
    let jar = CookieJar()
    let rejected = Log<CookieError>()
    let cookies = Cookies(jar) { cookie, _ in rejected.append(cookie) }
    _ = try await Connection(server.url + "/", adapter: TestedAdapter.curl.adapter, middleware: [cookies]).get()
    #expect(rejected.elements.isEmpty)
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    _ = try await Connection(server.url + "/", adapter: mock, middleware: [cookies]).get()
    #expect(sentCookies(mock) == octets + [0x3D] + octets)
  }

  @Test(arguments: [Capabilities.all, .all.subtracting(.repeatedHeaders)])
  func `bytes that are not UTF-8 are preserved beside other cookies`(capabilities: Capabilities) async throws {
    let mock = MockAdapter(capabilities: capabilities)
    let odd = HTTPField(name: .setCookie, lenientValue: Array("a=".utf8) + [0xE9])
    mock.stub { Response(status: .ok, headers: HTTPFields([odd, HTTPField(name: .setCookie, value: "b=é")]), url: $0.url) }
    let jar = CookieJar()
    let connection = try Connection("http://example.com", adapter: mock, middleware: [.cookies(jar)])
    _ = try await connection.get("/")
    _ = try await connection.get("/")
    #expect(sentCookies(mock) == Array("a=".utf8) + [0xE9] + Array("; b=é".utf8))
  }

  @Test func `names with different bytes are different cookies even if they are equal as Unicode text`() async throws {
    let mock = MockAdapter()
    let jar = CookieJar()
    let page = try #require(URL(string: "http://host/"))
    for name in ["\u{E9}", "e\u{301}"] { try jar.receive("\(name)=1", from: page) }
    #expect(jar.cookies.count == 2)
    mock.stub { Response(status: .ok, url: $0.url) }
    let connection = try Connection("http://host/", adapter: mock, middleware: [.cookies(jar)])
    _ = try await connection.get()
    #expect(sentCookies(mock) == Array("\u{E9}=1; e\u{301}=1".utf8))
    // The caller's cookie replaces one of them only.
    _ = try await connection.get(headers: ["Cookie": "e\u{301}=own"])
    #expect(sentCookies(mock) == Array("e\u{301}=own; \u{E9}=1".utf8))
    jar.remove(Cookie("e\u{301}", "", domain: "host"))
    #expect(jar.cookies.map(\.name.unicodeScalars.count) == [1])
  }

  // MARK: the size of the field

  @Test func `the Cookie header stays below 8,190 bytes including the caller's cookies`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let jar = CookieJar()
    let page = try #require(URL(string: "http://host/a/b/"))
    let value = String(repeating: "x", count: 994)
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] { try jar.receive("\(name)=\(value); Path=/", from: page) }
    try jar.receive("long=1; Path=/a/b", from: page)
    let connection = try Connection("http://host/a/b/", adapter: mock, middleware: [.cookies(jar)])
    _ = try await connection.get()
    let sent = try #require(sentCookies(mock))
    // The cookie with the longest path comes first. The ninth of the others has no room.
    #expect(sent.starts(with: "long=1; a=xxx".utf8) && sent.count == 6 + 8 * (2 + 996))
    let own = String(repeating: "y", count: 4000)
    _ = try await connection.get(headers: ["Cookie": "own=\(own)"])
    let both = try #require(sentCookies(mock))
    #expect(both.starts(with: "own=yyy".utf8) && both.count == 4004 + 2 + 6 + 4 * (2 + 996))
    // The caller's own cookies are sent completely.
    _ = try await connection.get(headers: ["Cookie": "own=\(own + own + own)"])
    #expect(sentCookies(mock)?.count == 12_004)
  }

  @Test func `the Cookie header has at most 150 cookies, the ones with the longest paths`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let jar = CookieJar()
    let page = try #require(URL(string: "http://host/a/"))
    for number in 0..<180 { try jar.receive("n\(number)=1; Path=\(number < 100 ? "/" : "/a")", from: page) }
    let connection = try Connection("http://host/a/", adapter: mock, middleware: [.cookies(jar)])
    _ = try await connection.get()
    let names = try #require(mock.recorded.last?.request.headers[.cookie]).split(separator: "; ").map { String($0.dropLast(2)) }
    #expect(names == (100..<180).map { "n\($0)" } + (0..<70).map { "n\($0)" })
    #expect(jar.cookies(for: page).count == 180)
    #expect(jar.header(for: page)?.split(separator: "; ").count == 150)
    // A cookie that is not sent was not used.
    let times = jar.cookies.filter { $0.name == "n99" || $0.name == "n0" }
    #expect(times.count == 2 && times[1].lastUsed == times[1].created)
  }

  /// The jar's contents after a response with such a field, over an adapter that joins repeated fields, and one that does not.
  private func kept(_ field: String, over capabilities: Capabilities) async throws -> [String] {
    let mock = MockAdapter(capabilities: capabilities)
    mock.stub { Response(status: .ok, headers: [.setCookie: field], url: $0.url) }
    let jar = CookieJar()
    _ = try await Connection("http://example.com", adapter: mock, middleware: [.cookies(jar)]).get("/")
    return jar.cookies.map { $0.name + "=" + $0.value }
  }

  @Test(arguments: [
    ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2,c=3", ["a=1", "b=2", "c=3"]), ("a=,b=", ["a=", "b="]),
    ("a=1; Expires=Fri, 01 Jan 2038 00:00:00 GMT, b=2; Expires=Fri, 01-Jan-38 00:00:00 GMT", ["a=1", "b=2"]),
    ("a=1; expires=Fri,01 Jan 2038 00:00:00 GMT; Path=/,b=2; Secure, c=3", ["a=1", "c=3"]),
    ("a=1; Max-Age=0, b=2", ["b=2"]), ("a=1; Path=/,x, b=2", ["a=1", "b=2"]), ("a=x, y", ["a=x, y"]),
    ("a=x, y z=1", ["a=x, y z=1"]),
    ("a=\"x, y=z\", b=2", ["a=\"x, y=z\"", "b=2"]), ("a=\"x, b=2", ["a=\"x", "b=2"]), ("a={x,y}, b=2", ["a={x,y}", "b=2"]),
    ("a=\"x\"y, b=\"z\"", ["a=\"x\"y", "b=\"z\""]), ("a=1, , b=2", ["a=1,", "b=2"]), ("a=b=c, d=e", ["a=b=c", "d=e"]),
    ("a=1 ,\tb =2", ["a=1 ,\tb =2"]),
  ])
  func `a joined Set-Cookie header is split before names, never in dates or quotes`(
    field: String, cookies: [String]
  ) async throws {
    #expect(try await kept(field, over: .all.subtracting(.repeatedHeaders)) == cookies)
  }

  @Test(arguments: ["a=1, b=2", "a=1,b=2", "a=\"x, b=2", "a=x,y=z"])
  func `a Set-Cookie header is one cookie if the adapter keeps headers separate`(field: String) async throws {
    #expect(try await kept(field, over: .all) == [field])
  }

  @Test func `the caller's cookies are sent byte by byte before the jar's cookies`() async throws {
    let mock = MockAdapter(isStrict: false)
    let jar = CookieJar()
    try jar.receive("a=1", from: try #require(URL(string: "http://host/")))
    let own: [UInt8] = [0x6E, 0x3D, 0xE9]
    _ = try await Connection("http://host/", adapter: mock, middleware: [.cookies(jar)]).get {
      $0.headers[fields: .cookie] = [HTTPField(name: .cookie, lenientValue: own)]
    }
    let sent = mock.recorded.first?.request.headers[fields: .cookie].first?.withUnsafeBytesOfValue { Array($0) }
    #expect(sent == own + Array("; a=1".utf8))
  }
}
